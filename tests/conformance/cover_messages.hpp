// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Messages between two ranks: every length, tags in any order, beside collectives and requests, with sends that block.

#include "expect.hpp"
#include "world.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace conformance {

inline std::vector<std::uint32_t> letter(std::size_t count, int from, int number) {
  std::vector<std::uint32_t> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = std::uint32_t(i * 2654435761u) ^ std::uint32_t(from * 1000003 + number * 7919);
  return made;
}
/// Nothing, one, odd, beyond a letter of 256 KiB with its envelope, beyond all four of them.
inline std::vector<std::size_t> message_lengths() {
  return reduced ? std::vector<std::size_t>{0, 1, 1009, 65537}
                 : std::vector<std::size_t>{0, 1, 7, 1009, 65527, 65528, 65529, 262145, 600011};
}

/// Round the ring, at once and one after the other.
template <class Transport>
void messages_of_every_length() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size(), next = (r + 1) % p, previous = (r + p - 1) % p;
        int number = 0;
        for (const std::size_t n : message_lengths()) {
          ++number;
          const auto out = letter(n, r, number), expected = letter(n, previous, number);
          std::vector<std::uint32_t> in(n, 1);
          tutti::send_recv(comm, next, out, previous, in, number);
          expect(in == expected, "send_recv", r);
          in.assign(n, 1);
          auto take = tutti::async::recv(comm, previous, in, 3);
          auto give = tutti::async::send(comm, next, out, 3);
          tutti::wait_all(give, take);
          expect(in == expected, "async::send and recv", r);
          if (p > 1) {  // even ranks first, so that it works where sends block
            std::vector<std::uint32_t> found;
            if (r % 2 == 0) tutti::send(comm, next, out);
            if (previous != r && !(r % 2 == 0 && p % 2 == 1 && r == 0))
              found = tutti::recv<std::uint32_t>(comm, previous);
            if (r % 2 == 1) tutti::send(comm, next, out);
            if (r == 0 && p % 2 == 1) found = tutti::recv<std::uint32_t>(comm, previous);
            expect(found == expected, "recv of unknown length", r);
          }
        }
      },
      9);
}

/// A recv takes the oldest message of its tag, whatever lies before it.
template <class Transport>
void tags() {
  in_world<Transport>(3, [](typename Transport::communicator& comm) {
    const std::size_t n = 40000;
    if (comm.rank() == 0) {
      for (int turn = 0; turn < 3; ++turn)
        for (int tag = 0; tag < 4; ++tag) tutti::send(comm, 1, letter(n, tag, turn), tag);
      tutti::send(comm, 2, letter(1, 0, 0), 9);
    } else if (comm.rank() == 1) {
      for (int tag = 3; tag >= 0; --tag)
        for (int turn = 0; turn < 3; ++turn)
          expect(tutti::recv<std::uint32_t>(comm, 0, tag) == letter(n, tag, turn), "tags backwards", 1);
      tutti::send(comm, 2, letter(1, 1, 0), 9);
    } else {  // sources don't mix either
      expect(tutti::recv<std::uint32_t>(comm, 1, 9) == letter(1, 1, 0), "from rank 1", 2);
      expect(tutti::recv<std::uint32_t>(comm, 0, 9) == letter(1, 0, 0), "from rank 0", 2);
    }
    tutti::barrier(comm);
    // To itself, posted before and after.
    std::vector<std::uint32_t> in(n);
    auto take = tutti::async::recv(comm, comm.rank(), in, 5);
    auto give = tutti::async::send(comm, comm.rank(), letter(n, comm.rank(), 1), 5);
    give.wait();
    take.wait();
    expect(in == letter(n, comm.rank(), 1), "to itself", comm.rank());
    auto moved = tutti::async::recv(comm, comm.rank(), std::vector<std::uint32_t>(n), 6);
    tutti::async::send(comm, comm.rank(), letter(n, comm.rank(), 2), 6).wait();
    expect(moved.get() == letter(n, comm.rank(), 2), "into a vector moved in", comm.rank());
  });
}

