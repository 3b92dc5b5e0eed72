// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "digits.hpp"
#include "idx.hpp"
#include "synthetic.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace mnist {

inline constexpr std::array<const char*, 4> file_names = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                                          "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

/// The file itself or, where only that is there, its gzip'ed form.
inline std::string file_in(const std::filesystem::path& folder, const char* name) {
  const auto plain = folder / name;
  const auto packed = folder / (std::string(name) + ".gz");
  std::error_code ignored;
  const bool use_packed = !std::filesystem::exists(plain, ignored) && std::filesystem::exists(packed, ignored);
  return (use_packed ? packed : plain).string();
}

/// Folders that may hold the files when nobody named one: below the working folder, then below each folder
/// above the executable (a build folder usually lies inside the source tree).
inline std::vector<std::filesystem::path> usual_folders() {
  const auto below = std::filesystem::path("examples") / "mnist" / "data";
  std::vector<std::filesystem::path> folders = {below};
  std::error_code failed;
  auto above = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  while (!failed && !above.empty()) {
    folders.push_back(above / below);
    if (above == above.root_path()) break;
    above = above.parent_path();
  }
  return folders;
}

/// The folder named by --data, else by $TUTTI_MNIST, else the first usual one that has the images.
inline std::filesystem::path find_folder(const std::string& named) {
  if (!named.empty()) return named;
  if (const char* variable = std::getenv("TUTTI_MNIST"); variable != nullptr && *variable != '\0') {
    return variable;
  }
  std::error_code ignored;
  const auto folders = usual_folders();
  for (const auto& folder : folders) {
    if (std::filesystem::exists(file_in(folder, file_names[0]), ignored)) return folder;
  }
  throw std::runtime_error("no MNIST files in " + folders.front().string() +
                           ", neither below the working folder nor beside the program; fetch them with "
                           "examples/mnist/get_mnist.sh, or name their folder with --data or $TUTTI_MNIST, "
                           "or try --data synthetic");
}

inline dataset load_dataset(const std::string& named) {
  if (named == "synthetic") return make_synthetic();
  const auto folder = find_folder(named);
  dataset sets;
  sets.train = read_digits(file_in(folder, file_names[0]), file_in(folder, file_names[1]));
  sets.test = read_digits(file_in(folder, file_names[2]), file_in(folder, file_names[3]));
  return sets;
}

}  // namespace mnist
