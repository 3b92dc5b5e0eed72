// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/engine/device/cuda_half.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/op/arithmetic.hpp>
#include <tutti/op/half.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>
#include <tutti/transport/nccl_api.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::detail {

/// NCCL's name of an element type; ncclNumTypes where it has none.
template <class Element>
constexpr ncclDataType_t nccl_type() {
  if constexpr (std::is_same_v<Element, float>)
    return ncclFloat32;
  else if constexpr (std::is_same_v<Element, double>)
    return ncclFloat64;
  else if constexpr (std::is_same_v<Element, float16> || std::is_same_v<Element, __half>)
    return ncclFloat16;
  else if constexpr (std::is_same_v<Element, bfloat16> || std::is_same_v<Element, __nv_bfloat16>)
    return ncclBfloat16;
  else if constexpr (!std::is_integral_v<Element> || std::is_same_v<Element, bool>)
    return ncclNumTypes;
  else if constexpr (sizeof(Element) == 1)
    return std::is_signed_v<Element> ? ncclInt8 : ncclUint8;
  else if constexpr (sizeof(Element) == 4)
    return std::is_signed_v<Element> ? ncclInt32 : ncclUint32;
  else if constexpr (sizeof(Element) == 8)
    return std::is_signed_v<Element> ? ncclInt64 : ncclUint64;
  else
    return ncclNumTypes;
}

/// NCCL's name of an operator; ncclNumOps where it has none.
template <class Op>
constexpr ncclRedOp_t nccl_op() {
  if constexpr (std::is_same_v<Op, sum>)
    return ncclSum;
  else if constexpr (std::is_same_v<Op, prod>)
    return ncclProd;
  else if constexpr (std::is_same_v<Op, min>)
    return ncclMin;
  else if constexpr (std::is_same_v<Op, max>)
    return ncclMax;
  else if constexpr (std::is_same_v<Op, avg>)
    return ncclAvg;
  else
    return ncclNumOps;
}

/// NCCL's own collectives on a stream. Its operators and types alone; it rounds 16-bit floats at every step, and what
/// it does with NaNs in min and max is its own. Blocks of unequal lengths go as one operation each, in a group.
template <class Communicator, class Collective, class Storage>
class native_nccl {
 public:
  native_nccl(Communicator& comm, const Storage& where, place here)
      : comm_(comm), where_(where), here_(here), nccl_(comm.native_handle()), stream_(comm.stream()) {}

  template <class Element, class Op>
  void reduce() const {
    constexpr ncclDataType_t type = nccl_type<Element>();
    constexpr ncclRedOp_t op = nccl_op<Op>();
    static_assert(!Collective::prefix, "tutti: NCCL has no scan; use another algorithm");
    static_assert(
        type != ncclNumTypes && op != ncclNumOps,
        "tutti: NCCL has sum, prod, min, max and avg of integers of 8, 32 and 64 bits and of floats; use another "
        "algorithm for any other operator or type");
    const auto& given = where_.given();
    if constexpr (std::same_as<Collective, collective::all_reduce>) {
      expect(ncclAllReduce(given.input, given.result, given.count, type, op, nccl_, stream_), "ncclAllReduce");
    } else if constexpr (std::same_as<Collective, collective::reduce>) {
      expect(ncclReduce(given.input, given.result, given.count, type, op, here_.root, nccl_, stream_), "ncclReduce");
    } else if (even()) {
      expect(ncclReduceScatter(given.input, where_.write(form::final, here_.rank, 0), where_.count(here_.rank, true),
                               type, op, nccl_, stream_),
             "ncclReduceScatter");
    } else {
      nccl_group group(here_.rank);
      for (int block = 0; block < here_.size; ++block)
        if (where_.count(block, false) != 0)
          expect(ncclReduce(where_.read(form::input, block, 0),
                            block == here_.rank ? where_.write(form::final, block, 0) : nullptr,
                            where_.count(block, false), type, op, block, nccl_, stream_),
                 "ncclReduce");
      group.end();
    }
  }

  template <class Element>
  void move() const {
    const auto& given = where_.given();
    constexpr std::size_t width = sizeof(Element);
    if constexpr (std::derived_from<Collective, collective::broadcast>) {
      expect(ncclBroadcast(given.input, given.result, given.count * width, ncclChar, here_.root, nccl_, stream_),
             "ncclBroadcast");
    } else if constexpr (std::derived_from<Collective, collective::all_gather>) {
      if (even())
        return expect(ncclAllGather(where_.read(form::input, here_.rank, 0), given.result,
                                    where_.count(here_.rank, false) * width, ncclChar, nccl_, stream_),
                      "ncclAllGather");
      nccl_group group(here_.rank);
      for (int block = 0; block < here_.size; ++block) {
        void* to = where_.write(form::final, block, 0);
        const void* from = block == here_.rank ? where_.read(form::input, block, 0) : to;
        if (where_.count(block, true) != 0)
          expect(ncclBroadcast(from, to, where_.count(block, true) * width, ncclChar, block, nccl_, stream_),
                 "ncclBroadcast");
      }
      group.end();
    } else {
      exchange(width);
    }
  }

 private:
  void expect(ncclResult_t result, const char* call) const { expect_nccl(result, here_.rank, call); }
  bool even() const { return where_.given().table.empty() && where_.given().count % std::size_t(here_.size) == 0; }

  /// gather, scatter, all_to_all: every pair's block as a message, in one group.
  void exchange(std::size_t width) const {
    constexpr bool gathers = std::derived_from<Collective, collective::gather>;
    constexpr bool scatters = std::derived_from<Collective, collective::scatter>;
    nccl_group group(here_.rank);
    for (int peer = 0; peer < here_.size; ++peer) {
      const bool sends = gathers ? peer == here_.root : !scatters || here_.rank == here_.root;
      const bool takes = gathers ? here_.rank == here_.root : !scatters || peer == here_.root;
      const int sent = gathers ? here_.rank : scatters ? peer : here_.wrap(peer - here_.rank);
      const int taken = gathers ? peer : scatters ? here_.rank : here_.wrap(here_.rank - peer);
      if (sends && where_.count(sent, false) != 0)
        expect(ncclSend(where_.read(form::input, sent, 0), where_.count(sent, false) * width, ncclChar, peer, nccl_,
                        stream_),
               "ncclSend");
      if (takes && where_.count(taken, true) != 0)
        expect(ncclRecv(where_.write(form::final, taken, 0), where_.count(taken, true) * width, ncclChar, peer, nccl_,
                        stream_),
               "ncclRecv");
    }
    group.end();
  }

  Communicator& comm_;
  const Storage& where_;
  place here_;
  ncclComm_t nccl_;
  cudaStream_t stream_;
};

}  // namespace tutti::detail
