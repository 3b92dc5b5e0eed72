// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tutti::supports says of streams, and that every header of the device compiles with the others, twice.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tutti/nccl.hpp>
#include <tutti/nccl.hpp>

namespace {

using stream = tutti::nccl::stream_communicator;
namespace collective = tutti::collective;
using tutti::supports;

static_assert(tutti::stream_transport<stream> && !tutti::message_transport<stream>);

// Schedules run on any element that the operator folds.
static_assert(supports<stream, tutti::ring, collective::all_reduce, float, tutti::sum>);
static_assert(supports<stream, tutti::direct, collective::all_reduce, tutti::located<float>, tutti::max_loc>);
static_assert(!supports<stream, tutti::ring, collective::all_reduce, int, tutti::max_loc>);

// NCCL's own, its operators and types alone.
static_assert(supports<stream, tutti::native, collective::all_reduce, float, tutti::avg>);
static_assert(supports<stream, tutti::native, collective::all_reduce, __half, tutti::sum>);
static_assert(supports<stream, tutti::native, collective::reduce_scatter, __nv_bfloat16, tutti::max>);
static_assert(supports<stream, tutti::native, collective::all_to_all, tutti::located<float>>);
static_assert(!supports<stream, tutti::native, collective::all_reduce, tutti::located<float>, tutti::max_loc>);
static_assert(!supports<stream, tutti::native, collective::all_reduce, short, tutti::sum>);
static_assert(!supports<stream, tutti::native, collective::scan, float, tutti::sum>);

// Groups have no streams.
static_assert(
    !supports<stream, tutti::hierarchical<tutti::ring, tutti::ring>, collective::all_reduce, float, tutti::sum>);

// CUDA's 16-bit floats are folded in float.
static_assert(std::is_same_v<tutti::reduction<tutti::sum, __half>::accumulator, float>);
static_assert(std::is_same_v<tutti::reduction<tutti::max, __nv_bfloat16>::accumulator, float>);

}  // namespace
