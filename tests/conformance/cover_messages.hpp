// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// send, recv and send_recv: what arrives is a formula of who sent it to whom, with which tag, as the how manyth.

#include "elements.hpp"
#include "everywhere.hpp"

#include <deque>

#include <unistd.h>

namespace conformance {

inline std::vector<int> letter(int from, int to, int tag, int number, std::size_t count) {
  std::vector<int> made(count);
  const auto salt = scramble(std::uint64_t(from * 1000 + to), std::uint64_t(tag) * 1000 + std::uint64_t(number));
  for (std::size_t i = 0; i < count; ++i) made[i] = int(scramble(salt, i) % 1000003);
  return made;
}
inline std::vector<std::size_t> letter_lengths() {
  if (reduced) return {0, 1, 70000};
  return {0, 1, 5, 1000, 65527, 65528, 65529, 70000, 300001};  // an envelope takes 32 bytes of a letter's 256 KiB
}

template <class Transport>
void rings() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const int p = comm.size(), me = comm.rank(), next = (me + 1) % p, before = (me + p - 1) % p;
    for (const bool blocks : {false, true}) {
      comm.block_sends(blocks);
      for (const std::size_t count : letter_lengths()) {
        const auto mine = letter(me, next, 3, blocks, count), theirs = letter(before, me, 3, blocks, count);
        std::vector<int> in(count, -1);
        tutti::send_recv(comm, next, mine, before, in, 3);
        expect(comm, in == theirs, "send_recv in a ring", long(count));
        // Lengths may differ: as many more as the rank of the sender.
        const auto longer = letter(me, before, 4, blocks, count + std::size_t(me));
        std::vector<int> other(count + std::size_t(next), -1);
        tutti::send_recv(comm, before, longer, next, other, 4);
        expect(comm, other == letter(next, me, 4, blocks, other.size()), "send_recv of two lengths", long(count));
        if (p == 1) continue;
        in.assign(count, -1);
        if (me % 2 == 0) tutti::send(comm, next, mine, 5);
        tutti::recv(comm, before, in, 5);
        if (me % 2 == 1) tutti::send(comm, next, mine, 5);
        expect(comm, in == theirs, "ordered pairs in a ring", long(count));
      }
    }
  });
}

/// Looks around for so long that a peer can do its last work meanwhile.
struct slow_look final : tutti::detail::onlooker {
  void look(const char*, int) override { usleep(30000); }
};

/// A send that must block ends when its receiver has asked for the message, not before; also where that was the last
/// thing the receiver did.
template <class Transport>
void blocking_sends() {
  for (const std::size_t count : {std::size_t(0), std::size_t(10), std::size_t(70000)}) {
    witness asked;
    in_world<Transport>(2, [&](typename Transport::communicator& comm) {
      comm.block_sends(true);
      slow_look outside;
      if (comm.rank() == 0) {
        if constexpr (requires { comm.watch(outside); }) comm.watch(outside);
        tutti::send(comm, 1, letter(0, 1, 0, 0, count));
        expect(comm, asked[1].load() == 1, "a send ended before its receiver came", long(count));
      } else {
        usleep(20000);
        asked[1] = 1;
        expect(comm, tutti::recv<int>(comm, 0) == letter(0, 1, 0, 0, count), "a blocking send", long(count));
      }
    });
  }
}

/// Whoever asks for a tag gets the oldest message that has it, whatever lies before.
template <class Transport>
void tags() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank(), next = (me + 1) % p, before = (me + p - 1) % p;
        for (const std::size_t count : letter_lengths()) {
          std::deque<std::vector<int>> sent;
          std::vector<tutti::request<void>> sends;
          for (int number = 0; number < 2; ++number)
            for (const int tag : {7, 0, -5, 1 << 30}) {
              sent.push_back(letter(me, next, tag, number, count + std::size_t(tag == 0)));
              sends.push_back(tutti::async::send(comm, next, sent.back(), tag));
            }
          for (const int tag : {1 << 30, -5, 0, 7}) {  // the reverse order
            const std::size_t length = count + std::size_t(tag == 0);
            std::vector<int> in(length, -1);
            tutti::recv(comm, before, in, tag);
            expect(comm, in == letter(before, me, tag, 0, length), "the first message of a tag", tag);
            expect(comm, tutti::recv<int>(comm, before, tag) == letter(before, me, tag, 1, length),
                   "the second message of a tag, of unknown length", tag);
          }
          tutti::wait_all(sends);
        }
      },
      9);
}

