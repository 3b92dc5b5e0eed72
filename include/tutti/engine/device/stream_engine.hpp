// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/buffer.hpp>
#include <tutti/core/chunking.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/engine/agreement.hpp>
#include <tutti/engine/device/device_fold.hpp>
#include <tutti/engine/device/native_nccl.hpp>
#include <tutti/engine/device/push_kernel.hpp>
#include <tutti/engine/device/push_plan.hpp>
#include <tutti/engine/device/stream_run.hpp>
#include <tutti/engine/device/transform.hpp>
#include <tutti/engine/execute.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/op/commutative.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/op/then.hpp>
#include <tutti/transport/cuda_api.hpp>
#include <tutti/transport/nccl_stream.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::detail {

/// False for a lambda that is made for the host alone, also in an operator that is made of it.
template <class Function>
inline constexpr bool kernels_can_call =
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    __nv_is_extended_host_device_lambda_closure_type(Function) ||
    __nv_is_extended_device_lambda_closure_type(Function) ||
#endif
    !type_name<Function>().contains("lambda");
template <class Op, class Identity>
inline constexpr bool kernels_can_call<commutative_op<Op, Identity>> = kernels_can_call<Op>;
template <class Op, class Function>
inline constexpr bool kernels_can_call<with_epilogue<Op, Function>> = kernels_can_call<Op>&& kernels_can_call<Function>;

/// Calls on a stream. An algorithm that works by loads and stores pushes, where all ranks reach each other's memory and
/// the elements fit into packs; its schedule, which folds in the same order, runs by NCCL's messages elsewhere, and so
/// do all other algorithms.
template <>
struct stream_engine<nccl::stream_communicator> {
  using communicator = nccl::stream_communicator;
  using default_chunks = chunked<4 * MiB>;

  template <class Algorithm, class Chunking, class Collective, class Reduction>
  static void run(communicator& comm, Collective, operands<typename Reduction::element>&& given, const Reduction& op,
                  const call_signature& call) {
    using element = typename Reduction::element;
    expect_callable<typename made_of<Reduction>::op>();
    comm.expect_usable(Collective::name);
    const device_guard here(comm.device(), comm.rank());
    const tutti::place place{comm.rank(), comm.size(), given.root};
    storage<element, typename Reduction::accumulator> where(static_cast<operands<element>&&>(given), place,
                                                            comm.size());
    if (where.given().agrees) agree<Collective>(comm, where);
    expect_device_memory(comm, Collective::name, where.given());
    if (comm.size() == 1) return alone<Collective>(comm, where, op);
    if constexpr (requires { Algorithm::shared(Collective{}); } && can_push<Collective, Reduction>) {
      static constexpr shared_plan plan = Algorithm::shared(Collective{});
      const push_region* region = comm.near();
      if (region != nullptr && push<Collective, plan>(comm, where, op, call, *region, place)) return;
    }
    comm.expect_nccl(Collective::name);
    using schedule_type = decltype(Algorithm::schedule(Collective{}));
    where.cut_into(schedule_type::blocks(comm.size()));
    using chunking = std::conditional_t<std::same_as<Chunking, default_chunking>, default_chunks, Chunking>;
    stream_run<communicator, Collective, chunking, schedule_type, Reduction>(comm, where, op, place).run();
  }

  template <class Collective, class Element, class Op>
  static constexpr bool has_native() {
    if constexpr (Collective::reduces)
      return !Collective::prefix && nccl_type<Element>() != ncclNumTypes && nccl_op<Op>() != ncclNumOps;
    else
      return true;
  }

  /// By NCCL's own collective.
  template <class Collective, class Op, class Reduction>
  static void run_native(communicator& comm, operands<typename Reduction::element>&& given, const Reduction& op) {
    using element = typename Reduction::element;
    comm.expect_usable(Collective::name);
    const device_guard here(comm.device(), comm.rank());
    const tutti::place place{comm.rank(), comm.size(), given.root};
    using memory = storage<element, typename Reduction::accumulator>;
    memory where(static_cast<operands<element>&&>(given), place, comm.size());
    if (where.given().agrees) agree<Collective>(comm, where);
    expect_device_memory(comm, Collective::name, where.given());
    if (comm.size() == 1) return alone<Collective>(comm, where, op);
    comm.expect_nccl(Collective::name);
    const native_nccl<communicator, Collective, memory> library(comm, where, place);
    if constexpr (Collective::reduces)
      library.template reduce<element, Op>();
    else
      library.template move<element>();
  }

