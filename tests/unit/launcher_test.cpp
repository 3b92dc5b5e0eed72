// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/core/launcher.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

const char* const all_variables[] = {"TUTTI_RANK",           "TUTTI_SIZE",           "RANK",         "WORLD_SIZE",
                                     "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",     "PMI_SIZE",
                                     "MV2_COMM_WORLD_RANK",  "MV2_COMM_WORLD_SIZE",  "SLURM_PROCID", "SLURM_NTASKS"};

/// An environment with these variables and no others of a launcher; what was there comes back afterwards.
class environment {
 public:
  environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name : all_variables) {
      const char* value = std::getenv(name);
      saved_.push_back({name, value == nullptr ? "" : value, value != nullptr});
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  ~environment() {
    for (const auto& one : saved_)
      if (one.was_set)
        setenv(one.name, one.value.c_str(), 1);
      else
        unsetenv(one.name);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  struct variable {
    const char* name;
    std::string value;
    bool was_set;
  };
  std::vector<variable> saved_;
};

std::string refusal() {
  try {
    tutti::find_launcher();
  } catch (const tutti::error& refused) {
    CHECK(refused.code() == tutti::errc::launcher);
    return refused.what();
  }
  return "not refused";
}
bool holds(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

}  // namespace

TEST_CASE("nobody launched this process") {
  const environment none{};
  const auto found = tutti::find_launcher();
  CHECK(!found);
  CHECK(found.rank == 0);
  CHECK(found.size == 1);
}

TEST_CASE("each launcher is known by its variables") {
  for (const auto& known : tutti::detail::known_launchers) {
    const environment one{{known.rank, "2"}, {known.size, "5"}};
    const auto found = tutti::find_launcher();
    CAPTURE(std::string(known.source));
    REQUIRE(found);
    CHECK(std::string(found.source) == known.source);
    CHECK(found.rank == 2);
    CHECK(found.size == 5);
  }
}

TEST_CASE("half of the variables is an error that names both") {
  for (const auto& known : tutti::detail::known_launchers) {
    CAPTURE(std::string(known.source));
    {
      const environment only_rank{{known.rank, "0"}};
      CHECK(holds(refusal(), known.rank));
      CHECK(holds(refusal(), known.size));
    }
    if (std::strcmp(known.source, "Slurm") == 0) continue;
    const environment only_size{{known.size, "2"}};
    CHECK(holds(refusal(), known.rank));
    CHECK(holds(refusal(), known.size));
  }
}

TEST_CASE("an interactive Slurm allocation has launched nobody yet") {
  const environment allocation{{"SLURM_NTASKS", "8"}};
  CHECK(!tutti::find_launcher());
}

TEST_CASE("what is no number, or no rank, is refused with its text") {
  for (const char* nonsense : {"", "x", "1x", "1.5", " ", "-1", "99999999999999999999", "2147483648"}) {
    CAPTURE(std::string(nonsense));
    const environment bad_rank{{"TUTTI_RANK", nonsense}, {"TUTTI_SIZE", "2"}};
    CHECK(holds(refusal(), ("TUTTI_RANK=\"" + std::string(nonsense)).c_str()));
  }
  {
    const environment no_ranks{{"TUTTI_RANK", "0"}, {"TUTTI_SIZE", "0"}};
    CHECK(holds(refusal(), "TUTTI_SIZE=\"0\""));
  }
  const environment beyond{{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}};
  CHECK(holds(refusal(), "PMI_RANK=4 is not below PMI_SIZE=4"));
}

TEST_CASE("two launchers that say the same are one, the first in the list") {
  const environment both{{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "3"}};
  const auto found = tutti::find_launcher();
  CHECK(std::string(found.source) == "torchrun");
  CHECK(found.size == 3);
}

TEST_CASE("two launchers that disagree are an error with both their words") {
  const environment both{
      {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "4"}};
  const std::string text = refusal();
  CHECK(holds(text, "Open MPI says rank 1 of 4"));
  CHECK(holds(text, "Hydra says rank 0 of 4"));
}

TEST_CASE("under an mpirun that srun started, Slurm's variables are the mpirun's own") {
  const environment both{
      {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}};
  const auto found = tutti::find_launcher();
  CHECK(std::string(found.source) == "Open MPI");
  CHECK(found.rank == 1);
}
