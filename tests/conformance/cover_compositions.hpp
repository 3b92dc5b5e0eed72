// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Algorithms that are made of others: hierarchical and lanes on every placement, all collectives they serve, every
// root, blocking, as requests and in plans.

#include "world.hpp"

#include <tutti/algorithm/hierarchical.hpp>
#include <tutti/algorithm/lanes.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

/// x -> a x + b modulo a prime: composition is associative, and does not commute.
struct linear_map {
  long a, b;
  friend bool operator==(const linear_map&, const linear_map&) = default;
};
inline linear_map apply_after(linear_map first, linear_map second) {
  return {first.a * second.a % 65521, (second.a * first.b + second.b) % 65521};
}

enum class placing { pairs, cyclic, together, uneven };

template <class Communicator>
class compositions {
 public:
  compositions(Communicator& comm, placing how) : comm_(comm), how_(how), p_(comm.size()), r_(comm.rank()) {
    comm.arrange(how == placing::pairs    ? r_ / 2
                 : how == placing::cyclic ? r_ % 2
                 : how == placing::uneven ? (r_ < 3    ? 0
                                             : r_ == 3 ? 1
                                                       : 2)
                                          : 0);
  }

  template <class Algorithm>
  void folds(const char* name, const std::vector<std::size_t>& counts) {
    name_ = name;
    for (const std::size_t n : counts) {
      std::vector<float> in(n), out(n, -1);
      for (std::size_t i = 0; i < n; ++i) in[i] = float(r_) + float(i % 7);
      const auto check = [&](const char* what, const std::vector<float>& found, auto expected) {
        for (std::size_t i = 0; i < found.size(); ++i)
          if (found[i] != expected(float(i % 7))) wrong(what, n, i);
      };
      const float ranks = float(p_ * (p_ - 1) / 2), p = float(p_);
      const auto total = [&](float more) { return ranks + p * more; };
      const auto mean = [&](float more) { return (ranks + p * more) / p; };
      tutti::all_reduce(comm_, in, out, tutti::sum{}, Algorithm{});
      check("all_reduce", out, total);
      out = in;
      tutti::all_reduce(comm_, out, tutti::avg{}, Algorithm{}, tutti::chunked<256>{});
      check("all_reduce of avg in place", out, mean);
      std::vector<int> whole(n, r_);
      tutti::all_reduce(comm_, whole, tutti::avg{}, Algorithm{});  // accumulators of another type
      for (std::size_t i = 0; i < n; ++i)
        if (whole[i] != p_ * (p_ - 1) / 2 / p_) wrong("all_reduce of avg of int", n, i);
      auto under_way = tutti::async::all_reduce(comm_, in, out, tutti::sum{}, Algorithm{});
      under_way.wait();
      check("async::all_reduce", out, total);
      auto plan = tutti::plan(comm_, [&](auto& comm) { tutti::all_reduce(comm, in, out, tutti::avg{}, Algorithm{}); });
      for (int turn = 0; turn < 3; ++turn) {
        plan.run();
        check("plan", out, mean);
        out.assign(n, -1);
      }
    }
  }

  template <class Algorithm>
  void roots(const std::vector<std::size_t>& counts) {
    for (const std::size_t n : counts)
      for (int root = 0; root < p_; ++root) {
        std::vector<float> data(n, r_ == root ? 7.0f : 0.0f), in(n, float(r_)), out(r_ == root ? n : 0, -1);
        tutti::broadcast(comm_, data, root, Algorithm{});
        for (std::size_t i = 0; i < n; ++i)
          if (data[i] != 7) wrong("broadcast", n, i);
        tutti::reduce(comm_, in, out, tutti::avg{}, root, Algorithm{});
        for (std::size_t i = 0; i < out.size(); ++i)
          if (out[i] != float(p_ - 1) / 2) wrong("reduce", n, i);
        tutti::reduce(comm_, in, tutti::sum{}, root, Algorithm{});
        for (std::size_t i = 0; i < n; ++i)
          if (in[i] != float(r_ == root ? p_ * (p_ - 1) / 2 : r_)) wrong("reduce in place", n, i);
      }
  }

  /// Where the nodes' ranks are neighbours, an operator that does not commute is folded in rank order.
  template <class Algorithm>
  void rank_order(const std::vector<std::size_t>& counts) {
    if (how_ == placing::cyclic && p_ > 2) return;
    for (const std::size_t n : counts) {
      std::vector<linear_map> in(n), out(n);
      for (std::size_t i = 0; i < n; ++i) in[i] = {r_ + 2 + long(i % 5), r_ + 1};
      tutti::all_reduce(comm_, in, out, apply_after, Algorithm{});
      for (std::size_t i = 0; i < n; ++i) {
        linear_map expected{2 + long(i % 5), 1};
        for (int rank = 1; rank < p_; ++rank) expected = apply_after(expected, {rank + 2 + long(i % 5), rank + 1});
        if (out[i] != expected) wrong("all_reduce in rank order", n, i);
      }
    }
  }

