// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/object/bytes.hpp>
#include <tutti/object/shape.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti {

/// Appends the object's bytes. A serialize() that isn't const is called on a const object all the same (const_cast),
/// because the same function must also read: while it is given a byte_writer it must not change the object.
/// An object that can't be sent (a valueless variant, serialize() nested 1000 deep) throws errc::bad_argument.
template <class Type>
void encode(byte_writer& out, const Type& value);

namespace detail {

template <class Type>
void encode_plain(byte_writer& out, const Type& value) {
  if constexpr (!std::is_empty_v<Type>) {
    if constexpr (lends_padding<Type>()) {
      const Type copy = value;
      out.write(&copy, sizeof copy);
    } else {
      out.write(&value, sizeof value);
    }
  }
}

template <class Type>
void encode_custom(byte_writer& out, const Type& value) {
  const auto level = out.deeper(type_name<Type>());
  if constexpr (by_member<const Type, byte_writer>())
    value.serialize(out);
  else if constexpr (by_member<Type, byte_writer>())
    const_cast<Type&>(value).serialize(out);
  else if constexpr (has_free_serialize<const Type, byte_writer>)
    tutti_serialize(out, value);
  else
    tutti_serialize(out, const_cast<Type&>(value));
}

/// An element takes a byte at least, so that a length says something about the bytes that must follow.
template <class Type>
void encode_element(byte_writer& out, const Type& value) {
  const std::size_t start = out.position();
  tutti::encode(out, value);
  const std::byte nothing{0};
  if (out.position() == start) out.write(&nothing, 1);
}

template <class Type>
void encode_count(byte_writer& out, const Type& value) {
  const unsigned long long count = value.size();
  out.write(&count, sizeof count);
}

template <class Type>
void encode_sequence(byte_writer& out, const Type& values) {
  encode_count(out, values);
  if constexpr (plain_block<Type>) {
    out.write(values.data(), std::size_t(values.size()) * sizeof(typename Type::value_type));
  } else {
    for (const typename Type::value_type& element : values) encode_element(out, element);
  }
}

/// Set or map: the key comes first, so that it is the part that takes a byte at least.
template <class Type>
void encode_inserted(byte_writer& out, const Type& values) {
  encode_count(out, values);
  for (const auto& element : values) {
    if constexpr (map_like<Type>) {
      const auto& [key, mapped] = element;
      encode_element(out, key);
      tutti::encode(out, mapped);
    } else {
      encode_element(out, element);
    }
  }
}

template <class Type>
void encode_array(byte_writer& out, const Type& values) {
  if constexpr (is_plain<Type>()) {
    out.write(&values, sizeof values);
  } else {
    for (const auto& element : values) tutti::encode(out, element);
  }
}

template <class Type>
void encode_optional(byte_writer& out, const Type& value) {
  const bool there = value.has_value();
  out.write(&there, 1);
  if (there) tutti::encode<typename Type::value_type>(out, *value);
}

template <class Type, std::size_t... Indices>
void encode_parts(byte_writer& out, const Type& value, std::index_sequence<Indices...>) {
  using std::get;
  (..., tutti::encode(out, get<Indices>(value)));
}

template <class Type, std::size_t... Indices>
void encode_alternative(byte_writer& out, const Type& value, std::index_sequence<Indices...>) {
  using std::get;
  static_assert(sizeof...(Indices) <= 256, "tutti: a variant that travels as an object has 256 alternatives at most");
  if (value.valueless_by_exception())
    fail(errc::bad_argument, -1, "pack: a %.*s is valueless", type_name<Type>().shown(), type_name<Type>().begin);
  const auto which = static_cast<unsigned char>(value.index());
  out.write(&which, 1);
  (void)(... || (which == Indices && (tutti::encode(out, get<Indices>(value)), true)));
}

}  // namespace detail

template <class Type>
void encode(byte_writer& out, const Type& value) {
  constexpr auto kind = detail::shape_of<Type>();
  detail::refuse_unsendable<Type>();
  if constexpr (kind == detail::shape::custom) {
    detail::encode_custom(out, value);
  } else if constexpr (kind == detail::shape::truth) {
    const auto bit = static_cast<unsigned char>(value);
    out.write(&bit, 1);
  } else if constexpr (kind == detail::shape::plain) {
    detail::encode_plain(out, value);
  } else if constexpr (kind == detail::shape::array) {
    detail::encode_array(out, value);
  } else if constexpr (kind == detail::shape::sequence) {
    detail::encode_sequence(out, value);
  } else if constexpr (kind == detail::shape::set || kind == detail::shape::map) {
    detail::encode_inserted(out, value);
  } else if constexpr (kind == detail::shape::optional) {
    detail::encode_optional(out, value);
  } else if constexpr (kind == detail::shape::tuple) {
    detail::encode_parts(out, value, std::make_index_sequence<std::tuple_size<Type>::value>{});
  } else if constexpr (kind == detail::shape::variant) {
    detail::encode_alternative(out, value, std::make_index_sequence<detail::alternatives<Type>::count>{});
  }
}

template <class... Types>
void byte_writer::operator()(const Types&... values) {
  (..., tutti::encode(*this, values));
}

}  // namespace tutti
