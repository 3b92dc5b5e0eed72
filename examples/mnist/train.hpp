// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"
#include "digits.hpp"
#include "epochs.hpp"
#include "mlp.hpp"
#include "options.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "sampler.hpp"
#include "stopwatch.hpp"

#include <tutti/bucketer.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mnist {

/// The training of one rank: every rank runs this on its own model and meets the others in the collectives.
template <class Communicator, class Algorithm>
class trainer {
 public:
  trainer(Communicator& comm, const Algorithm& algorithm, const options& chosen, const dataset& sets)
      : comm_(comm),
        algorithm_(algorithm),
        chosen_(chosen),
        sets_(sets),
        sampler_(sets.train.size(), chosen.batch, comm.rank(), comm.size(), chosen.seed),
        batch_(std::max(sampler_.largest_share(), test_batch)),
        model_(model_widths(chosen), std::max(sampler_.largest_share(), test_batch), chosen.seed),
        gradients_(comm, bucket_bytes, tutti::sum{}, algorithm),
        bar_(comm.rank() == 0) {}

  void run() { run_epochs(*this, chosen_, bar_); }

  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

  epoch_result train_epoch(int epoch) {
    stopwatch training, reducing;
    std::array<double, 1> loss = {0.0};
    std::size_t seen = 0;
    training.start();
    sampler_.start_epoch(static_cast<std::uint64_t>(epoch));
    for (std::size_t b = 0; b < sampler_.batches(); ++b) {
      batch_.clear();
      for (const std::uint32_t image : sampler_.share(b)) batch_.add(sets_.train, image);
      // A layer's gradients are on their way while the layers below it are computed.
      loss[0] += model_.loss_and_gradients(batch_, [&](std::span<float> layer) {
        reducing.start();
        gradients_.add(layer);
        reducing.stop();
      });
      reducing.start();
      gradients_.finish();
      reducing.stop();

      // Shares may be uneven: the sum over all ranks is divided once by the number of samples behind it.
      const std::size_t samples = sampler_.global_size(b);
      model_.step(chosen_.rate, chosen_.momentum, 1.0F / static_cast<float>(samples));
      seen += samples;
      if (bar_.due()) {
        const double seconds = training.running_seconds();
        bar_.draw(epoch, chosen_.epochs, seen, sets_.train.size(), static_cast<double>(seen) / seconds,
                  reducing.seconds() / seconds);
      }
    }
    training.stop();

    tutti::all_reduce(comm_, loss, tutti::sum{}, algorithm_);
    return {loss[0] / static_cast<double>(seen), test_accuracy(), static_cast<double>(seen) / training.seconds(),
            reducing.seconds() / training.seconds()};
  }

  auto fingerprints() {
    const std::array<std::uint64_t, 1> mine = {fingerprint(model_.parameters())};
    return tutti::all_gather(comm_, mine);
  }

 private:
  static constexpr std::size_t test_batch = 500;
  static constexpr std::size_t bucket_bytes = 256 * tutti::KiB;

  /// Each rank tests its part of the test images.
  double test_accuracy() {
    const auto rank = static_cast<std::size_t>(comm_.rank());
    const auto size = static_cast<std::size_t>(comm_.size());
    const std::size_t count = sets_.test.size();
    const std::size_t end = count * (rank + 1) / size;
    std::array<std::uint64_t, 1> correct = {0};
    for (std::size_t at = count * rank / size; at < end;) {
      batch_.clear();
      for (const std::size_t stop = std::min(end, at + test_batch); at < stop; ++at) batch_.add(sets_.test, at);
      correct[0] += model_.correct(batch_);
    }
    tutti::all_reduce(comm_, correct, tutti::sum{}, algorithm_);
    return static_cast<double>(correct[0]) / static_cast<double>(count);
  }

  Communicator& comm_;
  const Algorithm& algorithm_;
  const options& chosen_;
  const dataset& sets_;
  sampler sampler_;
  batch batch_;
  mlp model_;
  tutti::bucketer<float, Communicator, tutti::sum, Algorithm> gradients_;
  progress_bar bar_;
};

}  // namespace mnist
