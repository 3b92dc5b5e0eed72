// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tutti_plan ALGORITHM [--collective all_reduce] [--ranks 4] [--root 0]
//
// Shows what an algorithm does, message by message, and what the proof says of it: who sends which block to
// whom in which round, and what becomes of it there.
#include <tutti/tutti.hpp>
#include <tutti/verify.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

namespace {

namespace on = tutti::collective;

struct request {
  std::string algorithm, collective = "all_reduce";
  int ranks = 4, root = 0;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "tutti_plan: %s\nusage: tutti_plan ALGORITHM [--collective NAME] [--ranks N] [--root R]\n",
               why.c_str());
  std::exit(2);
}

int number(const char* option, const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || value < 0 || value > 4096)
    refuse(std::string(option) + " takes a whole number from 0 to 4096, not \"" + text + "\"");
  return int(value);
}

request parse(int argc, char** argv) {
  request asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      if (!asked.algorithm.empty()) refuse("two algorithms: " + asked.algorithm + " and " + word);
      asked.algorithm = word;
      continue;
    }
    if (i + 1 == argc) refuse(word + " needs a value");
    if (word == "--collective")
      asked.collective = argv[++i];
    else if (word == "--ranks")
      asked.ranks = number("--ranks", argv[++i]);
    else if (word == "--root")
      asked.root = number("--root", argv[++i]);
    else
      refuse("there is no option " + word);
  }
  if (asked.algorithm.empty()) refuse("which algorithm?");
  if (asked.ranks < 2) refuse("--ranks must be at least 2: a world of one runs no schedule");
  if (asked.root >= asked.ranks)
    refuse("--root " + std::to_string(asked.root) + " is not below --ranks " + std::to_string(asked.ranks));
  return asked;
}

const char* name_of(tutti::form what) {
  return what == tutti::form::input ? "input" : what == tutti::form::partial ? "partial" : "final";
}

std::string name_of(const tutti::block_range& where) {
  if (where.count == 1) return "block " + std::to_string(where.first);
  return "blocks " + std::to_string(where.first) + ".." + std::to_string(where.end() - 1);
}

std::string deed(const tutti::transfer& step) {
  const std::string lowered = step.becomes == tutti::form::final && step.travels != tutti::form::final ? ", final" : "";
  if (step.what == tutti::action::store) return "keeps it" + lowered;
  return std::string("folds it ") + (step.what == tutti::action::fold_left ? "before" : "after") + " its own " +
         name_of(step.held) + lowered;
}

/// The arrival that takes the send: the n-th from that rank for the n-th to this one.
template <class Schedule>
tutti::transfer arrival_of(const tutti::place& sender, int round, int index) {
  const tutti::transfer sent = Schedule::at(sender, round, index);
  int before = 0;
  for (int i = 0; i < index; ++i) {
    const tutti::transfer other = Schedule::at(sender, round, i);
    if (other.what == tutti::action::send && other.where.count != 0 && other.peer == sent.peer) ++before;
  }
  const tutti::place there{sent.peer, sender.size, sender.root};
  for (int i = 0; i < Schedule::transfers(there, round); ++i) {
    const tutti::transfer step = Schedule::at(there, round, i);
    if (step.what != tutti::action::send && step.where.count != 0 && step.peer == sender.rank && before-- == 0)
      return step;
  }
  return tutti::nothing();
}

template <class Schedule>
void draw(int ranks, int root) {
  for (int round = 0; round < Schedule::rounds(ranks, root); ++round) {
    std::printf("round %d\n", round);
    for (int rank = 0; rank < ranks; ++rank) {
      const tutti::place here{rank, ranks, root};
      for (int i = 0; i < Schedule::transfers(here, round); ++i) {
        const tutti::transfer step = Schedule::at(here, round, i);
        if (step.where.count == 0) continue;
        if (step.what == tutti::action::send)
          std::printf("  %d -> %d  %s, %s; %d %s\n", rank, step.peer, name_of(step.where).c_str(),
                      name_of(step.travels), step.peer, deed(arrival_of<Schedule>(here, round, i)).c_str());
        else if (step.peer == rank)
          std::printf("  %d       %s, its own %s; %d %s\n", rank, name_of(step.where).c_str(), name_of(step.travels),
                      rank, deed(step).c_str());
      }
    }
  }
}

template <class Algorithm, class Collective>
bool show(const request& asked) {
  if (asked.collective != Collective::name) return false;
  if constexpr (!requires { Algorithm::schedule(Collective{}); }) {
    refuse(std::string(Algorithm::name) + " doesn't serve " + Collective::name);
  } else {
    using schedule = decltype(Algorithm::schedule(Collective{}));
    const int root = Collective::rooted ? asked.root : 0;
    const tutti::verdict proof = tutti::check_schedule<Algorithm, Collective>(asked.ranks, root);
    std::printf("%s %s on %d ranks", Algorithm::name, Collective::name, asked.ranks);
    if (Collective::rooted) std::printf(", root %d", root);
    std::printf(": %d round%s, %d block%s, the busiest rank sends %lld\n", proof.measured.rounds,
                proof.measured.rounds == 1 ? "" : "s", schedule::blocks(asked.ranks),
                schedule::blocks(asked.ranks) == 1 ? "" : "s", proof.measured.sent_blocks);
    if (std::is_same_v<Collective, on::all_to_all>)
      std::printf("block b of a rank is what goes to the b-th rank after it, and what comes from the b-th before it\n");
    draw<schedule>(asked.ranks, root);
    if (!proof) {
      std::printf("proof: fails, flaw %d at rank %d, round %d, block %d\n", int(proof.found), proof.rank, proof.round,
                  proof.block);
      std::exit(1);
    }
    std::printf(
        "proof: sends match receives, every contribution arrives once, nothing is overwritten while it is sent%s%s\n",
        std::is_same_v<Collective, on::scan>             ? ", rank r folds ranks 0 to r"
        : std::is_same_v<Collective, on::exclusive_scan> ? ", rank r folds ranks 0 to r - 1"
        : Collective::reduces                            ? ", all ranks fold the same expression"
                                                         : "",
        !Collective::reduces ? ""
        : proof.rank_order   ? " in rank order"
                             : " out of rank order");
  }
  return true;
}

template <class Algorithm>
void show_if_named(const request& asked) {
  if (asked.algorithm != Algorithm::name) return;
  if constexpr (tutti::algorithm_choice<Algorithm>)
    refuse(std::string(Algorithm::name) + " is a choice of algorithms, not one");
  else {
    bool shown = false;
    on::for_each([&](auto collective) { shown = shown || show<Algorithm, decltype(collective)>(asked); });
    if (!shown) refuse("there is no collective \"" + asked.collective + "\" with a schedule");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const request asked = parse(argc, argv);
  try {
    tutti::every_algorithm::named(asked.algorithm);  // or the names that there are
  } catch (const tutti::error& failure) {
    refuse(failure.what());
  }
  tutti::every_algorithm::for_each([&](auto algorithm) { show_if_named<decltype(algorithm)>(asked); });
}
