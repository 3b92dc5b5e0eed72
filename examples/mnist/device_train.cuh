// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"
#include "device.cuh"
#include "device_mlp.cuh"
#include "digits.hpp"
#include "epochs.hpp"
#include "options.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "sampler.hpp"
#include "stopwatch.hpp"

#include <tutti/nccl.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mnist {

/// The training of one rank and its GPU. All work is enqueued on one stream, collectives included; `world` are the same
/// ranks on the host, over which the fingerprints of the parameters are compared.
template <class Host, class Algorithm>
class device_trainer {
 public:
  device_trainer(Host& world, tutti::nccl::stream_communicator& on, const Algorithm& algorithm, const options& chosen,
                 const dataset& sets)
      : world_(world),
        on_(on),
        algorithm_(algorithm),
        chosen_(chosen),
        sampler_(sets.train.size(), chosen.batch, on.rank(), on.size(), chosen.seed),
        train_(sets.train, on.stream()),
        test_(sets.test, on.stream()),
        images_(sets.train.size()),
        tests_(sets.test.size()),
        order_(share_of_all()),
        scores_(std::max(order_.size(), last_test() - first_test())),
        totals_(2),
        model_(model_widths(chosen), std::max(sampler_.largest_share(), test_batch), chosen.seed, on.stream()),
        reducing_(on.stream()),
        bar_(on.rank() == 0) {}

  void run() { run_epochs(*this, chosen_, bar_); }

  int rank() const { return on_.rank(); }
  int size() const { return on_.size(); }

  epoch_result train_epoch(int epoch) {
    stopwatch training;
    reducing_.reset();
    training.start();
    start_epoch(epoch);
    std::size_t seen = 0;
    for (std::size_t b = 0; b < sampler_.batches(); ++b) {
      const std::size_t first = firsts_[b];
      model_.find_gradients(train_, {order_.data(), first}, firsts_[b + 1] - first, scores_.data() + first);
      reducing_.start();
      tutti::all_reduce(on_, model_.gradients(), tutti::sum{}, algorithm_);
      reducing_.stop();

      // Shares may be uneven: the sum over all ranks is divided once by the number of samples behind it.
      const std::size_t samples = sampler_.global_size(b);
      model_.step({chosen_.rate, chosen_.momentum, 1.0F / static_cast<float>(samples)});
      seen += samples;
      if (b % steps_ahead == steps_ahead - 1) wait();
      if (bar_.due()) {
        wait();
        const double seconds = training.running_seconds();
        bar_.draw(epoch, chosen_.epochs, seen, images_, static_cast<double>(seen) / seconds,
                  reducing_.seconds() / seconds);
      }
    }
    wait();
    training.stop();

    add_up_scores(order_.size(), totals_.data());
    test_images();
    add_up_scores(last_test() - first_test(), totals_.data() + 1);
    tutti::all_reduce(on_, std::span(totals_.data(), totals_.size()), tutti::sum{}, algorithm_);
    wait();
    const auto totals = totals_.download(on_.stream());
    wait();
    return {totals[0] / static_cast<double>(seen), totals[1] / static_cast<double>(tests_),
            static_cast<double>(seen) / training.seconds(), reducing_.seconds() / training.seconds()};
  }

  auto fingerprints() {
    const auto parameters = model_.parameters();
    wait();
    const std::array<std::uint64_t, 1> mine = {fingerprint(parameters)};
    return tutti::all_gather(world_, mine);
  }

 private:
  static constexpr std::size_t test_batch = 1000;
  /// The host waits this often, where tutti watches over the peers: a stream that is full blocks the host where nobody
  /// does.
  static constexpr std::size_t steps_ahead = 16;

  void wait() {
    on_.synchronize();
    reducing_.collect();
  }

  /// How many images of an epoch are this rank's.
  std::size_t share_of_all() {
    std::size_t count = 0;
    for (std::size_t b = 0; b < sampler_.batches(); ++b) count += sampler_.share(b).size();
    return count;
  }

  /// Brings this rank's images of all batches, one batch after the other, to the device.
  void start_epoch(int epoch) {
    sampler_.start_epoch(static_cast<std::uint64_t>(epoch));
    std::vector<std::uint32_t> order;
    firsts_ = {0};
    for (std::size_t b = 0; b < sampler_.batches(); ++b) {
      const auto share = sampler_.share(b);
      order.insert(order.end(), share.begin(), share.end());
      firsts_.push_back(order.size());
    }
    order_.upload(order, on_.stream());
  }

  /// Each rank tests its part of the test images.
  std::size_t first_test() const {
    return tests_ * static_cast<std::size_t>(rank()) / static_cast<std::size_t>(size());
  }
  std::size_t last_test() const {
    return tests_ * static_cast<std::size_t>(rank() + 1) / static_cast<std::size_t>(size());
  }
  void test_images() {
    for (std::size_t at = first_test(); at < last_test(); at += test_batch) {
      const std::size_t count = std::min(test_batch, last_test() - at);
      model_.test(test_, {nullptr, at}, count, scores_.data() + (at - first_test()));
    }
  }

  void add_up_scores(std::size_t count, double* total) {
    add_up<<<1, total_threads, 0, on_.stream()>>>(scores_.data(), count, total);
    expect_launched("add_up");
  }

  Host& world_;
  tutti::nccl::stream_communicator& on_;
  const Algorithm& algorithm_;
  const options& chosen_;
  sampler sampler_;
  device_digits train_, test_;
  std::size_t images_, tests_;
  device_array<std::uint32_t> order_;
  std::vector<std::size_t> firsts_;  // of each batch in order_, and behind the last
  device_array<float> scores_;       // of each image: its loss, or whether the model gets it right
  device_array<double> totals_;      // loss and hits
  device_mlp model_;
  stream_stopwatch reducing_;
  progress_bar bar_;
};

}  // namespace mnist
