// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/object/bytes.hpp>
#include <tutti/object/signs.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::detail {

/// How a type travels as an object, told by what it offers and not by its name: no header of the standard
/// library's containers is needed, and containers of others are known by the same signs.
enum class shape {
  custom,    // by its own serialize(archive) or tutti_serialize(archive, value)
  truth,     // bool: a byte that must be 0 or 1
  plain,     // its bytes
  array,     // a fixed number of elements
  sequence,  // a length, then elements
  set,       // likewise, inserted
  map,       // likewise, keys and values
  optional,  // is there one? then it
  tuple,     // its parts
  variant,   // which one, then it

  // What can't be sent, and why.
  pointer,
  view,
  one_way,
  enlarged,
  unknown,
};

template <class Type>
constexpr bool enlarges_container() {
  if constexpr (requires { declared_in(&Type::size); }) {
    using owner = typename decltype(declared_in(&Type::size))::type;
    return counted<owner> && misses_members<owner, Type>();
  } else {
    return false;
  }
}

template <class Type>
constexpr shape shape_of();

template <class Type>
struct element {
  using type = typename Type::value_type;
};
template <class Type, std::size_t Count>
struct element<Type[Count]> {
  using type = Type;
};

/// True where the bytes are the value, so that many of them are one copy.
template <class Type>
constexpr bool is_plain() {
  if constexpr (shape_of<Type>() == shape::plain)
    return true;
  else if constexpr (shape_of<Type>() == shape::array)
    return std::is_trivially_copyable_v<Type> && !std::is_empty_v<Type> && is_plain<typename element<Type>::type>();
  else
    return false;
}

template <class Type>
constexpr bool is_truth() {
  if constexpr (std::is_enum_v<Type>)
    return std::is_same_v<std::underlying_type_t<Type>, bool>;
  else
    return std::is_same_v<Type, bool>;
}

template <class Type>
constexpr shape container_shape() {
  if constexpr (enlarges_container<Type>())
    return shape::enlarged;
  else if constexpr (map_like<Type>)
    return shape::map;
  else if constexpr (set_like<Type>)
    return shape::set;
  else if constexpr (appendable<Type>)
    return shape::sequence;
  else
    return is_plain<typename Type::value_type>() ? shape::sequence : shape::unknown;
}

template <class Type>
constexpr shape class_shape() {
  if constexpr (array_like<Type>)
    return shape::array;
  else if constexpr (tuple_like<Type>)
    return shape::tuple;
  else if constexpr (optional_like<Type>)
    return shape::optional;
  else if constexpr (alternatives<Type>::count != 0)
    return shape::variant;
  else if constexpr (view_like<Type>)
    return shape::view;
  else if constexpr (map_like<Type> || set_like<Type> || sequence_like<Type>)
    return container_shape<Type>();
  else if constexpr (std::is_trivially_copyable_v<Type> && std::is_trivially_copy_constructible_v<Type> &&
                     std::is_trivially_copy_assignable_v<Type>)
    return shape::plain;
  else
    return shape::unknown;
}

template <class Type>
constexpr shape shape_of() {
  if constexpr (std::is_volatile_v<Type>)
    return shape::unknown;
  else if constexpr (speaks_to<Type, byte_writer> && speaks_to<Type, byte_reader>)
    return !has_free_serialize<Type, byte_writer> && serializes_base_only<Type>() ? shape::enlarged : shape::custom;
  else if constexpr (speaks_to<Type, byte_writer> || speaks_to<Type, byte_reader>)
    return shape::one_way;
  else if constexpr (std::is_bounded_array_v<Type>)
    return shape::array;
  else if constexpr (pointer_like<Type>)
    return shape::pointer;
  else if constexpr (is_truth<Type>())
    return shape::truth;
  else if constexpr (std::is_arithmetic_v<Type> || std::is_enum_v<Type>)
    return shape::plain;
  else if constexpr (std::is_class_v<Type> || std::is_union_v<Type>)
    return class_shape<Type>();
  else
    return shape::unknown;
}

/// Elements side by side whose bytes are their values.
template <class Type>
concept plain_block = resizable_block<Type> && is_plain<typename Type::value_type>();

/// What can't be sent is refused where it stands, so that the compiler's trace leads there.
template <class Type>
constexpr void refuse_unsendable() {
  constexpr shape kind = shape_of<Type>();
  static_assert(kind != shape::pointer,
                "tutti: this type can't be sent as an object: a pointer means nothing on another rank; send what it "
                "points to");
  static_assert(kind != shape::view,
                "tutti: this type can't be sent as an object: a view doesn't own what it shows; send the container "
                "(std::string, std::vector), or give it tutti_serialize(archive, value)");
  static_assert(kind != shape::one_way,
                "tutti: this type can't be sent as an object: its serialize takes only one of tutti::byte_writer and "
                "tutti::byte_reader");
  static_assert(kind != shape::enlarged,
                "tutti: this type can't be sent as an object: it adds members to a base that knows nothing of them; "
                "give it serialize(archive) or tutti_serialize(archive, value)");
  static_assert(kind != shape::unknown,
                "tutti: this type can't be sent as an object: it isn't trivially copyable and no container, optional, "
                "tuple or variant; give it serialize(archive) or tutti_serialize(archive, value)");
}

/// Whether all that it is made of can be sent too.
template <class Type>
constexpr bool can_be_sent();

template <class Tuple, std::size_t... Indices>
constexpr bool parts_can_be_sent(std::index_sequence<Indices...>) {
  return (... && can_be_sent<std::tuple_element_t<Indices, Tuple>>());
}

template <class Type>
struct alternatives_can_be_sent;
template <template <class...> class Variant, class... Types>
struct alternatives_can_be_sent<Variant<Types...>> {
  static constexpr bool value = (... && can_be_sent<Types>());
};

template <class Type>
constexpr bool can_be_sent() {
  constexpr shape kind = shape_of<Type>();
  if constexpr (kind == shape::custom || kind == shape::truth || kind == shape::plain)
    return true;
  else if constexpr (kind == shape::array || kind == shape::sequence || kind == shape::set || kind == shape::optional)
    return can_be_sent<std::remove_const_t<typename element<Type>::type>>();
  else if constexpr (kind == shape::map)
    return can_be_sent<std::remove_const_t<typename Type::key_type>>() && can_be_sent<typename Type::mapped_type>();
  else if constexpr (kind == shape::tuple)
    return parts_can_be_sent<Type>(std::make_index_sequence<std::tuple_size<Type>::value>{});
  else if constexpr (kind == shape::variant)
    return alternatives_can_be_sent<Type>::value;
  else
    return false;
}

}  // namespace tutti::detail

namespace tutti {

/// What the _object collectives take. What a user's serialize() does inside is not looked at.
template <class Type>
concept serialisable = detail::can_be_sent<std::remove_const_t<Type>>();

}  // namespace tutti