  /// reduce_scatter | transform | all_gather in one kernel: who has folded an element changes it and hands it on. False
  /// where that can't be.
  template <class Collective, bool Reads_result, class Reduction, class Function>
  static bool run_fused(communicator& comm, operands<typename Reduction::element>&& given, const Reduction& op,
                        const Function& function, const call_signature& call) {
    using element = typename Reduction::element;
    using finish = transformed<Reduction, Function, Reads_result>;
    if constexpr (can_push<Collective, Reduction>) {
      expect_callable<Function>();
      comm.expect_usable(Collective::name);
      const device_guard here(comm.device(), comm.rank());
      const tutti::place place{comm.rank(), comm.size(), 0};
      const push_region* region = comm.near();
      if (region == nullptr || comm.size() == 1) return false;
      expect_device_memory(comm, Collective::name, given);
      storage<element, typename Reduction::accumulator> where(static_cast<operands<element>&&>(given), place,
                                                              comm.size());
      return push<Collective, direct_all_reduce>(comm, where, finish{op, function}, call, *region, place);
    } else {
      return false;
    }
  }
  /// The same after a reduce_scatter: of one shard.
  template <bool Reads_result, class Reduction, class Function>
  static void transform(communicator& comm, const Reduction& op, const Function& function,
                        const typename Reduction::element* folded, typename Reduction::element* result,
                        std::size_t count) {
    expect_callable<Function>();
    const device_guard here(comm.device(), comm.rank());
    using finish = transformed<Reduction, Function, Reads_result>;
    if (count == 0) return;
    const std::size_t blocks = (count + 511) / 512;
    transform_kernel<<<unsigned(blocks < 1024 ? blocks : 1024), 512, 0, comm.stream()>>>(finish{op, function}, folded,
                                                                                         result, count);
    expect_launched(comm.rank(), "transform_kernel");
  }
  /// Memory of a call, on its stream.
  static stream_memory memory_for(communicator& comm, std::size_t bytes) {
    const device_guard here(comm.device(), comm.rank());
    return stream_memory(bytes, comm.stream(), comm.rank());
  }

  /// A message to a rank, from one, or both at once; -1 for none. To itself it is a copy.
  template <class Element>
  static void send_recv(communicator& comm, const char* call, int to, view<const Element> out, int from,
                        view<Element> in) {
    comm.expect_usable(call);
    const device_guard here(comm.device(), comm.rank());
    if (out.count != 0) expect_on_device(comm, call, "in", out.data);
    if (in.count != 0) expect_on_device(comm, call, "out", in.data);
    comm.expect_nccl(call);
    nccl_group group(comm.rank());
    if (to >= 0 && out.count != 0)
      expect_nccl(ncclSend(out.data, out.count * sizeof(Element), ncclChar, to, comm.native_handle(), comm.stream()),
                  comm.rank(), "ncclSend");
    if (from >= 0 && in.count != 0)
      expect_nccl(ncclRecv(in.data, in.count * sizeof(Element), ncclChar, from, comm.native_handle(), comm.stream()),
                  comm.rank(), "ncclRecv");
    group.end();
  }

  /// The stream goes on when all ranks' streams have come so far.
  static void barrier(communicator& comm) {
    comm.expect_usable("barrier");
    const device_guard here(comm.device(), comm.rank());
    if (comm.size() == 1) return;
    if (const push_region* region = comm.near()) {
      push_call<std::uint32_t> nothing;
      nothing.where = *region;
      nothing.collective = comm.number_of("barrier");
      nothing.print = 1;
      nothing.patience = std::int64_t(comm.timeout() * 1e9);
      launch_push<no_reduction<std::uint32_t>, false, false>(nothing, {}, comm.stream());
    } else {
      comm.expect_nccl("barrier");
      const stream_memory word(sizeof(int), comm.stream(), comm.rank());
      expect_nccl(ncclAllReduce(word.data(), word.data(), 1, ncclInt32, ncclMax, comm.native_handle(), comm.stream()),
                  comm.rank(), "ncclAllReduce");
    }
  }

 private:
  static constexpr shared_plan direct_all_reduce{stages::all, folds::own_block, reads::everywhere};