/// Hundreds under way between all pairs, itself included; the receives are posted in another order than the sends.
template <class Transport>
void many_under_way() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank(), each = reduced ? 10 : 60;
        const auto length = [](int number) { return std::size_t(number % 7 == 0 ? 3000 : number % 5); };
        std::deque<std::vector<int>> sent, taken;
        std::vector<tutti::request<void>> all;
        const auto receive_all = [&] {
          for (int peer = p - 1; peer >= 0; --peer)
            for (int number = each - 1; number >= 0; --number) {
              taken.emplace_back(length(number), -1);
              all.push_back(tutti::async::recv(comm, peer, taken.back(), number));
            }
        };
        const auto send_all = [&] {
          for (int number = 0; number < each; ++number)
            for (int peer = 0; peer < p; ++peer) {
              sent.push_back(letter(me, peer, number, 0, length(number)));
              all.push_back(tutti::async::send(comm, peer, sent.back(), number));
            }
        };
        if (me % 2 == 0) receive_all();
        send_all();
        if (me % 2 == 1) receive_all();
        tutti::wait_all(all);
        std::size_t i = 0;
        for (int peer = p - 1; peer >= 0; --peer)
          for (int number = each - 1; number >= 0; --number, ++i)
            expect(comm, taken[i] == letter(peer, me, number, 0, length(number)), "one of many messages", number);
      },
      5);
}

/// To itself: large and small, asked for before and after.
template <class Transport>
void to_itself() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int me = comm.rank();
        for (const std::size_t count : letter_lengths()) {
          const auto given = letter(me, me, 1, 0, count);
          std::vector<int> first(count, -1), second(count, -1), third(count, -1);
          auto takes = tutti::async::recv(comm, me, first, 1);
          auto sends = tutti::async::send(comm, me, given, 1);
          sends.wait();
          takes.wait();
          auto again = tutti::async::send(comm, me, given, 2);
          tutti::recv(comm, me, second, 2);
          again.wait();
          tutti::send_recv(comm, me, given, me, third, 1);
          expect(comm, first == given && second == given && third == given, "a message to itself", long(count));
        }
      },
      3);
}

/// Messages, collectives and requests by one formula of the step, and two communicators whose tags are the same.
template <class Transport>
void mixed_with_collectives() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        auto twin = comm.duplicate();
        const int p = comm.size(), me = comm.rank();
        struct due {
          int from, tag, number;
          bool by_twin;
          std::size_t count;
        };
        std::deque<std::vector<int>> sent;
        std::deque<std::vector<float>> sums;
        std::vector<tutti::request<void>> sends, collectives;
        std::vector<due> expected;
        const auto receive_all = [&] {
          for (int tag = 2; tag >= 0; --tag)
            for (const bool by_twin : {true, false})
              for (const due& one : expected) {
                if (one.tag != tag || one.by_twin != by_twin) continue;
                expect(comm,
                       tutti::recv<int>(by_twin ? twin : comm, one.from, tag) ==
                           letter(one.from, me, tag, one.number, one.count),
                       "a message between collectives", one.number);
              }
          expected.clear();
        };
        for (int step = 0; step < (reduced ? 60 : 400); ++step) {
          const std::uint64_t dice = scramble(77, std::uint64_t(step));
          const std::size_t count = dice % 11 == 0 ? 70000 : dice % 300;
          switch (dice / 1024 % 8) {
            case 0: {
              std::vector<float> data(count % 5000, float(me + step));
              tutti::all_reduce(comm, data, tutti::max{});
              expect(comm, all_are(data, float(p - 1 + step)), "all_reduce between messages", step);
              break;
            }
            case 1: {
              sums.emplace_back(count % 3000, float(me + 1));
              auto& on = dice % 2 ? twin : comm;
              collectives.push_back(tutti::async::all_reduce(on, sums.back(), tutti::sum{}, tutti::ring{}));
              break;
            }
            case 2:
              receive_all();
              break;
            default: {
              const int distance = int(dice / 8192 % std::uint64_t(p)), tag = int(dice / 131072 % 3);
              const bool by_twin = dice / 65536 % 2 == 0;
              const int to = (me + distance) % p, from = (me + p - distance) % p;
              sent.push_back(letter(me, to, tag, step, count));
              sends.push_back(tutti::async::send(by_twin ? twin : comm, to, sent.back(), tag));
              expected.push_back({from, tag, step, by_twin, count});
            }
          }
        }
        receive_all();
        tutti::wait_all(collectives);
        tutti::wait_all(sends);
        for (const auto& sum : sums) expect(comm, all_are(sum, float(p * (p + 1) / 2)), "a request between messages");
      },
      9);
}

