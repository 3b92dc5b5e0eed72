// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every collective, send and recv as requests.
#include <tutti/collective/async.hpp>
