// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator of one's own over MPI, three ways, call by call in turns: where is the largest value of all ranks, for
// each of n places? By tutti, by an MPI_Op of MPI_Op_create, and by Boost.MPI with the same functor on a class that it
// has to serialise. Start it with mpirun; --bytes N (default 1M), --iters N (default 20).
#include <tutti/mpi.hpp>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct place {
  float value;
  std::int32_t index;
  bool operator==(const place&) const = default;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& value& index;
  }
};

/// The larger value; of equal ones the smaller index.
struct argmax {
  place operator()(const place& a, const place& b) const {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
  }
};

void argmax_for_mpi(void* in, void* in_out, int* length, MPI_Datatype*) {
  const auto* a = static_cast<const place*>(in);
  auto* b = static_cast<place*>(in_out);
  for (int i = 0; i < *length; ++i) b[i] = argmax{}(a[i], b[i]);
}

std::size_t number(std::string_view option, std::string_view text) {
  std::size_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, std::size_t(text.data() + text.size() - end));
  if (wrong != std::errc{} || value == 0 || (unit != "" && unit != "K" && unit != "M"))
    throw std::invalid_argument(std::string(option) + " is a number above 0, not " + std::string(text));
  return value * (unit == "K" ? tutti::KiB : unit == "M" ? tutti::MiB : 1);
}

struct side {
  const char* name;
  std::function<void(const std::vector<place>& in, std::vector<place>& out)> call;
  std::vector<double> times{};
  double median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};

void run(const boost::mpi::communicator& world, std::size_t bytes, std::size_t iterations) {
  tutti::mpi::communicator comm(world);
  const std::size_t count = std::max<std::size_t>(1, bytes / sizeof(place));
  const int rank = comm.rank(), size = comm.size();
  MPI_Datatype type;
  MPI_Type_contiguous(int(sizeof(place)), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(argmax_for_mpi, 1, &op);
  side sides[] = {
      {"tutti", [&](auto& in, auto& out) { tutti::all_reduce(comm, in, out, tutti::commutative(argmax{})); }},
      {"MPI_Op_create",
       [&](auto& in, auto& out) { MPI_Allreduce(in.data(), out.data(), int(count), type, op, world); }},
      {"Boost.MPI, serialised",
       [&](auto& in, auto& out) { boost::mpi::all_reduce(world, in.data(), int(count), out.data(), argmax{}); }},
  };
  std::uint64_t wrong = 0;
  std::vector<place> in(count), out(count);
  for (std::size_t turn = 0; turn < iterations + 2; ++turn) {
    const auto value_of = [turn](std::size_t i, int of) {
      return float((i * 7919 + std::size_t(of) * 104729 + turn * 31) % 1009);
    };
    for (side& one : sides) {
      for (std::size_t i = 0; i < count; ++i) in[i] = {value_of(i, rank), rank};
      std::fill(out.begin(), out.end(), place{-1, -1});
      MPI_Barrier(world);
      const auto begun = std::chrono::steady_clock::now();
      one.call(in, out);
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world);  // the slowest rank's
      if (turn >= 2) one.times.push_back(seconds);
      for (std::size_t i = 0; i < count; ++i) {
        place expected{value_of(i, 0), 0};
        for (int other = 1; other < size; ++other) expected = argmax{}(expected, place{value_of(i, other), other});
        wrong += !(out[i] == expected);
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, world);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  if (rank == 0) {
    std::printf("# argmax of {float, i32}, %zu bytes, %d ranks, median of %zu calls of the slowest rank; wrong: %llu\n",
                count * sizeof(place), size, iterations, static_cast<unsigned long long>(wrong));
    for (side& one : sides)
      std::printf("%-24s %12.1f us   ratio %8.2f\n", one.name, one.median() * 1e6, one.median() / sides[0].median());
  }
  if (wrong != 0) throw std::runtime_error("wrong elements");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::size_t bytes = tutti::MiB, iterations = 20;
    for (int i = 1; i < argc; i += 2) {
      const std::string_view option = argv[i];
      if ((option != "--bytes" && option != "--iters") || i + 1 == argc)
        throw std::invalid_argument("usage: mpirun -n N argmax_versus [--bytes N] [--iters N]");
      (option == "--bytes" ? bytes : iterations) = number(option, argv[i + 1]);
    }
    const boost::mpi::environment environment;
    run(boost::mpi::communicator(), bytes, iterations);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "argmax_versus: %s\n", error.what());
    return 1;
  }
}