/// A recv that has seen nothing is taken back; what comes later goes to the next one.
template <class Transport>
void cancelled_receives() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank(), next = (me + 1) % p, before = (me + p - 1) % p;
        std::vector<int> never(10, -1), in(10, -1);
        for (int turn = 0; turn < 20; ++turn) {
          auto waits = tutti::async::recv(comm, before, never, 1);
          auto other = tutti::async::recv(comm, before, in, 2);
          expect(comm, !waits.test() && !waits.wait_for(1e-4), "a recv of nothing has ended", turn);
          expect(comm, waits.cancel() && !waits.valid(), "a recv of nothing can't be cancelled", turn);
          tutti::barrier(comm);
          const auto given = letter(me, next, 2, turn, 10), second = letter(me, next, 1, turn, 10);
          auto one = tutti::async::send(comm, next, given, 2), two = tutti::async::send(comm, next, second, 1);
          expect(comm, tutti::recv<int>(comm, before, 1) == letter(before, me, 1, turn, 10), "after a cancelled recv");
          tutti::wait_all(other, one, two);
          expect(comm, in == letter(before, me, 2, turn, 10) && all_are(never, -1), "beside a cancelled recv", turn);
        }
      },
      5);
}

/// What sender and receiver disagree on is an error that both sides, and everyone else, hear of; a wrong peer is
/// refused before anything is posted.
template <class Transport>
void wrong_messages() {
  using communicator = typename Transport::communicator;
  const auto to_one = [](auto data, auto receive) {
    return [data, receive](communicator& comm) {
      if (comm.rank() == 0) tutti::send(comm, 1, data, 6);
      if (comm.rank() == 1) receive(comm);
    };
  };
  expect_everywhere<Transport>("recv on rank 1: data has 5 elements, but the message of rank 0 with tag 6 has 4",
                               to_one(std::vector<int>(4), [](communicator& comm) {
                                 std::vector<int> in(5);
                                 tutti::recv(comm, 0, in, 6);
                               }));
  expect_everywhere<Transport>("recv on rank 1: the message of rank 0 with tag 6 has another element type",
                               to_one(std::vector<float>(70000), [](communicator& comm) {
                                 std::vector<int> in(70000);
                                 tutti::recv(comm, 0, in, 6);
                               }));
  expect_everywhere<Transport>(
      "recv on rank 1: the message of rank 0 with tag 6 has another element type (8 bytes each, here 4)",
      to_one(std::vector<double>(1), [](communicator& comm) { (void)tutti::recv<float>(comm, 0, 6); }));
  expect_everywhere<Transport>("recv on rank 1: rank 0 has sent nothing for 0.2 s, tag 9",
                               to_one(std::vector<int>(4), [](communicator& comm) {
                                 comm.timeout(0.2);
                                 std::vector<int> early(4), late(4);
                                 auto pending = tutti::async::recv(comm, 0, late, 8);
                                 tutti::recv(comm, 0, early, 9);  // pending ends on the way out
                               }));
  in_world<Transport>(2, [](communicator& comm) {
    for (const int peer : {-1, 2}) try {
        tutti::send(comm, peer, std::vector<int>(1));
        expect(comm, false, "a send to nobody was not refused");
      } catch (const tutti::error& refused) {
        const std::string words =
            "send on rank " + std::to_string(comm.rank()) + ": to is " + std::to_string(peer) + ", expected";
        expect(comm, std::string(refused.what()).find(words) == 0, refused.what());
      }
    tutti::barrier(comm);
  });
}

/// A communicator may get what another one had, memory or numbers, but not its letters.
template <class Transport>
void forgotten_messages() {
  using communicator = typename Transport::communicator;
  in_world<Transport>(2, [](communicator& comm) {
    for (int turn = 0; turn < 5; ++turn) {
      auto part = comm.duplicate();
      if (part.rank() == 0) tutti::send(part, 1, std::vector<int>{turn, turn});
      if (part.rank() == 1 && turn % 2 == 1)
        expect(part, tutti::recv<int>(part, 0) == std::vector<int>{turn, turn}, "a letter of an ended communicator");
      tutti::barrier(part);
    }
  });
}

}  // namespace conformance
