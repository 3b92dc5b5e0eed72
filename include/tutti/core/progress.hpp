// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tutti::detail {

/// What one step of an executor achieved. Executors never block: whoever runs them decides how to wait.
enum class progress { waiting, moved, done };

}  // namespace tutti::detail
