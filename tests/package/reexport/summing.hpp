// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <tutti/core/version.hpp>

inline constexpr int tutti_version_of_user = TUTTI_VERSION;

/// The sum of the numbers of this many ranks.
float sum_of_ranks(int ranks);
/// What the library was built with.
int tutti_version_of_library();