/// Pairs in turns work where every send waits for its receiver, and find what a program owes to buffers.
template <class Transport>
void blocking_sends() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        comm.block_sends(true);
        const int r = comm.rank(), p = comm.size();
        for (int round = 0; round < p; ++round) {
          const int partner = (round - r + p) % p;
          if (partner == r) continue;
          if (r < partner) tutti::send(comm, partner, letter(100, r, round), round);
          expect(tutti::recv<std::uint32_t>(comm, partner, round) == letter(100, partner, round), "in turns", r);
          if (r > partner) tutti::send(comm, partner, letter(100, r, round), round);
        }
        std::vector<std::uint32_t> in(100);
        tutti::send_recv(comm, (r + 1) % p, letter(100, r, 0), (r + p - 1) % p, in);
        expect(in == letter(100, (r + p - 1) % p, 0), "send_recv with sends that block", r);
      },
      9);
  try {
    Transport::launch(2, [](typename Transport::communicator& comm) {
      comm.block_sends(true);
      comm.timeout(0.3);
      tutti::send(comm, 1 - comm.rank(), letter(1, 0, 0));  // both send first
      tutti::recv<std::uint32_t>(comm, 1 - comm.rank());
    });
    FAIL_CHECK("two sends that wait for each other went through");
  } catch (const tutti::error& failure) {
    CAPTURE(failure.what());
    CHECK(failure.code() == tutti::errc::timeout);
    CHECK(std::string(failure.what()).find("has taken nothing for 0.3 s, tag 0") != std::string::npos);
  }
}

/// Messages, collectives and requests beside each other, on two communicators with the same tags.
template <class Transport>
void messages_beside_collectives() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size(), next = (r + 1) % p, previous = (r + p - 1) % p;
        auto other = comm.duplicate();
        for (int turn = 0; turn < (reduced ? 5 : 25); ++turn) {
          const std::size_t n = std::size_t(turn) * 1501;
          std::vector<std::uint32_t> in(n), second(n);
          auto a = tutti::async::recv(comm, previous, in, 1);
          auto b = tutti::async::recv(other, previous, second, 1);
          const auto out = letter(n, r, turn), more = letter(n, r + 100, turn);
          auto c = tutti::async::send(other, next, more, 1);
          auto d = tutti::async::send(comm, next, out, 1);
          std::vector<int> sum(500, r);
          auto e = tutti::async::all_reduce(comm, sum, tutti::sum{});
          tutti::barrier(other);
          tutti::wait_all(b, e, c, a, d);
          expect(in == letter(n, previous, turn) && second == letter(n, previous + 100, turn), "beside collectives", r);
          expect(sum[499] == p * (p - 1) / 2, "the collective", r);
        }
      },
      5);
}

/// What can't match is an error on both sides.
template <class Transport>
void messages_refused() {
  const auto refused = [](auto&& rank, tutti::errc code, const char* text) {
    try {
      Transport::launch(2, rank);
      FAIL_CHECK("no error: " << text);
    } catch (const tutti::error& failure) {
      CAPTURE(failure.what());
      CHECK(failure.code() == code);
      CHECK(std::string(failure.what()).find(text) != std::string::npos);
    }
  };
  refused(
      [](typename Transport::communicator& comm) {
        std::vector<int> data(comm.rank() == 0 ? 7 : 5);
        if (comm.rank() == 0) tutti::send(comm, 1, data, 3);
        if (comm.rank() == 1) tutti::recv(comm, 0, data, 3);
      },
      tutti::errc::mismatch, "recv on rank 1: data has 5 elements, but the message of rank 0 with tag 3 has 7");
  refused(
      [](typename Transport::communicator& comm) {
        if (comm.rank() == 0) tutti::send(comm, 1, std::vector<int>(5));
        if (comm.rank() == 1) tutti::recv<float>(comm, 0);
      },
      tutti::errc::mismatch, "has another element type");
  refused(
      [](typename Transport::communicator& comm) {
        comm.timeout(0.3);
        if (comm.rank() == 1) tutti::recv<int>(comm, 0, 4);
        if (comm.rank() == 0) usleep(600000);
      },
      tutti::errc::timeout, "recv on rank 1: rank 0 has sent nothing for 0.3 s, tag 4");
  refused([](typename Transport::communicator& comm) { tutti::send(comm, 2, std::vector<int>(5)); },
          tutti::errc::bad_argument, "to is 2, expected at least 0 and below the size 2");
}

}  // namespace conformance
