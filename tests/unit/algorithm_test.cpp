// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// one_of, and the table of what supports what.
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace {

namespace on = tutti::collective;
using comm = tutti::threads::communicator;
using all =
    tutti::one_of<tutti::automatic, tutti::ring, tutti::tree, tutti::aggregator, tutti::direct, tutti::one_phase>;

struct only_broadcasts {
  static constexpr const char* name = "only_broadcasts";
  static constexpr bool rank_order = true;
  static constexpr auto schedule(on::broadcast) { return tutti::tree::schedule(on::broadcast{}); }
};
struct no_sum {};
struct keeps_order {
  int operator()(int a, int) const { return a; }
};

template <class Algorithm, class Op>
constexpr bool reduces =
    tutti::supports<comm, Algorithm, on::all_reduce, int, Op>&& tutti::supports<comm, Algorithm, on::reduce, int, Op>&&
        tutti::supports<comm, Algorithm, on::reduce_scatter, int, Op>;
/// reduce, all_reduce and broadcast, in rank order.
template <class Algorithm>
constexpr bool folds_to_one_and_all =
    tutti::supports<comm, Algorithm, on::all_reduce, int, keeps_order>&& tutti::supports<
        comm, Algorithm, on::reduce, int, keeps_order>&& tutti::supports<comm, Algorithm, on::broadcast, no_sum>;
template <class Algorithm>
constexpr bool moves =
    tutti::supports<comm, Algorithm, on::broadcast, no_sum>&& tutti::supports<comm, Algorithm, on::all_gather, no_sum>;

}  // namespace

static_assert(tutti::communicator_like<comm> && tutti::message_transport<comm> && tutti::load_store_transport<comm>);
static_assert(tutti::load_store_transport<tutti::shm::communicator>);
static_assert(tutti::algorithm<tutti::ring> && tutti::algorithm<only_broadcasts> &&
              tutti::algorithm_choice<tutti::automatic>);
static_assert(!tutti::algorithm<tutti::automatic> && !tutti::algorithm<tutti::sum> &&
              !tutti::algorithm_choice<tutti::ring>);

static_assert(reduces<tutti::ring, tutti::sum> && reduces<tutti::ring, std::plus<>>);
static_assert(!tutti::supports<comm, tutti::ring, on::all_reduce, int, keeps_order>);
static_assert(!tutti::supports<comm, tutti::ring, on::reduce, int, keeps_order>);
static_assert(reduces<tutti::tree, keeps_order> && reduces<tutti::aggregator, keeps_order>);
static_assert(reduces<tutti::direct, keeps_order> && reduces<tutti::one_phase, keeps_order>);
static_assert(moves<tutti::ring> && moves<tutti::tree> && moves<tutti::aggregator> && moves<tutti::direct> &&
              moves<tutti::one_phase>);
static_assert(!tutti::supports<comm, tutti::tree, on::all_reduce, no_sum, tutti::sum>);
static_assert(folds_to_one_and_all<tutti::knomial<>> && folds_to_one_and_all<tutti::knomial<7>> &&
              folds_to_one_and_all<tutti::chain> && folds_to_one_and_all<tutti::double_binary_tree>);
static_assert(!tutti::supports<comm, tutti::chain, on::reduce_scatter, int, tutti::sum> &&
              !tutti::supports<comm, tutti::knomial<>, on::all_gather, int>);
static_assert(tutti::supports<comm, tutti::scatter_all_gather, on::broadcast, no_sum> &&
              !tutti::supports<comm, tutti::scatter_all_gather, on::all_gather, no_sum>);
static_assert(tutti::supports<comm, tutti::bruck, on::all_gather, no_sum> &&
              !tutti::supports<comm, tutti::bruck, on::broadcast, no_sum>);
static_assert(moves<tutti::ring> && !tutti::supports<comm, only_broadcasts, on::all_gather, int>);
static_assert(tutti::supports<comm, only_broadcasts, on::broadcast, int>);
static_assert(!tutti::supports<int, tutti::ring, on::broadcast, int>);
static_assert(!tutti::supports<comm, int, on::broadcast, int>);

TEST_CASE("one_of knows its names, in order") {
  std::string joined;
  for (const char* name : all::names) joined += std::string(name) + " ";
  CHECK(joined == "automatic ring tree aggregator direct one_phase ");
  CHECK(all::count == 6);
  CHECK(std::string(all{}.name()) == "automatic");
  CHECK(std::string(all::named("one_phase").name()) == "one_phase");
  std::string visited;
  all::for_each([&visited](auto algorithm) { visited += std::string(decltype(algorithm)::name) + " "; });
  CHECK(visited == joined);
}

TEST_CASE("knomial has its number in its name") {
  CHECK(std::string(tutti::knomial<>::name) == "knomial<4>");
  CHECK(std::string(tutti::knomial<2>::name) == "knomial<2>");
  CHECK(std::string(tutti::knomial<10>::name) == "knomial<10>");
  CHECK(std::string(tutti::knomial<1024>::name) == "knomial<1024>");
  CHECK(std::string(tutti::every_algorithm::named("knomial<4>").name()) == "knomial<4>");
}

TEST_CASE("a name that isn't there is an error that lists those that are") {
  for (const char* wrong : {"rings", "rin", "", "Ring", "ring "}) {
    std::string text;
    try {
      all::named(wrong);
    } catch (const tutti::error& refused) {
      CHECK(refused.code() == tutti::errc::bad_argument);
      text = refused.what();
    }
    CHECK(text == "tutti: there is no algorithm \"" + std::string(wrong) +
                      "\"; there are automatic, ring, tree, aggregator, direct, one_phase");
  }
}

TEST_CASE("one_of refuses at run time what its choice doesn't serve") {
  using some = tutti::one_of<tutti::ring, only_broadcasts, tutti::tree>;
  tutti::threads::launch(2, [](comm& world) {
    int data[] = {world.rank() + 1};
    std::string text;
    try {
      tutti::all_reduce(world, data, tutti::sum{}, some::named("only_broadcasts"));
    } catch (const tutti::error& refused) {
      text = refused.what();
    }
    if (text.find("all_reduce") == std::string::npos || text.find("only_broadcasts") == std::string::npos)
      throw std::runtime_error("text: " + text);
    tutti::broadcast(world, data, 1, some::named("only_broadcasts"));
    if (data[0] != 2) throw std::runtime_error("broadcast by name");
  });
}
