// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/object/bytes.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::detail {

// What types show of themselves, by which they are told apart.

template <class Type, class Archive>
concept has_serialize = requires(Type& value, Archive& archive) {
  value.serialize(archive);
};

template <class Type, class Archive>
concept has_free_serialize = requires(Type& value, Archive& archive) {
  tutti_serialize(archive, value);
};

template <class Type, class Archive>
concept speaks_to = has_serialize<Type, Archive> || has_free_serialize<Type, Archive>;

template <class Owner, class Member>
std::type_identity<Owner> declared_in(Member Owner::*);

/// Members of a derived class may live in the padding at the end of this one, where a copy of sizeof bytes would hit
/// them.
template <class Type>
constexpr bool lends_padding() {
  if constexpr (std::is_scalar_v<Type> || std::is_abstract_v<Type>) {
    return false;
  } else {
    struct behind {
      [[no_unique_address]] Type value;
      char next;
    };
    return sizeof(behind) == sizeof(Type);
  }
}

/// Whether a function that a class got from this base may miss members. An empty base has nothing of its own to
/// look at, so it asks the derived class (CRTP).
template <class Base, class Type>
constexpr bool misses_members() {
  return !std::is_same_v<Base, std::remove_const_t<Type>> && !std::is_empty_v<Base> &&
         (sizeof(Base) != sizeof(Type) || lends_padding<Base>());
}

/// True where serialize is a base's, which knows nothing of what this class adds.
template <class Type>
constexpr bool serializes_base_only() {
  if constexpr (!has_serialize<Type, byte_writer>) {
    return false;  // nothing to call: a serialize of another library, which may be private, isn't touched
  } else if constexpr (requires { declared_in(&Type::template serialize<byte_writer>); }) {
    using owner = typename decltype(declared_in(&Type::template serialize<byte_writer>))::type;
    return misses_members<owner, Type>();
  } else {
    return false;
  }
}

template <class Type, class Archive>
constexpr bool by_member() {
  if constexpr (has_serialize<Type, Archive>)
    return !has_free_serialize<Type, Archive> || !serializes_base_only<Type>();
  else
    return false;
}

template <class Type>
concept array_like = std::is_bounded_array_v<Type> || requires(Type& value) {
  std::tuple_size<Type>::value;
  { value.data() } -> std::same_as<typename Type::value_type*>;
};

template <class Type>
concept tuple_like = requires {
  std::tuple_size<Type>::value;
};

template <class Type>
concept optional_like = requires(Type& value) {
  typename Type::value_type;
  { value.has_value() } -> std::same_as<bool>;
  *value;
  value.emplace(std::declval<typename Type::value_type>());
  value.reset();
};

template <class Type>
struct alternatives {
  static constexpr std::size_t count = 0;
};
template <template <class...> class Variant, class... Types>
  requires requires(const Variant<Types...>& value) {
    { value.index() } -> std::same_as<std::size_t>;
    { value.valueless_by_exception() } -> std::same_as<bool>;
  }
struct alternatives<Variant<Types...>> {
  static constexpr std::size_t count = sizeof...(Types);
};

/// Its elements can be walked through and counted. (Eigen's matrices have a begin() too; it is void.)
template <class Type>
concept counted = requires(const Type& value) {
  typename Type::value_type;
  std::size_t(value.size());
  *value.begin();
  value.end();
};

template <class Type>
concept map_like = counted<Type> && requires(Type& value, typename Type::value_type element) {
  typename Type::key_type;
  typename Type::mapped_type;
  value.clear();
  value.insert(value.end(), std::move(element));
};

template <class Type>
concept set_like = counted<Type> && !map_like<Type> && requires(Type & value, typename Type::value_type element) {
  typename Type::key_type;
  value.clear();
  value.insert(value.end(), std::move(element));
};

template <class Type>
concept appendable = counted<Type> && requires(Type& value, typename Type::value_type element) {
  value.clear();
  value.push_back(std::move(element));
};

template <class Type>
concept resizable_block = counted<Type> && requires(Type& value) {
  { value.data() } -> std::same_as<typename Type::value_type*>;
  value.resize(value.size());
};

template <class Type>
concept sequence_like = !map_like<Type> && !set_like<Type> && (appendable<Type> || resizable_block<Type>);

template <class Type>
concept sized = requires(const Type& value) {
  value.size();
};

template <class Type>
concept has_begin = requires(const Type& value) {
  value.begin();
};

template <class Type>
concept has_data = requires(const Type& value) {
  value.data();
};

/// Looks at what it doesn't own: string_view, span, initializer_list. Owners on the heap aren't trivially
/// copyable.
template <class Type>
concept view_like =
    std::is_trivially_copyable_v<Type> && !tuple_like<Type> && sized<Type> && (has_begin<Type> || has_data<Type>);

template <class Type>
concept dereferenced = requires(Type& value) {
  *value;
};

template <class Type>
concept reference_like = requires(Type& value) {
  { value.get() } -> std::same_as<typename Type::type&>;
};

template <class Type>
concept iterator_like = std::is_trivially_copyable_v<Type> && dereferenced<Type> && !optional_like<Type>;

/// Iterators and reference_wrapper are pointers in disguise.
template <class Type>
concept pointer_like = std::is_pointer_v<Type> || std::is_member_pointer_v<Type> || std::is_null_pointer_v<Type> ||
    reference_like<Type> || iterator_like<Type>;

}  // namespace tutti::detail
