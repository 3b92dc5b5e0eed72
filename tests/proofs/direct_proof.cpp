// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/algorithm/direct.hpp>

#include "every_collective.hpp"

static_assert(every_collective_proved<tutti::direct>);
