// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/op/arithmetic.hpp>
#include <tutti/op/half.hpp>
#include <tutti/op/location.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace perf {

template <class Type>
struct named {
  const char* name;
};

inline constexpr std::tuple every_type{named<float>{"float"},         named<double>{"double"},
                                       named<tutti::float16>{"half"}, named<tutti::bfloat16>{"bf16"},
                                       named<std::int8_t>{"i8"},      named<std::uint8_t>{"u8"},
                                       named<std::int32_t>{"i32"},    named<std::uint32_t>{"u32"},
                                       named<std::int64_t>{"i64"},    named<std::uint64_t>{"u64"}};

inline constexpr std::tuple every_op{named<tutti::sum>{"sum"}, named<tutti::prod>{"prod"},
                                     named<tutti::min>{"min"}, named<tutti::max>{"max"},
                                     named<tutti::avg>{"avg"}, named<tutti::max_loc>{"argmax"}};

/// Each pair of type and operator compiles every algorithm once more, so not all of them are there.
template <class Type, class Op>
inline constexpr bool is_built = std::is_same_v<Op, tutti::sum> || std::is_same_v<Type, float>;
inline constexpr const char* what_is_built = "op sum on every type, and every op on type float";

/// argmax is of values with their places.
template <class Type, class Op>
using element_for = std::conditional_t<std::is_same_v<Op, tutti::max_loc>, tutti::located<Type, std::int32_t>, Type>;

/// Of those pairs, one has every algorithm and every way to call; the others have automatic, in plain calls. What is
/// only moved has no operator, and its bytes count.
template <class Type, class Op>
inline constexpr bool is_built_in_full = std::is_void_v<Op>
                                             ? sizeof(Type) == sizeof(float)
                                             : std::is_same_v<Type, float>&& std::is_same_v<Op, tutti::sum>;
inline constexpr const char* what_is_built_in_full =
    "op sum on type float (where nothing is reduced: on float, i32 and u32)";

/// Over messages alone everything is compiled once more, so there it is less.
template <class Type, class Op>
inline constexpr bool is_built_over_messages =
    std::is_void_v<Op>
        ? sizeof(Type) >= sizeof(float)
        : (std::is_same_v<Type, float> && (std::is_same_v<Op, tutti::sum> || std::is_same_v<Op, tutti::max>)) ||
              std::is_same_v<Op, tutti::max_loc> ||
              (std::is_same_v<Op, tutti::sum> && (std::is_same_v<Type, double> || std::is_same_v<Type, std::int32_t>));
inline constexpr const char* what_is_built_over_messages =
    "op sum on float, double and i32, op max and argmax on float (where nothing is reduced: types of 4 and 8 bytes)";

/// Calls each(name) with a named<...> for all of a list.
template <class List, class Each>
void for_each_of(const List& list, Each&& each) {
  std::apply([&](const auto&... one) { (each(one), ...); }, list);
}

template <class List>
std::vector<const char*> names_of(const List& list) {
  std::vector<const char*> names;
  for_each_of(list, [&](const auto& one) { names.push_back(one.name); });
  return names;
}

/// Calls use(std::type_identity<Type>, std::type_identity<Op>) for the pair of that name; false where it isn't built.
template <class Use>
bool with_reduction(std::string_view type, std::string_view op, Use&& use) {
  bool found = false;
  for_each_of(every_type, [&]<class Type>(named<Type> one) {
    for_each_of(every_op, [&]<class Op>(named<Op> other) {
      if constexpr (is_built<Type, Op>) {
        if (type != one.name || op != other.name) return;
        found = true;
        use(std::type_identity<element_for<Type, Op>>{}, std::type_identity<Op>{});
      }
    });
  });
  return found;
}

inline bool reduction_is_built(std::string_view type, std::string_view op) {
  return with_reduction(type, op, [](auto, auto) {});
}

namespace detail {
template <std::size_t Bytes>
using unsigned_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;
}  // namespace detail

/// Calls use(std::type_identity<Type>): what is only moved is compiled once for each size of an element.
template <class Use>
void with_movement(std::string_view type, Use&& use) {
  for_each_of(every_type, [&]<class Type>(named<Type> one) {
    if (type == one.name) use(std::type_identity<detail::unsigned_of<sizeof(Type)>>{});
  });
}

}  // namespace perf
