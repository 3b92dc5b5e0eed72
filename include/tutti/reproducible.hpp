// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One value from a distributed array, whatever the number of ranks.
#include <tutti/collective/reproducible.hpp>
