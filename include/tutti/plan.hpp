// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Calls prepared once and run many times.
#include <tutti/collective/plan.hpp>
