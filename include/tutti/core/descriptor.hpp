// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/type_name.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// What a rank calls, in one pair of cache lines. Every rank publishes it on every operation; ranks whose
/// descriptors differ get an error instead of each other's bytes.
struct descriptor {
  std::uint64_t hash = 0;
  std::uint64_t count = 0;
  std::uint64_t chunk = 0;
  std::int32_t root = 0;
  std::uint32_t element_bytes = 0;
  char collective[20] = {};
  char type[24] = {};
  char op[24] = {};
  char algorithm[20] = {};
};
static_assert(sizeof(descriptor) == 120);

constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed = (seed ^ value) * 0x9E3779B97F4A7C15u;
  return seed ^ (seed >> 29);
}

constexpr text literal(const char* name) {
  std::size_t length = 0;
  while (name[length] != 0) ++length;
  return {name, length};
}

/// The name of an operator: its own `name`, "user op" for every lambda (two lambdas have no common name,
/// though ranks may well write the same one twice), else the type's.
template <class Op>
constexpr text op_name() {
  if constexpr (requires { literal(Op::name); })
    return literal(Op::name);
  else if constexpr (type_name<Op>().contains("lambda"))
    return literal("user op");
  else
    return type_name<Op>();
}

/// Long names keep their end: there they differ.
constexpr void copy_name(char* to, std::size_t room, text name) {
  const std::size_t length = name.size < room - 1 ? name.size : room - 1;
  for (std::size_t i = 0; i < length; ++i) to[i] = name.begin[name.size - length + i];
}

/// The part that is known while compiling: the names, in their places.
struct call_signature {
  descriptor names;
  std::uint64_t hash;
};

template <class Collective, class Element, class Op, class Algorithm>
constexpr call_signature signature_of() {
  const text collective = literal(Collective::name), type = type_name<Element>(), op = op_name<Op>(),
             algorithm = literal(Algorithm::name);
  call_signature call{};
  descriptor& d = call.names;
  d.element_bytes = std::uint32_t(sizeof(Element));
  copy_name(d.collective, sizeof d.collective, collective);
  copy_name(d.type, sizeof d.type, type);
  copy_name(d.op, sizeof d.op, op);
  copy_name(d.algorithm, sizeof d.algorithm, algorithm);
  call.hash = mix(mix(mix(mix(sizeof(Element), collective.hash()), type.hash()), op.hash()), algorithm.hash());
  return call;
}

inline descriptor describe(const call_signature& call, std::size_t count, std::size_t element_bytes, std::size_t chunk,
                           int root) {
  descriptor d = call.names;
  d.hash = mix(mix(mix(call.hash, count), chunk), std::uint64_t(std::uint32_t(root))) | 1;
  d.count = count;
  d.chunk = chunk;
  d.root = root;
  d.element_bytes = std::uint32_t(element_bytes);
  return d;
}

}  // namespace tutti::detail
