// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace tutti::detail {

/// Says in what two calls differ: the argument, and both values.
inline void describe_mismatch(const descriptor& mine, const descriptor& theirs, int peer, char* what,
                              std::size_t room) {
  const auto number = [&](const char* name, unsigned long long here, unsigned long long there) {
    std::snprintf(what, room, "%s is %llu here and %llu on rank %d", name, here, there, peer);
  };
  const auto name = [&](const char* kind, const char* here, const char* there) {
    std::snprintf(what, room, "%s is %s here and %s on rank %d", kind, here, there, peer);
  };
  if (std::strcmp(mine.collective, theirs.collective) != 0)
    name("the collective", mine.collective, theirs.collective);
  else if (std::strcmp(mine.type, theirs.type) != 0)
    name("the element type", mine.type, theirs.type);
  else if (mine.element_bytes != theirs.element_bytes)
    number("the element size in bytes", mine.element_bytes, theirs.element_bytes);
  else if (mine.count != theirs.count)
    number("count", mine.count, theirs.count);
  else if (mine.root != theirs.root)
    number("root", static_cast<unsigned long long>(mine.root), static_cast<unsigned long long>(theirs.root));
  else if (std::strcmp(mine.op, theirs.op) != 0)
    name("op", mine.op, theirs.op);
  else if (std::strcmp(mine.algorithm, theirs.algorithm) != 0)
    name("the algorithm", mine.algorithm, theirs.algorithm);
  else if (mine.chunk == theirs.chunk)
    std::snprintf(what, room, "the element type is ...%s here and another one that ends like it on rank %d", mine.type,
                  peer);
  else
    number("the chunk length in elements", mine.chunk, theirs.chunk);
}

}  // namespace tutti::detail