 private:
  [[noreturn]] void wrong(const char* what, std::size_t n, std::size_t i) const {
    throw std::runtime_error(std::string(name_) + ": " + what + " is wrong on rank " + std::to_string(r_) + " of " +
                             std::to_string(p_) + ", placing " + std::to_string(int(how_)) + ", n " +
                             std::to_string(n) + ", element " + std::to_string(i));
  }
  Communicator& comm_;
  placing how_;
  int p_, r_;
  const char* name_ = "";
};

/// What automatic_by_levels takes for an all_reduce of 1 MiB.
template <class Communicator>
const char* choice_of_levels(const Communicator& comm) {
  const char* name = "";
  tutti::automatic_by_levels{}.resolve<Communicator, tutti::collective::all_reduce, float, tutti::sum>(
      comm, 256 * 1024, [&]<class Algorithm>(Algorithm) { name = Algorithm::name; });
  return name;
}

template <class Transport>
void levels() {
  const std::vector<std::size_t> counts =
      reduced ? std::vector<std::size_t>{0, 1, 1009} : std::vector<std::size_t>{0, 1, 7, 1009, 70001};
  for (const placing how : {placing::pairs, placing::cyclic, placing::together, placing::uneven})
    in_every_world<Transport>(
        [&](typename Transport::communicator& comm) {
          using near_far = tutti::hierarchical<tutti::direct, tutti::tree>;
          compositions work(comm, how);
          work.template folds<near_far>(near_far::name, counts);
          work.template folds<tutti::hierarchical<tutti::tree, tutti::ring>>("hierarchical<tree, ring>", counts);
          work.template roots<near_far>({0, 1, 1009});
          work.template rank_order<near_far>({1, 1009});
          const bool of_one_size = how == placing::together || (how != placing::uneven && comm.size() % 2 == 0) ||
                                   (how == placing::uneven && comm.size() < 4);
          if (of_one_size) work.template folds<tutti::lanes<tutti::ring>>("lanes<ring>", counts);
          if constexpr (!tutti::routing_transport<typename Transport::communicator> &&
                        Transport::communicator::load_store) {
            using by_levels = tutti::automatic_by_levels;  // the groups are there
            work.template folds<by_levels>(by_levels::name, counts);
            work.template roots<by_levels>({0, 1, 1009});
            work.template rank_order<by_levels>({1, 1009});
            const char* const chosen = choice_of_levels(comm);
            const bool levels = comm.size() > (how == placing::uneven ? 3 : 2) && how != placing::together;
            if ((std::strcmp(chosen, "direct") != 0) != levels)
              throw std::runtime_error(std::string("automatic_by_levels chose ") + chosen);
          }
        },
        9);
}

/// What can't work is refused on all ranks, and says why.
template <class Transport>
void levels_refused() {
  if (!has_room_for<Transport>(4)) return;
  const auto refused = [](auto&& call, const char* text) {
    try {
      Transport::launch(4, call);
      FAIL_CHECK("no error: " << text);
    } catch (const tutti::error& failure) {
      CAPTURE(failure.what());
      CHECK(failure.code() == tutti::errc::bad_argument);
      CHECK(std::string(failure.what()).find(text) != std::string::npos);
    }
  };
  refused(
      [](typename Transport::communicator& comm) {
        comm.arrange(comm.rank() % 2);
        linear_map data[1] = {{1, 2}};
        tutti::all_reduce(comm, data, apply_after, tutti::hierarchical<tutti::direct, tutti::tree>{});
      },
      "hierarchical<direct, tree> can't keep rank order, as the ranks of a node are no neighbours");
  refused(
      [](typename Transport::communicator& comm) {
        comm.arrange(comm.rank() == 3 ? 1 : 0);
        int data[1] = {1};
        tutti::all_reduce(comm, data, tutti::sum{}, tutti::lanes<tutti::ring>{});
      },
      "lanes<ring, direct> needs nodes of one size; the node of rank 0 has 3 ranks, that of rank 3 has 1");
  refused(
      [](typename Transport::communicator& comm) {
        comm.node();
        comm.arrange(0);
      },
      "the groups are in use already");
}

}  // namespace conformance
