// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/buffer.hpp>
#include <tutti/object/bytes.hpp>
#include <tutti/object/decode.hpp>
#include <tutti/object/encode.hpp>
#include <tutti/object/shape.hpp>

#include <cstddef>
#include <type_traits>

namespace tutti {

// How a C++ object becomes bytes and comes back on another rank of the same program.
//
// Known by what they offer: arithmetic types and enumerations; strings, vectors, lists and other sequences; sets and
// maps of all kinds; arrays, pairs, tuples, optionals and variants; nested at will. A trivially copyable class travels
// as its bytes, padding included, and nobody looks inside: not for a pointer hidden there, nor whether what arrives is
// one of its values.
//
// A class that isn't among them, or must travel otherwise, says how, for both directions at once:
//
//     struct run {
//       std::string name;
//       std::vector<float> losses;
//       template <class Archive>
//       void serialize(Archive& archive) { archive(name, losses); }
//     };
//
// or, for a class that can't be changed, in that class's namespace
//
//     template <class Archive>
//     void tutti_serialize(Archive& archive, run& value) { archive(value.name, value.losses); }
//
// Archive::reading tells the directions apart; two overloads, for tutti::byte_writer and tutti::byte_reader, also do.
// A derived class needs its own, and gives the archive its base first: archive(static_cast<base&>(*this), more). (An
// inherited serialize() that would leave members behind is refused; a tutti_serialize for the base can't be told from
// one for the derived class.) A member that is declared const can't be overwritten, so not received either.

/// The bytes of one object.
template <class Type>
packed pack(const Type& value) {
  packed bytes;
  byte_writer out(bytes);
  tutti::encode(out, value);
  return bytes;
}

/// Overwrites the object with what pack gave; as decode_into, and bytes that are left over are an error too.
template <class Type, contiguous_range Bytes>
void unpack_into(const Bytes& bytes, Type& value) {
  static_assert(std::is_same_v<element_of<const Bytes>, std::byte>, "tutti: unpack takes a range of std::byte");
  byte_reader in(detail::data_of(bytes), detail::size_of(bytes));
  tutti::decode_into(in, value);
  in.expect_end(detail::type_name<Type>());
}

/// Likewise, a new object: tutti::unpack<Type>(bytes).
template <class Type, contiguous_range Bytes>
Type unpack(const Bytes& bytes) {
  static_assert(std::is_same_v<element_of<const Bytes>, std::byte>, "tutti: unpack takes a range of std::byte");
  byte_reader in(detail::data_of(bytes), detail::size_of(bytes));
  Type value = tutti::decode<Type>(in);
  in.expect_end(detail::type_name<Type>());
  return value;
}

}  // namespace tutti
