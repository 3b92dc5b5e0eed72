// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace perf {

[[noreturn]] inline void fail_to_write(const std::string& name) {
  throw std::runtime_error("cannot write " + name + ": " + std::strerror(errno));
}

/// Prints a line and sees it off: a full disk must not look like success.
inline void print_line(const std::string& line) {
  if (std::fputs((line + '\n').c_str(), stdout) < 0 || std::fflush(stdout) != 0) fail_to_write("standard output");
}

/// Writes a whole file; errors that only show when the data is flushed or the file closed count as well.
inline void write_file(const std::string& name, const std::string& text) {
  std::FILE* file = std::fopen(name.c_str(), "wb");
  if (file == nullptr) fail_to_write(name);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int saved = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = saved;
  if (!written || !closed) fail_to_write(name);
}

inline std::string joined(const auto& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace perf