  template <class Function>
  static constexpr void expect_callable() {
    static_assert(
        kernels_can_call<Function>,
        "tutti: kernels call this lambda, so it must be a [=] __host__ __device__ lambda (nvcc --extended-lambda), "
        "or a functor with TUTTI_FUN");
  }

  template <class Collective, class Reduction>
  static constexpr bool can_push =
      !Collective::reduces ||
      (packing<typename Reduction::element>::fits && std::is_default_constructible_v<typename Reduction::accumulator>);

  /// Ranks tell each other the lengths that each alone knows, on the host.
  template <class Collective, class Storage>
  static void agree(communicator& comm, Storage& where) {
    comm.exchange(where.given().word);
    agreement<Collective, communicator, Storage>(comm, where).settle();
  }

  /// Nothing travels, but the operator still sees the elements.
  template <class Collective, class Storage, class Reduction>
  static void alone(communicator& comm, Storage& where, const Reduction& op) {
    const std::size_t count = where.count(0, false);
    if (count == 0 || contributions<Collective>(0, 1) == 0) return;
    if (Collective::reduces || Collective::per_rank)
      device_loops<Reduction>(op, 1, comm.stream(), 0)
          .store(where.read(form::input, 0, 0), form::input, where.write(form::final, 0, 0), form::final, count);
  }

  /// False where an element is too long for that.
  template <class Collective, shared_plan Plan, class Storage, class Reduction>
  static bool push(communicator& comm, Storage& where, const Reduction& op, const call_signature& call,
                   const push_region& region, tutti::place place) {
    using element = typename Reduction::element;
    using plan_type = push_plan<Collective, Plan, element, Storage>;
    const auto print =
        std::uint32_t(mix(mix(call.hash, std::uint64_t(std::uint32_t(place.root))), where.given().agrees));
    return for_each_push<Collective, Plan, element>(where, place, region, [&](push_call<element>& one, bool spreads) {
      one.print = print;
      one.collective = comm.number_of(Collective::name);
      one.patience = std::int64_t(comm.timeout() * 1e9);
      if constexpr (plan_type::reduces)
        launch_push<Reduction, true, plan_type::hands_on>(one, op, comm.stream());
      else if (multiple_of(sizeof(std::uint32_t), one))
        move(as_words<std::uint32_t>(one), spreads, comm.stream());
      else
        move(as_words<std::uint8_t>(one), spreads, comm.stream());
    });
  }
  template <class Word>
  static void move(const push_call<Word>& call, bool hands_on, cudaStream_t stream) {
    if (hands_on)
      launch_push<no_reduction<Word>, false, true>(call, {}, stream);
    else
      launch_push<no_reduction<Word>, false, false>(call, {}, stream);
  }

  // ---- what a call may be given ---------------------------------------------------------------------------------

  template <class Element>
  static void expect_device_memory(const communicator& comm, const char* collective, const operands<Element>& given) {
    if (given.table.empty()) {
      expect_on_device(comm, collective, "in", given.input);
      if (given.result != given.input) expect_on_device(comm, collective, "out", given.result);
      return;
    }
    for (std::size_t i = 0; i < given.table.size(); ++i) {
      if (given.table[i].sent != 0) expect_on_device(comm, collective, "in", given.table[i].input);
      if (given.table[i].received != 0) expect_on_device(comm, collective, "out", given.table[i].result);
    }
  }
  /// A pointer into memory that the rank's device may use: its own, managed, or of the host and mapped.
  static void expect_on_device(const communicator& comm, const char* collective, const char* argument,
                               const void* data) {
    if (data == nullptr) return;
    cudaPointerAttributes about{};
    expect_cuda(cudaPointerGetAttributes(&about, data), comm.rank(), "cudaPointerGetAttributes");
    if (about.type == cudaMemoryTypeUnregistered)
      fail(errc::bad_argument, comm.rank(),
           "%s on rank %d: %s is memory of the host [%p], expected memory of device %d", collective, comm.rank(),
           argument, data, comm.device());
    if (about.type == cudaMemoryTypeDevice && about.device != comm.device())
      fail(errc::bad_argument, comm.rank(), "%s on rank %d: %s is memory of device %d [%p], expected of device %d",
           collective, comm.rank(), argument, about.device, data, comm.device());
  }
};

}  // namespace tutti::detail
