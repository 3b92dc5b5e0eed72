// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <cstdarg>    // va_list
#include <cstdio>     // vsnprintf
#include <cstdlib>    // abort
#include <exception>  // std::exception

namespace tutti {

/// What kind of thing went wrong; the text of the error says the rest.
enum class errc {
  bad_argument,  ///< this rank's own call can't work (root out of range, lengths, overlap)
  mismatch,      ///< the ranks called different things
  peer_failed,   ///< another rank died, threw or left
  timeout,       ///< the deadline passed while waiting
  resource,      ///< the system refused memory, a mapping, a socket, a process
  launcher,      ///< the launcher's variables are missing or disagree
  library,       ///< the library below (MPI) refused something, or is not in a state to be used
};

/// The one exception type of tutti. Its text names the rank, the collective, the argument and the two
/// values that disagree. It holds the text itself: copying it never allocates and never throws.
class error : public std::exception {
 public:
  error(errc code, int rank, const char* text) noexcept : code_(code), rank_(rank) {
    std::snprintf(text_, sizeof text_, "%s", text);
  }
  const char* what() const noexcept override { return text_; }
  errc code() const noexcept { return code_; }
  /// The rank this error is about: the dead one for peer_failed, else the one that noticed; -1 if none.
  int rank() const noexcept { return rank_; }

 private:
  errc code_;
  int rank_;
  char text_[640];
};

namespace detail {

#if defined(__GNUC__)
#  define TUTTI_PRINTF(Format, First) __attribute__((format(printf, Format, First)))
#else
#  define TUTTI_PRINTF(Format, First)
#endif

/// The only place that throws, so that a build without exceptions needs one change.
[[noreturn]] TUTTI_PRINTF(3, 4) inline void fail(errc code, int rank, const char* format, ...) {
  char text[640];
  std::va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
#if TUTTI_EXCEPTIONS
  throw error(code, rank, text);
#else
  (void)code;
  (void)rank;
  std::fprintf(stderr, "%s\n", text);
  std::abort();
#endif
}

}  // namespace detail
}  // namespace tutti
