// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tutti {

/// What a message costs, in seconds: before it arrives, a byte on its way, and to fold a byte. What `automatic` goes by
/// where ranks send messages: the transport's constants, unless a type (automatic_by), the communicator's constructor
/// or TUTTI_MODEL say otherwise, in this order.
struct message_model {
  double latency, byte, fold;

  /// As text that parse reads: "latency=2e-06,byte=1e-10,fold=5e-11".
  struct text {
    char characters[96];
    const char* c_str() const { return characters; }
  };
  text to_text() const {
    text made{};
    std::snprintf(made.characters, sizeof made.characters, "latency=%.6g,byte=%.6g,fold=%.6g", latency, byte, fold);
    return made;
  }
  /// source: whose text that is, for the error.
  static message_model parse(const char* text, const char* source = "a message_model") {
    message_model read{};
    int end = -1;
    const int found = std::sscanf(text, "latency=%lf,byte=%lf,fold=%lf%n", &read.latency, &read.byte, &read.fold, &end);
    if (found != 3 || end < 0 || text[end] != 0 || !read.valid())
      detail::fail(errc::bad_argument, -1,
                   "tutti: %s is \"%.200s\", expected latency=SECONDS,byte=SECONDS,fold=SECONDS, none below 0 or above "
                   "1000",
                   source, text);
    return read;
  }
  constexpr bool valid() const {
    return latency >= 0 && byte >= 0 && fold >= 0 && latency <= 1000 && byte <= 1000 && fold <= 1000;
  }
  constexpr bool operator==(const message_model&) const = default;
};

/// Asks a constructor to measure the model, between two ranks, and to tell all. Not with run_to_run: the next run may
/// measure otherwise.
struct tune_request {
  constexpr bool operator==(const tune_request&) const = default;
};
inline constexpr tune_request tune;

namespace detail {

/// A model and where it is from.
struct guide {
  enum class origin : int { usual, environment, given, measured };
  message_model model;
  origin from = origin::usual;
  bool wants_tuning = false;
  bool said_by_program = true;  // then all ranks must say the same

  guide(const message_model& one) : model(one), from(origin::given) {
    if (!one.valid())
      fail(errc::bad_argument, -1, "tutti: a message_model of %s, expected seconds from 0 to 1000",
           one.to_text().c_str());
  }
  guide(tune_request) : model{}, from(origin::measured), wants_tuning(true) {}

  /// What TUTTI_MODEL says, else the constants of the transport.
  static guide from_environment(const message_model& usual) {
    const char* said = std::getenv("TUTTI_MODEL");
    guide found(usual);
    found.said_by_program = false;
    if (said == nullptr || *said == 0) {
      found.from = origin::usual;
    } else if (std::strcmp(said, "tune") == 0) {
      found.from = origin::measured;
      found.wants_tuning = true;
    } else {
      found.from = origin::environment;
      found.model = message_model::parse(said, "TUTTI_MODEL (which may also be \"tune\")");
    }
    return found;
  }
  const char* source() const {
    switch (from) {
      case origin::usual:
        return "the transport's constants";
      case origin::environment:
        return "TUTTI_MODEL of rank 0";
      case origin::given:
        return "given to the communicator's constructor";
      case origin::measured:
        return "measured between two ranks";
    }
    return "?";
  }
};

}  // namespace detail
}  // namespace tutti
