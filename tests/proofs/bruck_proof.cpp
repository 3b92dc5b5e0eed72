// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/algorithm/bruck.hpp>

#include "every_collective.hpp"

static_assert(every_collective_proved<tutti::bruck>);
