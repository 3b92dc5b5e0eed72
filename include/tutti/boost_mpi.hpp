// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What programs that use Boost.MPI bring along: their communicators, their operators, their serialised classes. Needs
// MPI, Boost.MPI and Boost.Serialization; link tutti::boost_mpi.
//
// A communicator needs no help, it converts to MPI_Comm; neither duplicates the other's messages or ends the other's:
//
//     boost::mpi::environment environment(boost::mpi::threading::serialized);
//     boost::mpi::communicator world;
//     tutti::mpi::communicator comm(world);

#include <tutti/mpi.hpp>
#include <tutti/object.hpp>

#include <boost/archive/archive_exception.hpp>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/operations.hpp>

#include <cstddef>
#include <streambuf>
#include <utility>

namespace tutti::boost_mpi {

/// The operator for elements of this type, with the promise that it commutes where Boost.MPI has it: by
/// boost::mpi::is_commutative, or as one that is_mpi_op says is MPI's own (Boost.MPI doesn't ask the first about
/// those). tutti::all_reduce(comm, x, tutti::boost_mpi::op<T>(boost::mpi::maximum<T>{})).
template <class Element, class Op>
constexpr auto op(Op f) {
  constexpr bool commutes = boost::mpi::is_commutative<Op, Element>::value || boost::mpi::is_mpi_op<Op, Element>::value;
  if constexpr (commutes && !tutti::is_commutative<Op>)
    return tutti::commutative(std::move(f));
  else
    return f;
}

namespace detail {

/// Where an archive writes: the end of a packed.
class sink final : public std::streambuf {
 public:
  explicit sink(packed& out) : out_(out) {}

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    out_.append(bytes, std::size_t(count));
    return count;
  }
  int_type overflow(int_type one) override {
    const char byte = traits_type::to_char_type(one);
    if (!traits_type::eq_int_type(one, traits_type::eof())) out_.append(&byte, 1);
    return traits_type::not_eof(one);
  }

  packed& out_;
};

/// Where an archive reads: so many bytes, and never behind them.
class source final : public std::streambuf {
 public:
  source(const std::byte* bytes, std::size_t count) {
    char* const first = const_cast<char*>(reinterpret_cast<const char*>(bytes));  // only read
    setg(first, first, first + count);
  }
  std::size_t left() const { return std::size_t(egptr() - gptr()); }
};

/// Both ends are the same program: it needs no header, and no locale.
inline constexpr unsigned archive_flags = boost::archive::no_header | boost::archive::no_codecvt;

}  // namespace detail

/// A value through its Boost serialize(archive, version), member or free, with all that Boost.Serialization knows:
/// pointers, bases, exported derived classes. For a class of one's own that tutti shall find, in its namespace:
///
///     template <class Archive>
///     void tutti_serialize(Archive& archive, gps& value) { tutti::boost_mpi::serialize(archive, value); }
///
/// Bytes that are no such value throw errc::bad_argument as far as Boost's archive sees it: what counts inside them it
/// believes.
template <class Type>
void serialize(byte_writer& out, const Type& value) {
  packed bytes;
  detail::sink to(bytes);
  {
    boost::archive::binary_oarchive archive(to, detail::archive_flags);
    archive << value;
  }
  const unsigned long long count = bytes.size();  // the archive doesn't say where it ends
  out.write(&count, sizeof count);
  out.write(bytes.data(), bytes.size());
}
template <class Type>
void serialize(byte_reader& in, Type& value) {
  constexpr auto type = tutti::detail::type_name<Type>();
  const std::size_t count = in.read_count(1, type);
  detail::source from(in.read(count, "the archive", type), count);
  try {
    boost::archive::binary_iarchive archive(from, detail::archive_flags);
    archive >> value;
  } catch (const boost::archive::archive_exception& wrong) {
    tutti::detail::fail(errc::bad_argument, -1, "unpack: at byte %zu: the archive of a %.*s: %s", in.position(),
                        type.shown(), type.begin, wrong.what());
  }
  if (from.left() != 0)
    tutti::detail::fail(errc::bad_argument, -1, "unpack: at byte %zu: %zu bytes behind the archive of a %.*s",
                        in.position(), from.left(), type.shown(), type.begin);
}

/// The same for any type, wherever it is declared: tutti::all_gather_object(comm, archived<T>{value}).
template <class Type>
struct archived {
  Type value{};

  void serialize(byte_writer& out) const { boost_mpi::serialize(out, value); }
  void serialize(byte_reader& in) { boost_mpi::serialize(in, value); }
};

template <class Type>
archived(Type) -> archived<Type>;

}  // namespace tutti::boost_mpi
