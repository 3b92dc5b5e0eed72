// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this algorithm doesn't serve this collective
#include <tutti/tutti.hpp>

#include <vector>

struct only_all_reduce {
  static constexpr const char* name = "only_all_reduce";
  static constexpr bool rank_order = true;
  static constexpr auto schedule(tutti::collective::all_reduce call) { return tutti::tree::schedule(call); }
#if defined(TUTTI_MUST_BUILD)
  static constexpr auto schedule(tutti::collective::broadcast call) { return tutti::tree::schedule(call); }
#endif
};

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) {
  tutti::broadcast<only_all_reduce>(comm, data, 0);
}
