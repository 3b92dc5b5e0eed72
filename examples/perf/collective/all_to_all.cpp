// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "all_to_all.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective all_to_all = collective_of<all_to_all_case>();

}  // namespace perf
