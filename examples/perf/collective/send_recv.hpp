// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/async.hpp>
#include <tutti/collective/send_recv.hpp>

namespace perf {

/// Every rank sends to the next and receives from the one before.
struct send_recv_case {
  static constexpr const char* name = "send_recv";
  static constexpr bool reduces = false, rooted = false;
  static constexpr placing in_place = placing::never;
  /// bytes is what a rank sends.
  static constexpr double bus_factor(int) { return 1; }
  static constexpr const char* bus_rule = "1";

  static extents lengths(const place& where) { return {where.count, where.count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return input_of<Element, Op>((where.rank == 0 ? where.ranks : where.rank) - 1, index, where.iteration);
  }

  template <class Communicator>
  static int next(const Communicator& comm) {
    return (comm.rank() + 1) % comm.size();
  }
  template <class Communicator>
  static int before(const Communicator& comm) {
    return (comm.rank() == 0 ? comm.size() : comm.rank()) - 1;
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm) {
    tutti::send_recv(comm, next(comm), given.in, before(comm), given.out);
  }
  template <class Element, class Communicator>
  static void issue(Communicator& comm, const operands<Element>& given) {
    auto incoming = tutti::async::recv(comm, before(comm), given.out);
    auto outgoing = tutti::async::send(comm, next(comm), given.in);
    tutti::wait_all(incoming, outgoing);
  }
};

}  // namespace perf
