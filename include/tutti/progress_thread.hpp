// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Requests that move on while their rank computes.
#include <tutti/collective/progress_thread.hpp>
