// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After a failure an executor lets go of the receives that are still posted, one after the other, while its peers go on
// sending. What comes goes to the oldest receive left, as MPI has it, and must fit there: MPICH ends the program where
// a message is longer than its receive.
#include <tutti/tutti.hpp>

#include <tutti/engine/posted_executor.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace {

namespace on = tutti::collective;
using tutti::detail::progress;

/// A rank whose peers send nothing before it lets go of its first receive; from then on a message of each comes before
/// each further one.
class late_peers {
 public:
  static constexpr std::size_t max_message() { return std::size_t(1) << 30; }
  struct message {
    int number = -1;
  };

  int rank() const { return 0; }
  int size() const { return 5; }
  progress try_begin(const tutti::detail::descriptor&) { return progress::done; }
  progress try_begin(const tutti::detail::descriptor&, std::uint64_t) { return progress::done; }
  bool joined(int) { return true; }
  std::uint64_t payload_of(int peer) const { return std::uint64_t(10 * peer); }  // how many elements it gives
  tutti::detail::pool& memory_pool() { return pool_; }
  void* scratch(std::size_t bytes) { return scratch_.resize(bytes), scratch_.data(); }

  message post_send(int, const void*, std::size_t) { return {}; }
  message post_receive(int from, void*, std::size_t bytes) {
    posted_[from].push_back({++receives, bytes});
    coming_[from].push_back(bytes);  // the peer sends in the order of its receives here
    return {receives};
  }
  bool has_ended(message& one) const { return one.number < 0; }
  bool let_go(message& one) {
    if (one.number < 0) return true;
    for (auto& [peer, list] : posted_)
      std::erase_if(list, [&one](const receive& each) { return each.number == one.number; });
    for (auto& [peer, list] : posted_) {
      if (list.empty()) continue;
      met += 1;
      if (coming_[peer].front() > list.front().bytes) too_long += 1;
      coming_[peer].pop_front();
      list.pop_front();
    }
    return true;
  }

  int receives = 0, met = 0, too_long = 0;

 private:
  struct receive {
    int number;
    std::size_t bytes;
  };
  tutti::detail::pool pool_;
  std::vector<std::byte> scratch_;
  std::map<int, std::deque<receive>> posted_;
  std::map<int, std::deque<std::size_t>> coming_;
};

}  // namespace

TEST_CASE("the newest receive is let go of first") {
  using reduction = tutti::detail::no_reduction<int>;
  using executor = tutti::detail::posted_executor<late_peers, on::all_gather_v, tutti::whole,
                                                  tutti::detail::ring_all_gather, reduction>;
  late_peers comm;
  std::vector<int> in(50), out(150);
  {
    tutti::detail::operands<int> given;
    given.input = in.data();
    given.result = out.data();
    given.agrees = true;
    given.word = in.size();
    given.whole_room = out.size();
    given.table = tutti::detail::pooled_array<tutti::detail::block_entry<int>>(comm.memory_pool(), 5);
    executor one(comm, {}, reduction{}, std::move(given));
    CHECK(one.step() == progress::moved);
    CHECK(comm.receives > 1);  // of one peer, each shorter than the one before
  }
  CHECK(comm.met > 0);
  CHECK(comm.too_long == 0);
}
