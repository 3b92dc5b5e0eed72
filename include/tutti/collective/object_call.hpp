// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/core/config.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/core/type_name.hpp>
#include <tutti/object/bytes.hpp>
#include <tutti/object/codec.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::detail {

namespace object_call {
struct broadcast {
  static constexpr const char* name = "broadcast_object";
};
struct all_gather {
  static constexpr const char* name = "all_gather_object";
};
struct gather {
  static constexpr const char* name = "gather_object";
};
struct scatter {
  static constexpr const char* name = "scatter_object";
};
struct all_to_all {
  static constexpr const char* name = "all_to_all_object";
};
}  // namespace object_call

/// What a range of objects holds; a bool where that is packed into bits.
template <class Values>
using object_in = std::remove_const_t<typename element<Values>::type>;

// ---- advice ---------------------------------------------------------------------------------------------

template <class Communicator>
constexpr bool can_call_with_objects() {
  constexpr bool runs = !requires { typename Communicator::tutti_recorder; };
  static_assert(runs, "tutti: a call with objects can't be planned: nobody knows their lengths before it runs");
  return can_call<Communicator>() && runs;
}
template <class Communicator, class Type>
constexpr bool can_overwrite_object() {
  static_assert(!std::is_const_v<Type>, "tutti: this object is const, and the root's goes there");
  return can_call_with_objects<Communicator>() && !std::is_const_v<Type>;
}
template <class Communicator, class Type>
constexpr bool can_return_object() {
  static_assert(!std::is_array_v<Type>,
                "tutti: a C array (or string literal) can't be returned; give the call a std::array or std::string");
  return can_call_with_objects<Communicator>() && !std::is_array_v<Type>;
}

// ---- bytes ----------------------------------------------------------------------------------------------

/// What the codec throws doesn't know of the call and the rank.
template <class Communicator, class Action>
auto name_the_call(const Communicator& comm, const char* call, Action&& action) {
#if TUTTI_EXCEPTIONS
  try {
    return action();
  } catch (const error& wrong) {
    fail(wrong.code(), comm.rank(), "%s on rank %d: %s", call, comm.rank(), wrong.what());
  }
#else
  (void)comm;
  (void)call;
  return action();
#endif
}

/// Runs what may throw while the peers are in the same call or will be: they hear of it.
template <class Call, class Communicator, class Action>
void among_peers(Communicator& comm, Action&& action) {
  comm.drive([&] {
    name_the_call(comm, Call::name, action);
    return progress::done;
  });
}

template <class Call, class Communicator, class Write>
void pack_objects(Communicator& comm, Write&& write, packed& bytes) {
  among_peers<Call>(comm, [&] {
    byte_writer out(bytes);
    write(out);
  });
}

/// One object for each rank, one behind the other; returns their lengths.
template <class Call, class Communicator, class Values>
std::vector<std::size_t> pack_one_each(Communicator& comm, const Values& values, packed& bytes) {
  std::vector<std::size_t> lengths;
  comm.drive([&] {
    if (const std::size_t count = length_of(values); count != std::size_t(comm.size()))
      fail(errc::bad_argument, comm.rank(), "%s on rank %d: values has %zu objects, expected one for each of %d ranks",
           Call::name, comm.rank(), count, comm.size());
    return progress::done;
  });
  pack_objects<Call>(
      comm,
      [&](byte_writer& out) {
        for (const object_in<Values>& value : values) {
          const std::size_t before = out.position();
          tutti::encode(out, value);
          lengths.push_back(out.position() - before);
        }
      },
      bytes);
  return lengths;
}

template <class Call, class Communicator, class Read>
void unpack_objects(Communicator& comm, Read&& read) {
  among_peers<Call>(comm, read);
}

template <class Call, class Communicator, class Type>
void unpack_by_rank(Communicator& comm, const packed& whole, const std::vector<std::size_t>& lengths,
                    std::vector<Type>& all) {
  unpack_objects<Call>(comm, [&] {
    const std::byte* begin = whole.data();
    all.reserve(lengths.size());
    for (const std::size_t length : lengths) {
      byte_reader in(begin, length);
      all.push_back(tutti::decode<Type>(in));
      in.expect_end(type_name<Type>());
      begin += length;
    }
  });
}

template <class Call, class Type, class Communicator>
Type unpack_one(Communicator& comm, const packed& bytes) {
  std::optional<Type> value;
  unpack_objects<Call>(comm, [&] { value.emplace(tutti::unpack<Type>(bytes)); });
  return std::move(*value);
}

// ---- lengths --------------------------------------------------------------------------------------------

/// All ranks call the same with objects of one type; returns how many bytes each of them brings.
template <class Call, class Type, class Communicator>
std::vector<std::size_t> agree_on_objects(Communicator& comm, std::size_t bytes, int root) {
  std::vector<std::size_t> lengths;
  lengths.reserve(std::size_t(comm.size()));
  exchange_numbers<Call, Type>(comm, bytes, root, [&](std::size_t length) { lengths.push_back(length); });
  return lengths;
}

inline std::size_t total(const std::vector<std::size_t>& lengths) {
  std::size_t sum = 0;
  for (const std::size_t length : lengths) sum += length;
  return sum;
}

/// A message that only a recv_object of the same type takes.
template <class Type>
parcel parcel_of_object(int peer, int tag) {
  parcel one;
  one.peer = peer;
  one.tag = tag;
  one.element_bytes = sizeof(Type);
  one.type = ~type_name<Type>().hash();  // no message of plain elements has that
  return one;
}

}  // namespace tutti::detail
