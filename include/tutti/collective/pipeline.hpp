// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_gather.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/collective/reduce_scatter.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/engine/execute.hpp>

#include <concepts>
#include <utility>

namespace tutti {
/// reduce_scatter(op) | transform(f) | all_gather(): every rank changes only its own shard, all get the whole.
///   step(comm, gradients, parameters)   f(parameter&, gradient) on the shard; parameters come back whole
///   step(comm, values)                  f(value&) on the shard, in place
/// gradients and parameters have the same length on all ranks; gradients is only read in the first form.
/// On a stream all three are one kernel, and f is called there: a functor with TUTTI_FUN or a __host__ __device__
/// lambda.
template <class Op, class Function, class Algorithm = automatic, class Chunking = default_chunking>
class pipeline {
 public:
  pipeline(Op op, Function function, Algorithm algorithm = {})
      : op_(std::move(op)), function_(std::move(function)), algorithm_(algorithm) {}

  template <class Communicator, contiguous_range In, contiguous_range Out>
  void operator()(Communicator& comm, In&& in, Out&& out) {
    constexpr bool fits = std::invocable<Function&, element_of<Out>&, const element_of<In>&>;
    static_assert(fits,
                  "tutti: transform(f) needs f(parameter&, const value&) when the pipeline is called with two ranges");
    if constexpr (detail::can_read<Communicator, In>() && detail::can_write<Communicator, Out>() && fits) {
      const auto from = detail::read_view(in);
      const auto to = detail::write_view(out);
      detail::expect_length(comm, "reduce_scatter | transform | all_gather", "out", to.count, from.count);
      detail::expect_apart(comm, "reduce_scatter | transform | all_gather", from, to);
      if constexpr (stream_transport<Communicator>) {
        on_stream<true>(comm, from, to);
      } else {
        const auto reduced = reduce_scatter(comm, in, op_, algorithm_, Chunking{});
        const range mine = shard(to.count, comm.size(), comm.rank());
        for (std::size_t i = 0; i < mine.count; ++i) function_(to.data[mine.first + i], reduced[i]);
        all_gather(comm, in_place(out), algorithm_, Chunking{});
      }
    }
  }

  template <class Communicator, contiguous_range In_out>
  void operator()(Communicator& comm, In_out&& in_out) {
    constexpr bool fits = std::invocable<Function&, element_of<In_out>&>;
    static_assert(fits, "tutti: transform(f) needs f(value&) when the pipeline is called with one range");
    if constexpr (detail::can_write<Communicator, In_out>() && fits) {
      const auto data = detail::write_view(in_out);
      if constexpr (stream_transport<Communicator>) {
        on_stream<false>(comm, detail::read_view(in_out), data);
      } else {
        const auto reduced = reduce_scatter(comm, in_out, op_, algorithm_, Chunking{});
        const range mine = shard(data.count, comm.size(), comm.rank());
        for (std::size_t i = 0; i < mine.count; ++i) {
          data.data[mine.first + i] = reduced[i];
          function_(data.data[mine.first + i]);
        }
        all_gather(comm, in_place(in_out), algorithm_, Chunking{});
      }
    }
  }

 private:
  /// One kernel where ranks reach each other's memory and the algorithm is left to tutti or is direct; else three steps
  /// on the stream.
  template <bool With_parameter, class Communicator, class Element, class Parameter>
  void on_stream(Communicator& comm, detail::view<const Element> from, detail::view<Parameter> to) {
    static_assert(std::same_as<Element, Parameter>, "tutti: on a stream values and parameters have the same type");
    static_assert(reduction_op<Op, Element>, "tutti: the operator can't fold this element type");
    if constexpr (std::same_as<Element, Parameter> && reduction_op<Op, Element>) {
      using engine = detail::stream_engine<Communicator>;
      const reduction<Op, Element> bound{op_};
      if constexpr (algorithm_choice<Algorithm> || std::same_as<Algorithm, direct>) {
        static constexpr auto call = detail::signature_of<collective::all_reduce, Element, Op, pipeline>();
        detail::operands<Element> given;
        given.input = from.data;
        given.result = to.data;
        given.count = to.count;
        given.in_place = from.data == to.data;
        given.whole_result = true;
        if (engine::template run_fused<collective::all_reduce, With_parameter>(comm, std::move(given), bound, function_,
                                                                               call))
          return;
      }
      const range mine = shard(to.count, comm.size(), comm.rank());
      const auto room = engine::memory_for(comm, mine.count * sizeof(Element));
      detail::view_range<Element> whole{to.data, to.count};
      const detail::view_range<Element> reduced{reinterpret_cast<Element*>(room.data()), mine.count};
      reduce_scatter(comm, detail::view_range<const Element>{from.data, from.count}, reduced, op_, algorithm_,
                     Chunking{});
      engine::template transform<With_parameter>(comm, bound, function_, reduced.first, to.data + mine.first,
                                                 mine.count);
      all_gather(comm, in_place(whole), algorithm_, Chunking{});
    }
  }

  Op op_;
  Function function_;
  Algorithm algorithm_;

 public:
  static constexpr const char* name = "reduce_scatter | transform | all_gather";
};

namespace detail {

template <class Algorithm, class Chunking, class Op>
struct reducing {
  Op op;
  Algorithm algorithm;
};
template <class Function>
struct transforming {
  Function function;
};
struct gathering {};
template <class Algorithm, class Chunking, class Op, class Function>
struct reducing_and_transforming {
  reducing<Algorithm, Chunking, Op> first;
  Function function;
};

template <class Algorithm, class Chunking, class Op, class Function>
auto operator|(reducing<Algorithm, Chunking, Op> first, transforming<Function> second) {
  return reducing_and_transforming<Algorithm, Chunking, Op, Function>{std::move(first), std::move(second.function)};
}
template <class Algorithm, class Chunking, class Op, class Function>
auto operator|(reducing_and_transforming<Algorithm, Chunking, Op, Function> both, gathering) {
  return pipeline<Op, Function, Algorithm, Chunking>(std::move(both.first.op), std::move(both.function),
                                                     both.first.algorithm);
}

}  // namespace detail

/// The stages of a pipeline; see there. Both halves use the algorithm and chunking given here.
template <class Algorithm = automatic, class Chunking = default_chunking, operator_like Op, call_option... Options>
auto reduce_scatter(Op op, Options... options) {
  const auto algorithm = detail::choose_algorithm<Algorithm>(options...);
  using chunking = decltype(detail::choose_chunking<Chunking>(options...));
  return detail::reducing<std::remove_cv_t<decltype(algorithm)>, chunking, Op>{std::move(op), algorithm};
}
template <class Function>
auto transform(Function function) {
  return detail::transforming<Function>{std::move(function)};
}
inline auto all_gather() { return detail::gathering{}; }

}  // namespace tutti
