// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"
#include "digits.hpp"
#include "options.hpp"
#include "output.hpp"
#include "plot.hpp"
#include "progress.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace mnist {

/// The widths of the model that the options ask for, from the pixels to the classes.
inline std::vector<std::size_t> model_widths(const options& chosen) {
  std::vector<std::size_t> all = {image_size};
  all.insert(all.end(), chosen.hidden.begin(), chosen.hidden.end());
  all.push_back(classes);
  return all;
}

/// Trains epoch after epoch; rank 0 says how it went, in the same words wherever the ranks compute. A Training is one
/// rank's part: rank(), size(), train_epoch(number) and the fingerprints() of the parameters on all ranks.
template <class Training>
void run_epochs(Training& training, const options& chosen, progress_bar& bar) {
  const bool first = training.rank() == 0;
  history epochs;
  for (int epoch = 1; epoch <= chosen.epochs; ++epoch) {
    epochs.push_back(training.train_epoch(epoch));
    const auto& now = epochs.back();
    if (!std::isfinite(now.loss)) {  // the same on all ranks, so all of them stop here
      throw std::runtime_error(format("epoch %d: the loss is %g; try a smaller --lr", epoch, now.loss));
    }
    std::string line = format("epoch %d  loss %.4f  test accuracy %.4f  %.0f images/s  all_reduce %.1f %%", epoch,
                              now.loss, now.accuracy, now.images_per_second, 100 * now.all_reduce_share);
    if (chosen.check) {
      require_identical(training.fingerprints());
      line += format("  parameters identical on %d ranks", training.size());
    }
    if (first) {
      bar.clear();
      print_line(line);
      if (!chosen.plot.empty()) write_curves(chosen.plot, epochs);
    }
  }
  if (first) {
    print_line(format("test accuracy %.4f after %d epochs on %d ranks", epochs.back().accuracy, chosen.epochs,
                      training.size()));
  }
}

}  // namespace mnist
