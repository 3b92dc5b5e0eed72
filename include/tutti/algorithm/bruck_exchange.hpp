// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti::detail {

/// Block b of a rank has b ranks to go. In round k all blocks with bit k in b move on by 2^k, together; a block leaves
/// its sender as input, lies in scratch on its way and becomes a result with its highest bit.
struct bruck_exchange {
  static constexpr bool scratch = true;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    return 4 * runs(here.size, round) + (round == 0 ? 1 : 0);
  }
  /// A run of neighbouring blocks: the first has no lower bit and moves for the first time, the others don't.
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int distance = 1 << round, count = runs(here.size, round);
    if (index == 4 * count) return store(here.rank, {0}, form::input).finishing();
    const int run = index / 2 % count, first = (2 * run + 1) * distance;
    const int end = first + distance < here.size ? first + distance : here.size;
    const block_range some = index % 2 == 0 ? block_range{first} : block_range{first + 1, end - first - 1};
    const form travels = index % 2 == 0 ? form::input : form::partial;
    if (index < 2 * count) return send(here.wrap(here.rank + distance), some, travels);
    return store(here.wrap(here.rank - distance), some, travels).finishing_if(run == 0).once_sent();
  }

 private:
  TUTTI_FUN static constexpr int runs(int size, int round) {
    const int distance = 1 << round;
    return (size - distance + 2 * distance - 1) / (2 * distance);
  }
};

/// How many blocks a rank passes on: each as often as its number has bits.
constexpr int bruck_volume(int size) {
  int sum = 0;
  for (int block = 1; block < size; ++block)
    for (int bits = block; bits != 0; bits &= bits - 1) ++sum;
  return sum;
}

}  // namespace tutti::detail
