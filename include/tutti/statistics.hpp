// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Operators whose results are statistics. Not part of tutti.hpp: they need <cmath>.

#include <tutti/op/statistics.hpp>
