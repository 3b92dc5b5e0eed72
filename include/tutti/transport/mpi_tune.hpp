// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/message_model.hpp>
#include <tutti/transport/mpi_api.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::detail {

/// Measures what a message costs between rank 0 and another one, which both call it: the median of many round trips of
/// a short one and of a long one, and of folds.
class message_tuning {
 public:
  message_tuning(MPI_Comm comm, int other) : comm_(comm), other_(other) { MPI_Comm_rank(comm_, &rank_); }

  message_model measure() {
    std::vector<float> data(long_bytes / sizeof(float), 1), sum(data.size(), 0);
    const double latency = round_trip(data, sizeof(float), 500) / 2;
    const double slow = round_trip(data, long_bytes, 30) / 2;
    const double fold = median_of(30, [&] {
      for (std::size_t i = 0; i < data.size(); ++i) sum[i] += data[i];
      data[0] = sum[1] > 0 ? 1.0F : 2.0F;  // it is used
    });
    return {latency, std::max(0.0, slow - latency) / double(long_bytes), fold / double(long_bytes)};
  }

 private:
  static constexpr std::size_t long_bytes = std::size_t(1) << 20;

  template <class Action>
  static double median_of(std::size_t times, Action&& action) {
    std::vector<double> all;
    action();
    for (std::size_t i = 0; i < times; ++i) {
      const std::int64_t begun = now_ns();
      action();
      all.push_back(double(now_ns() - begun) * 1e-9);
    }
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(times / 2), all.end());
    return all[times / 2];
  }
  double round_trip(std::vector<float>& data, std::size_t bytes, std::size_t times) const {
    return median_of(times, [&] {
      if (rank_ == 0) send(data, bytes);
      expect_mpi(MPI_Recv(data.data(), int(bytes), MPI_BYTE, peer(), 0, comm_, MPI_STATUS_IGNORE), rank_, "MPI_Recv");
      if (rank_ != 0) send(data, bytes);
    });
  }
  void send(const std::vector<float>& data, std::size_t bytes) const {
    expect_mpi(MPI_Send(data.data(), int(bytes), MPI_BYTE, peer(), 0, comm_), rank_, "MPI_Send");
  }
  int peer() const { return rank_ == 0 ? other_ : 0; }

  MPI_Comm comm_;
  int rank_ = 0, other_;
};

/// The model that all ranks go by. Collective. Rank 0's environment counts; what constructors are given must be the
/// same on all ranks. Is it to be measured, then between rank 0 and other.
inline guide agreed_guide(const guide& own, MPI_Comm comm, int other, const message_model& usual) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  guide agreed = own;
  expect_mpi(MPI_Bcast(&agreed, int(sizeof agreed), MPI_BYTE, 0, comm), rank, "MPI_Bcast");
  // The ranks that differ say so, and none goes on alone.
  const bool differs =
      (own.said_by_program || agreed.said_by_program) &&
      (own.said_by_program != agreed.said_by_program || own.from != agreed.from || !(own.model == agreed.model));
  int first = differs ? rank : size;
  expect_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm), rank, "MPI_Allreduce");
  if (first < size) {
    guide theirs = own;
    expect_mpi(MPI_Bcast(&theirs, int(sizeof theirs), MPI_BYTE, first, comm), rank, "MPI_Bcast");
    const auto name = [](const guide& one) {
      return one.wants_tuning ? message_model::text{"tutti::tune"} : one.model.to_text();
    };
    fail(errc::mismatch, first, "communicator on rank %d: model is %s (%s) on rank 0 and %s (%s) on rank %d", rank,
         name(agreed).c_str(), agreed.source(), name(theirs).c_str(), theirs.source(), first);
  }
  if (!agreed.wants_tuning) return agreed;
  agreed.wants_tuning = false;
  if (other >= size) {  // a world of one sends no messages
    agreed.from = guide::origin::usual;
    agreed.model = usual;
    return agreed;
  }
  if (rank == 0 || rank == other) agreed.model = message_tuning(comm, other).measure();
  expect_mpi(MPI_Bcast(&agreed, int(sizeof agreed), MPI_BYTE, 0, comm), rank, "MPI_Bcast");
  return agreed;
}

}  // namespace tutti::detail
