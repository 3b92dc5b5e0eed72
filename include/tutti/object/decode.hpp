// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/object/bytes.hpp>
#include <tutti/object/shape.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tutti {

/// Overwrites the object with what encode wrote for this type. Bytes that no such object has, or too few of them,
/// throw errc::bad_argument with the place, what was expected there and what is left; the object is then valid, but
/// holds anything. Memory is asked for as elements arrive, never for a length that the bytes left can't hold.
template <class Type>
void decode_into(byte_reader& in, Type& value);

/// Likewise, a new object: its type needs a default constructor, or travels as its bytes.
template <class Type>
Type decode(byte_reader& in);

namespace detail {

template <class Type>
Type from_bytes(const std::byte* bytes) {
  struct {
    alignas(Type) std::byte raw[sizeof(Type)];
  } copy;
  std::memcpy(copy.raw, bytes, sizeof(Type));
  return __builtin_bit_cast(Type, copy);
}

template <class Type>
void decode_plain(byte_reader& in, Type& value) {
  if constexpr (!std::is_empty_v<Type>) {
    if constexpr (lends_padding<Type>())
      value = from_bytes<Type>(in.read(sizeof(Type), "the value", type_name<Type>()));
    else
      in.read_into(&value, sizeof value, "the value", type_name<Type>());
  }
}

template <class Type>
void decode_custom(byte_reader& in, Type& value) {
  const auto level = in.deeper(type_name<Type>());
  if constexpr (by_member<Type, byte_reader>())
    value.serialize(in);
  else
    tutti_serialize(in, value);
}

/// The counterpart of encode_element.
template <class Type>
Type decode_element(byte_reader& in) {
  const std::size_t start = in.position();
  Type value = tutti::decode<Type>(in);
  if (in.position() == start) in.read_case(1, "the empty value", type_name<Type>());
  return value;
}

template <class Type>
void decode_sequence(byte_reader& in, Type& values) {
  using element = typename Type::value_type;
  if constexpr (plain_block<Type>) {
    const std::size_t count = in.read_count(sizeof(element), type_name<Type>());
    values.resize(static_cast<decltype(values.size())>(count));
    in.read_into(values.data(), count * sizeof(element), "the elements", type_name<Type>());
  } else {
    values.clear();
    for (std::size_t left = in.read_count(1, type_name<Type>()); left != 0; --left)
      values.push_back(decode_element<element>(in));
  }
}

/// Set or map. They were written in their order, so each new element belongs to the end.
template <class Type>
void decode_inserted(byte_reader& in, Type& values) {
  values.clear();
  const std::size_t count = in.read_count(1, type_name<Type>());
  for (std::size_t i = 0; i < count; ++i) {
    auto key = decode_element<std::remove_const_t<typename Type::key_type>>(in);
    if constexpr (map_like<Type>)
      values.insert(values.end(),
                    typename Type::value_type(std::move(key), tutti::decode<typename Type::mapped_type>(in)));
    else
      values.insert(values.end(), std::move(key));
    if (std::size_t(values.size()) != i + 1)
      fail(errc::bad_argument, -1,
           "unpack: at byte %zu: expected another key of a %.*s, but it had that one; %zu are left", in.position(),
           type_name<Type>().shown(), type_name<Type>().begin, in.left());
  }
}

template <class Type>
void decode_array(byte_reader& in, Type& values) {
  if constexpr (is_plain<Type>()) {
    in.read_into(&values, sizeof values, "the elements", type_name<Type>());
  } else {
    for (auto& element : values) tutti::decode_into(in, element);
  }
}

template <class Type>
void decode_optional(byte_reader& in, Type& value) {
  if (in.read_case(2, "the presence", type_name<Type>()) != 0)
    value.emplace(tutti::decode<std::remove_const_t<typename Type::value_type>>(in));
  else
    value.reset();
}

template <class Type, std::size_t... Indices>
void decode_parts(byte_reader& in, Type& value, std::index_sequence<Indices...>) {
  using std::get;
  (..., tutti::decode_into(in, get<Indices>(value)));
}

template <template <class...> class Variant, class... Types, std::size_t... Indices>
void decode_alternative(byte_reader& in, Variant<Types...>& value, std::index_sequence<Indices...>) {
  const std::size_t which = in.read_case(sizeof...(Types), "the alternative", type_name<Variant<Types...>>());
  (void)(... || (which == Indices && (value.template emplace<Indices>(tutti::decode<Types>(in)), true)));
}

}  // namespace detail

template <class Type>
void decode_into(byte_reader& in, Type& value) {
  constexpr auto kind = detail::shape_of<Type>();
  static_assert(!std::is_const_v<Type>,
                "tutti: serialize() is also called to read, so what it hands over can't be const");
  detail::refuse_unsendable<Type>();
  if constexpr (std::is_const_v<Type>) {
  } else if constexpr (kind == detail::shape::custom) {
    detail::decode_custom(in, value);
  } else if constexpr (kind == detail::shape::truth) {
    value = static_cast<Type>(in.read_case(2, "the value", detail::type_name<Type>()) != 0);
  } else if constexpr (kind == detail::shape::plain) {
    detail::decode_plain(in, value);
  } else if constexpr (kind == detail::shape::array) {
    detail::decode_array(in, value);
  } else if constexpr (kind == detail::shape::sequence) {
    detail::decode_sequence(in, value);
  } else if constexpr (kind == detail::shape::set || kind == detail::shape::map) {
    detail::decode_inserted(in, value);
  } else if constexpr (kind == detail::shape::optional) {
    detail::decode_optional(in, value);
  } else if constexpr (kind == detail::shape::tuple) {
    detail::decode_parts(in, value, std::make_index_sequence<std::tuple_size<Type>::value>{});
  } else if constexpr (kind == detail::shape::variant) {
    detail::decode_alternative(in, value, std::make_index_sequence<detail::alternatives<Type>::count>{});
  }
}

template <class Type>
Type decode(byte_reader& in) {
  if constexpr (detail::shape_of<Type>() == detail::shape::plain && !std::is_default_constructible_v<Type>) {
    constexpr std::byte empty[1]{};
    if constexpr (std::is_empty_v<Type>)
      return detail::from_bytes<Type>(empty);
    else
      return detail::from_bytes<Type>(in.read(sizeof(Type), "the value", detail::type_name<Type>()));
  } else {
    static_assert(std::is_default_constructible_v<Type>,
                  "tutti: an object is received into a fresh one, so its type needs a default constructor");
    Type value{};
    tutti::decode_into(in, value);
    return value;
  }
}

template <class... Types>
void byte_reader::operator()(Types&... values) {
  (..., tutti::decode_into(*this, values));
}

}  // namespace tutti
