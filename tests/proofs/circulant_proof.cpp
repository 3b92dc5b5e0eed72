// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/algorithm/circulant.hpp>

#include "every_collective.hpp"

static_assert(every_collective_proved<tutti::circulant>);
