// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "witness.hpp"
#include "world.hpp"

namespace conformance {

/// Something that ranks of three disagree on. Every rank hears these words, in this call or the next: they name rank,
/// call, argument and both values.
template <class Transport, class Call>
void expect_everywhere(const std::string& words, Call call) {
  constexpr int size = 3;
  if (!has_room_for<Transport>(size)) return;
  CAPTURE(words);
  witness heard;
  std::string text = "nothing was thrown";
  try {
    Transport::launch(size, [&](typename Transport::communicator& comm) {
      comm.timeout(20);
      try {
        call(comm);
        for (int i = 0; i < 12; ++i) tutti::barrier(comm);
      } catch (const tutti::error& failure) {
        heard[comm.rank()] = std::string(failure.what()).find(words) != std::string::npos ? 1 : 2;
        throw;
      }
    });
  } catch (const std::exception& failure) {
    text = failure.what();
  }
  CAPTURE(text);
  CHECK(text.find(words) != std::string::npos);
  for (int rank = 0; rank < size; ++rank) CHECK(heard[rank].load() == 1);
}

}  // namespace conformance
