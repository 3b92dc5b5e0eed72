// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/algorithm/knomial.hpp>

#include "every_collective.hpp"

static_assert(every_collective_proved<tutti::knomial<>>);
static_assert(every_collective_proved<tutti::knomial<2>>);
static_assert(every_collective_proved<tutti::knomial<3>>);
static_assert(every_collective_proved<tutti::knomial<8>>);
