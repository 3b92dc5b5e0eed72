// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of Boost.MPI that uses tutti too: communicators, operators, serialised classes. Any number of ranks; the
// exit status says whether all of them were right.
#include <tutti/boost_mpi.hpp>
#include <tutti/object.hpp>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/export.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/shared_ptr.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

int wrong = 0;

void check(bool right, const char* what, int line) {
  if (right) return;
  ++wrong;
  std::fprintf(stderr, "line %d: %s\n", line, what);
}
#define CHECK(...) check(__VA_ARGS__, #__VA_ARGS__, __LINE__)

}  // namespace

// ---- classes that know Boost alone ------------------------------------------------------------------------------

namespace fleet {

class ship {
 public:
  ship() = default;
  ship(std::string name, std::vector<int> cargo) : name_(std::move(name)), cargo_(std::move(cargo)) {}
  friend bool operator==(const ship&, const ship&) = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& archive, const unsigned) {
    archive& name_& cargo_;
  }
  std::string name_;
  std::vector<int> cargo_;
};

/// All that it takes for tutti to find it.
template <class Archive>
void tutti_serialize(Archive& archive, ship& value) {
  tutti::boost_mpi::serialize(archive, value);
}

struct shape {
  virtual ~shape() = default;
  virtual int area() const = 0;
  template <class Archive>
  void serialize(Archive&, const unsigned) {}
};
struct square : shape {
  int side = 0;
  int area() const override { return side * side; }
  template <class Archive>
  void serialize(Archive& archive, const unsigned) {
    archive& boost::serialization::base_object<shape>(*this) & side;
  }
};

/// Commutes, but only Boost is told.
struct add_modulo {
  int operator()(int a, int b) const { return (a + b) % 1000; }
};

}  // namespace fleet

BOOST_CLASS_EXPORT(fleet::square)

namespace boost::mpi {
template <>
struct is_commutative<fleet::add_modulo, int> : mpl::true_ {};
}  // namespace boost::mpi

// ---- tests --------------------------------------------------------------------------------------------------------

namespace {

using tutti::boost_mpi::archived, tutti::boost_mpi::op;

template <class Element, class Op>
inline constexpr bool promised = tutti::is_commutative<decltype(op<Element>(std::declval<Op>()))>;

static_assert(!tutti::is_commutative<boost::mpi::maximum<int>> && promised<int, boost::mpi::maximum<int>>);
static_assert(promised<unsigned, boost::mpi::bitwise_and<unsigned>> && promised<double, std::plus<double>>);
static_assert(promised<int, fleet::add_modulo> && !promised<long, fleet::add_modulo>);
static_assert(!promised<int, std::minus<int>>);
static_assert(std::is_same_v<decltype(op<int>(tutti::sum{})), tutti::sum>);
static_assert(tutti::serialisable<fleet::ship> && tutti::serialisable<archived<std::map<int, fleet::ship>>>);

/// Each library's messages find their own, on the same communicator and on a part of it.
void communicators(const boost::mpi::communicator& world) {
  tutti::mpi::communicator comm(world);
  CHECK(comm.rank() == world.rank() && comm.size() == world.size());

  int before = -1, sum = 0;
  const int next = (world.rank() + 1) % world.size(), previous = (world.rank() + world.size() - 1) % world.size();
  auto pending = world.irecv(boost::mpi::any_source, boost::mpi::any_tag, before);
  int x[] = {world.rank() + 1};
  tutti::all_reduce(comm, x, tutti::sum{});
  boost::mpi::all_reduce(world, world.rank() + 1, sum, std::plus<int>());
  CHECK(x[0] == sum && sum == world.size() * (world.size() + 1) / 2);
  world.send(next, 0, world.rank());
  pending.wait();
  CHECK(before == previous);

  const boost::mpi::communicator part = world.split(world.rank() % 2);
  tutti::mpi::communicator half(part);
  int ones[] = {1};
  tutti::all_reduce(half, ones, tutti::sum{});
  CHECK(ones[0] == part.size());
}

void operators(tutti::mpi::communicator& comm) {
  const int last = comm.size() - 1;
  std::vector<int> x(10, comm.rank()), y(10, 900 + comm.rank());
  tutti::all_reduce<tutti::ring>(comm, x, op<int>(boost::mpi::maximum<int>{}));
  tutti::all_reduce<tutti::ring>(comm, y, op<int>(fleet::add_modulo{}));
  CHECK(x == std::vector<int>(10, last));
  CHECK(y == std::vector<int>(10, (900 * comm.size() + last * comm.size() / 2) % 1000));
}

void objects(tutti::mpi::communicator& comm) {
  const auto of = [](int rank) {
    return fleet::ship("ship " + std::to_string(rank), std::vector<int>(std::size_t(rank) * 100, rank));
  };
  const int last = comm.size() - 1;
  fleet::ship one = of(comm.rank());
  tutti::broadcast_object(comm, one, last);
  CHECK(one == of(last));

  const auto all = tutti::all_gather_object(comm, archived{std::map<int, fleet::ship>{{comm.rank(), of(comm.rank())}}});
  for (int rank = 0; rank <= last; ++rank) CHECK(all[std::size_t(rank)].value.at(rank) == of(rank));

  // A derived class behind a pointer to its base, twice the same.
  auto mine = std::make_shared<fleet::square>();
  mine->side = comm.rank() + 1;
  using shapes = std::vector<std::shared_ptr<fleet::shape>>;
  const auto gathered = tutti::gather_object(comm, archived<shapes>{{mine, mine}}, 0);
  CHECK(gathered.size() == (comm.rank() == 0 ? std::size_t(comm.size()) : 0));
  int side = 0;
  for (const auto& [pair] : gathered) {
    ++side;
    CHECK(pair.size() == 2 && pair[0] == pair[1] && pair[0]->area() == side * side);
  }
}

template <class Type>
bool is_refused(const tutti::packed& bytes) {
  try {
    tutti::unpack<Type>(bytes);
  } catch (const tutti::error& refusal) {
    return refusal.code() == tutti::errc::bad_argument;
  }
  return false;
}

void malformed() {
  const fleet::ship whole("whole", {1, 2, 3});
  const tutti::packed bytes = tutti::pack(whole);
  CHECK(tutti::unpack<fleet::ship>(bytes) == whole);
  tutti::packed part, longer, cut;
  part.append(bytes.data(), bytes.size() - 1);  // shorter than its length says
  CHECK(is_refused<fleet::ship>(part));
  const unsigned long long more = bytes.size() - sizeof more + 1, less = more - 5;
  longer.append(&more, sizeof more);
  longer.append(bytes.data() + sizeof more, bytes.size() - sizeof more);
  longer.append("", 1);  // more than the archive takes
  CHECK(is_refused<fleet::ship>(longer));
  cut.append(&less, sizeof less);
  cut.append(bytes.data() + sizeof less, less);  // less than the archive takes
  CHECK(is_refused<fleet::ship>(cut));
}

}  // namespace

int main() {
  const boost::mpi::environment environment(boost::mpi::threading::serialized);
  const boost::mpi::communicator world;
  communicators(world);
  {
    tutti::mpi::communicator comm(world);
    operators(comm);
    objects(comm);
  }
  malformed();
  const int all = boost::mpi::all_reduce(world, wrong, std::plus<int>());
  if (world.rank() == 0) std::printf("%d ranks, %d wrong\n", world.size(), all);
  return all == 0 ? 0 : 1;
}
