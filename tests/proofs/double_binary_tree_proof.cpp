// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/algorithm/double_binary_tree.hpp>

#include "every_collective.hpp"

static_assert(every_collective_proved<tutti::double_binary_tree>);
