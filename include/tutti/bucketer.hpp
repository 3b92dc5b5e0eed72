// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Many tensors, few calls.
#include <tutti/collective/bucketer.hpp>
