// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What automatic goes by over messages: constants, what the program or the environment says, what was measured.
#include "mpi/mpi_world.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace {

using conformance::expect;
using conformance::share_failure;
using tutti::message_model;
using tutti::mpi::communicator;
using origin = tutti::detail::guide::origin;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
/// Runs action on all ranks; returns the first error of any.
template <class Action>
std::string first_error(Action&& action) {
  std::unique_ptr<tutti::error> mine;
  try {
    action();
  } catch (const tutti::error& thrown) {
    mine = std::make_unique<tutti::error>(thrown);
  } catch (const std::exception& thrown) {
    mine = std::make_unique<tutti::error>(tutti::errc::bad_argument, world_rank(), thrown.what());
  }
  try {
    share_failure(mine);
  } catch (const tutti::error& first) {
    return first.what();
  }
  return "";
}
const char* taken(const communicator& comm, std::size_t bytes) { return tutti::explain(comm, bytes).algorithm(); }
void expect_sum(communicator& comm) {
  std::vector<float> data(50000, float(comm.rank() + 1));
  tutti::all_reduce(comm, data, tutti::sum{});
  expect(comm, data[49999] == float(comm.size() * (comm.size() + 1) / 2), "all_reduce");
}

// A message costs much, a byte nothing; and the other way round.
constexpr message_model far_away{1e-3, 0, 0}, narrow{0, 1e-6, 0};
struct slow_network {
  static constexpr message_model model = far_away;
};

}  // namespace

TEST_CASE("model: the transport's constants, the constructor's, the type's") {
  CHECK(first_error([] {
          communicator usual(MPI_COMM_WORLD);
          expect(usual, usual.model() == communicator::usual_model, "constants");
          expect(usual, usual.model_origin().from == origin::usual, "origin of the constants");
          communicator other(MPI_COMM_WORLD, far_away), third(MPI_COMM_WORLD, narrow);
          auto part = other.duplicate();
          for (const communicator* one : {&other, &part})
            expect(*one, one->model() == far_away && one->model_origin().from == origin::given, "what was given");
          if (usual.size() > 1) {
            for (const communicator* one : {&other, &part})
              expect(*one, std::strcmp(taken(*one, 1 << 24), "one_phase") == 0, taken(*one, 1 << 24));
            if (usual.size() > 2) expect(third, std::strcmp(taken(third, 64), "direct") == 0, taken(third, 64));
            expect(usual, std::strcmp(taken(usual, 1 << 24), "direct") == 0, taken(usual, 1 << 24));
            tutti::automatic_by<slow_network>{}.resolve<communicator, tutti::collective::all_reduce, float, tutti::sum>(
                usual, 1 << 22,
                [&](auto algorithm) { expect(usual, std::strcmp(algorithm.name, "one_phase") == 0, algorithm.name); });
          }
          for (communicator* one : {&usual, &other, &part, &third}) expect_sum(*one);
          std::vector<float> data(50000, 1);
          tutti::all_reduce<tutti::automatic_by<slow_network>>(usual, data, tutti::sum{});
          expect(usual, data[7] == float(usual.size()), "automatic_by");
        }) == "");
}

TEST_CASE("model: ranks that are given different ones are told so") {
  const int last = conformance::mpi::most() - 1;
  const auto error = first_error([&] { communicator comm(MPI_COMM_WORLD, world_rank() == last ? narrow : far_away); });
  if (last == 0) {
    CHECK(error == "");
    return;
  }
  CHECK(error.find("model is latency=0.001,byte=0,fold=0 (given to the communicator's constructor) on rank 0 and "
                   "latency=0,byte=1e-06,fold=0 (given to the communicator's constructor) on rank " +
                   std::to_string(last)) != std::string::npos);
  const auto one_tunes = first_error([&] {
    if (world_rank() == last)
      communicator comm(MPI_COMM_WORLD, tutti::tune);
    else
      communicator comm(MPI_COMM_WORLD);
  });
  CHECK(one_tunes.find("on rank 0 and tutti::tune (measured between two ranks) on rank " + std::to_string(last)) !=
        std::string::npos);
}

TEST_CASE("model: measured, the same on all ranks, not with run_to_run, printed and loaded") {
  std::string printed;
  CHECK(first_error([&] {
          communicator comm(MPI_COMM_WORLD, tutti::tune);
          const message_model own = comm.model();
          std::vector<double> all(3 * std::size_t(comm.size()));
          tutti::all_gather(comm, std::vector<double>{own.latency, own.byte, own.fold}, all);
          for (std::size_t i = 0; i < all.size(); ++i)
            expect(comm, all[i] == all[i % 3], "ranks go by different models", int(i));
          expect(comm, own.valid() && own.latency > 0, own.to_text().c_str());
          expect_sum(comm);
          if (comm.size() == 1) return;
          expect(comm, comm.model_origin().from == origin::measured, "origin of what was measured");
          std::vector<float> data(10, 1);
          tutti::all_reduce(comm, data, tutti::sum{}, tutti::run_to_run, tutti::direct{});  // nothing is chosen
          try {
            tutti::all_reduce(comm, data, tutti::sum{}, tutti::run_to_run);
            expect(comm, false, "run_to_run by a measured model was not refused");
          } catch (const tutti::error& refused) {
            const std::string wanted = "all_reduce on rank " + std::to_string(comm.rank()) + ": run_to_run";
            expect(comm, std::string(refused.what()).starts_with(wanted), refused.what());
            expect(comm, std::strstr(refused.what(), own.to_text().c_str()) != nullptr, refused.what());
          }
          printed = own.to_text().c_str();
          communicator again(MPI_COMM_WORLD, message_model::parse(printed.c_str()));
          tutti::all_reduce(again, data, tutti::sum{}, tutti::run_to_run);
          expect(comm, data[3] == float(comm.size() * comm.size()), "run_to_run by a loaded model");
        }) == "");
}

TEST_CASE("model: TUTTI_MODEL of rank 0 counts") {
  CHECK(first_error([] {
          if (world_rank() == 0) setenv("TUTTI_MODEL", "latency=0.25,byte=0,fold=0", 1);
          {
            communicator comm(MPI_COMM_WORLD);
            expect(comm, comm.model() == message_model{0.25, 0, 0}, comm.model().to_text().c_str());
            expect(comm, comm.model_origin().from == origin::environment, "origin of the environment's");
            expect_sum(comm);
          }
          if (world_rank() == 0) setenv("TUTTI_MODEL", "tune", 1);
          {
            communicator comm(MPI_COMM_WORLD);
            expect(comm, (comm.model_origin().from == origin::measured) == (comm.size() > 1), "tuned by environment");
            expect_sum(comm);
          }
          unsetenv("TUTTI_MODEL");
        }) == "");
}
