// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls with objects that can't go on: one rank has its own error, all others hear of it and nobody waits.
#include "faults.hpp"

#include <tutti/object.hpp>

#include <functional>
#include <map>
#include <stdexcept>

using namespace faults;

namespace {

/// Throws on demand, in the direction that is asked for.
struct moody {
  bool when_written = false, when_read = false;
  template <class Archive>
  void serialize(Archive& archive) {
    if (!Archive::reading && when_written) throw std::runtime_error("doesn't like to be written");
    archive(when_written, when_read);
    if (Archive::reading && when_read) throw std::runtime_error("doesn't like to be read");
  }
};

/// Reads more than it writes: bytes that are no such object.
struct greedy {
  int value = 0;
  std::string more;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
    if (Archive::reading) archive(more);
  }
};

template <class Transport>
using call = std::function<void(typename Transport::communicator&)>;

/// Three ranks, of which rank 1 may do something else; then they meet once more. What each of them heard.
template <class Transport>
outcome all_hear(board& notes, const call<Transport>& what, const std::string& words) {
  const outcome result = run<Transport>(notes, 3, [&](auto& comm) {
    try {
      what(comm);
      for (int i = 0; i < 8; ++i) tutti::barrier(comm);
    } catch (const tutti::error&) {
      throw;
    } catch (const std::exception& failure) {
      tutti::detail::fail(tutti::errc::peer_failed, comm.rank(), "own: %s", failure.what());
    }
  });
  CAPTURE(result.text);
  REQUIRE(result.threw);
  CHECK(result.says(words));
  for (int rank = 0; rank < 3; ++rank) {
    CAPTURE(rank);
    CAPTURE(notes[rank].text);
    CHECK(notes[rank].threw == 1);
    CHECK(contains(notes[rank].text, words));
  }
  CHECK(result.seconds < 20);
  return result;
}

template <class Transport>
void expect_own_error(const call<Transport>& what, tutti::errc code, const std::string& words, int at = 1) {
  watchdog dog;
  board notes;
  all_hear<Transport>(notes, what, words);
  for (int rank = 0; rank < 3; ++rank) {
    CAPTURE(rank);
    CHECK(notes[rank].code == (rank == at ? code : tutti::errc::peer_failed));
  }
}

template <class Transport>
void expect_mismatch(const call<Transport>& what, const std::string& words) {
  watchdog dog;
  board notes;
  CHECK(all_hear<Transport>(notes, what, words).code == tutti::errc::mismatch);
}

template <class Transport>
void wrong_numbers() {
  const auto from_1 = [](std::size_t count) {
    return
        [count](auto& comm) { tutti::scatter_object(comm, std::vector<std::string>(comm.rank() == 1 ? count : 0), 1); };
  };
  const std::string words = "scatter_object on rank 1: values has ";
  const std::string expected = " objects, expected one for each of 3 ranks";
  for (const std::size_t count : {0u, 2u, 4u})
    expect_own_error<Transport>(from_1(count), tutti::errc::bad_argument, words + std::to_string(count) + expected);
  expect_own_error<Transport>(
      [](auto& comm) { tutti::all_to_all_object(comm, std::vector<int>(comm.rank() == 1 ? 1 : 3)); },
      tutti::errc::bad_argument, "all_to_all_object on rank 1: values has 1 objects, expected one for each of 3 ranks");
}

template <class Transport>
void other_types() {
  using strings = std::vector<std::string>;
  using table = std::map<std::string, std::string>;
  const auto differ = [](auto&& run, auto usual, auto strange) {
    return [=](auto& comm) { comm.rank() == 1 ? run(comm, strange) : run(comm, usual); };
  };
  const auto broadcast = [](auto& comm, auto value) { tutti::broadcast_object(comm, value, 2); };
  const auto all_gather = [](auto& comm, auto value) { tutti::all_gather_object(comm, value); };
  const auto gather = [](auto& comm, auto value) { tutti::gather_object(comm, value); };
  const auto scatter = [](auto& comm, auto value) { tutti::scatter_object(comm, std::vector(std::size_t(3), value)); };
  const auto all_to_all = [](auto& comm, auto value) {
    tutti::all_to_all_object(comm, std::vector(std::size_t(3), value));
  };
  expect_mismatch<Transport>(differ(broadcast, 1, 1.f), "broadcast_object on rank ");
  expect_mismatch<Transport>(differ(all_gather, 1, 1.f), "all_gather_object on rank ");
  expect_mismatch<Transport>(differ(gather, 1, 1.f), "the element type is ");
  expect_mismatch<Transport>(differ(scatter, 1, 1u), "scatter_object on rank ");
  expect_mismatch<Transport>(differ(all_to_all, 1, 1u), "all_to_all_object on rank ");
  expect_mismatch<Transport>(differ(all_gather, strings{}, table{}), "the element size in bytes is ");
  expect_mismatch<Transport>(differ(gather, table{}, std::map<strings, std::string>{}),
                             "another one that ends like it on rank ");
  expect_mismatch<Transport>(
      [](auto& comm) {
        std::string text;
        comm.rank() == 1 ? tutti::broadcast_object(comm, text) : void(tutti::gather_object(comm, text));
      },
      "the collective is ");
  expect_mismatch<Transport>(
      [](auto& comm) {
        int root = comm.rank() == 1 ? 1 : 0;
        tutti::broadcast_object(comm, root, root);
      },
      "root is ");
}

