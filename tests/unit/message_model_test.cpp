// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <tutti/tutti.hpp>

#include <cstdlib>
#include <limits>
#include <string>

namespace {

using tutti::message_model;
using tutti::detail::guide;

std::string refusal(const char* text) {
  try {
    message_model::parse(text);
    return "";
  } catch (const tutti::error& refused) {
    CHECK(refused.code() == tutti::errc::bad_argument);
    return refused.what();
  }
}

constexpr message_model usual{2e-6, 1e-10, 5e-11};

}  // namespace

TEST_CASE("a model can be printed and read again") {
  for (const message_model& one :
       {usual, message_model{0, 0, 0}, message_model{1.25e-5, 8.5e-10, 0}, message_model{1000, 1e-300, 1}})
    CHECK(message_model::parse(one.to_text().c_str()) == one);
  CHECK(std::string(usual.to_text().c_str()) == "latency=2e-06,byte=1e-10,fold=5e-11");
}

TEST_CASE("what is no model is refused with its text") {
  for (const char* text : {"", "latency=1", "latency=1,byte=1", "latency=1,byte=1,fold=", "latency=1,byte=1,fold=1 ",
                           "latency=1,byte=1,fold=1,fold=1", "latency=-1,byte=1,fold=1", "latency=nan,byte=1,fold=1",
                           "latency=1,byte=inf,fold=1", "latency=1,byte=1,fold=1001", "byte=1,latency=1,fold=1",
                           "latency=1;byte=1;fold=1", "tune"}) {
    INFO(text);
    CHECK(refusal(text).find("\"" + std::string(text) + "\", expected latency=SECONDS,byte=SECONDS,fold=SECONDS") !=
          std::string::npos);
  }
  CHECK_THROWS_AS(guide(message_model{-1, 0, 0}), tutti::error);
  CHECK_THROWS_AS(guide(message_model{0, std::numeric_limits<double>::quiet_NaN(), 0}), tutti::error);
}

TEST_CASE("TUTTI_MODEL") {
  unsetenv("TUTTI_MODEL");
  CHECK(guide::from_environment(usual).from == guide::origin::usual);
  CHECK(guide::from_environment(usual).model == usual);
  setenv("TUTTI_MODEL", "", 1);
  CHECK(guide::from_environment(usual).from == guide::origin::usual);
  setenv("TUTTI_MODEL", "latency=1e-3,byte=2e-9,fold=0", 1);
  CHECK(guide::from_environment(usual).from == guide::origin::environment);
  CHECK(guide::from_environment(usual).model == message_model{1e-3, 2e-9, 0});
  setenv("TUTTI_MODEL", "tune", 1);
  CHECK(guide::from_environment(usual).wants_tuning);
  setenv("TUTTI_MODEL", "tuned", 1);
  CHECK_THROWS_AS(guide::from_environment(usual), tutti::error);
  unsetenv("TUTTI_MODEL");
}

TEST_CASE("explain says what automatic takes where ranks share memory") {
  const auto explained = [](int size, std::size_t bytes) {
    std::string text;
    tutti::threads::launch(size, [&](auto& comm) {
      const auto why = tutti::explain(comm, bytes, tutti::sum{});
      if (comm.rank() == 0) text = std::string(why.algorithm()) + "|" + why.text();
    });
    return text;
  };
  CHECK(explained(1, 100) == "none|all_reduce of 100 bytes on one rank: no algorithm, a copy at most\n");
  const std::size_t most = tutti::automatic::one_phase_bytes(4, tutti::detail::usable_cpus() < 4);
  CHECK(explained(4, 2048).starts_with(
      "one_phase|all_reduce of 2048 bytes of float among 4 ranks over threads: one_phase\n"
      "  2048 bytes on 4 ranks: one_phase up to " +
      std::to_string(most) + ", direct above\n"));
  CHECK(explained(4, most).starts_with("one_phase|"));
  CHECK(explained(4, most + 4).starts_with("direct|"));
}
