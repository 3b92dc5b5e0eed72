// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Proofs of schedules, while compiling or at run time: tutti::verify and tutti::check_schedule.

#include <tutti/schedule/verify.hpp>