template <class Transport>
void moods() {
  const std::string writing = "doesn't like to be written", reading = "doesn't like to be read";
  const auto code = tutti::errc::peer_failed;
  const auto on_1 = [](auto& comm, bool write, bool read) { return comm.rank() == 1 ? moody{write, read} : moody{}; };
  expect_own_error<Transport>([on_1](auto& comm) { tutti::all_gather_object(comm, on_1(comm, true, false)); }, code,
                              writing);
  expect_own_error<Transport>([on_1](auto& comm) { tutti::gather_object(comm, on_1(comm, true, false)); }, code,
                              writing);
  expect_own_error<Transport>([on_1](auto& comm) { tutti::gather_object(comm, on_1(comm, false, true)); }, code,
                              reading);
  expect_own_error<Transport>(
      [on_1](auto& comm) { tutti::all_to_all_object(comm, std::vector(3, on_1(comm, true, false))); }, code, writing);
  for (const bool read : {false, true}) {
    expect_own_error<Transport>(
        [on_1, read](auto& comm) {
          auto value = on_1(comm, !read, read);
          tutti::broadcast_object(comm, value, 1);
        },
        code, read ? reading : writing);
    expect_own_error<Transport>(
        [on_1, read](auto& comm) { tutti::scatter_object(comm, std::vector(3, on_1(comm, !read, read)), 1); }, code,
        read ? reading : writing);
  }
}

template <class Transport>
void malformed() {
  const auto bad = tutti::errc::bad_argument;
  expect_own_error<Transport>([](auto& comm) { tutti::gather_object(comm, greedy{}, 1); }, bad,
                              "gather_object on rank 1: unpack: at byte 4: expected 8 bytes");
  expect_own_error<Transport>(
      [](auto& comm) {
        greedy value;
        auto pair = comm.split(comm.rank() == 2);  // ranks 0 and 1
        if (comm.rank() < 2) tutti::broadcast_object(pair, value, 0);
      },
      bad, "broadcast_object on rank 1: unpack: at byte 4");
}

/// Messages fail where they are received; there is no call of all that could be upset.
template <class Transport>
void messages() {
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, 2, [&](auto& comm) {
    if (comm.rank() == 0) {
      try {
        tutti::send_object(comm, 1, moody{true, false});
      } catch (const std::runtime_error&) {
        ++notes[0].progress;
      }
      tutti::send_object(comm, 1, greedy{}, 7);
      tutti::send_object(comm, 1, std::string("in order"));
    } else {
      try {
        tutti::recv_object<greedy>(comm, 0, 7);
      } catch (const tutti::error& failure) {
        if (contains(failure.what(), "recv_object on rank 1: unpack: at byte 4")) ++notes[1].progress;
      }
      if (tutti::recv_object<std::string>(comm, 0) == "in order") ++notes[1].progress;
    }
    tutti::barrier(comm);
  });
  CAPTURE(result.text);
  CHECK_FALSE(result.threw);
  CHECK(notes[0].progress == 1);
  CHECK(notes[1].progress == 2);
}

template <class Transport>
void messages_of_other_types() {
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, 2, [](auto& comm) {
    if (comm.rank() == 0)
      tutti::send_object(comm, 1, std::string("text"));
    else
      tutti::recv_object<std::vector<char>>(comm, 0);
    tutti::barrier(comm);
  });
  CAPTURE(result.text);
  CHECK(result.code == tutti::errc::mismatch);
  CHECK(result.says("recv on rank 1: the message of rank 0 with tag 0 has another element type"));
  board other_notes;
  const outcome plain = run<Transport>(other_notes, 2, [](auto& comm) {
    if (comm.rank() == 0)
      tutti::send(comm, 1, std::vector<int>{1});
    else
      tutti::recv_object<int>(comm, 0);
    tutti::barrier(comm);
  });
  CAPTURE(plain.text);
  CHECK(plain.code == tutti::errc::mismatch);
}

}  // namespace

#define BOTH(What, Function)                              \
  TEST_CASE("threads: " What) { Function<on_threads>(); } \
  TEST_CASE("shm: " What) { Function<on_shm>(); }

BOTH("a wrong number of objects", wrong_numbers)
BOTH("objects of other types", other_types)
BOTH("a serialize that throws", moods)
BOTH("bytes that are no such object", malformed)
BOTH("messages that are no such object", messages)
BOTH("messages of other types", messages_of_other_types)
#undef BOTH
