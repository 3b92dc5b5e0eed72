// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/algorithm/recursive_doubling.hpp>

#include "every_collective.hpp"

static_assert(every_collective_proved<tutti::recursive_doubling>);
