// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "collectives.hpp"
#include "offer.hpp"
#include "options.hpp"
#include "output.hpp"

#include <tutti/algorithm/list.hpp>
#include <tutti/algorithm/native.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace perf {

inline bool serves(std::string_view algorithm, const offer& of) {
  const auto names = of.algorithms();
  return std::find(names.begin(), names.end(), algorithm) != names.end();
}

/// Why it can't be called so with an algorithm of a transport; option is the one that asks for it.
inline std::string not_offered(const collective& one, const options& chosen, const std::string& transport,
                               const std::string& algorithm, const std::string& option) {
  const std::string name = one.name;
  const offer& of = one.over(transport);
  if (of.algorithms().empty()) return "--collective " + name + ": " + transport + " has none";
  if (!of.builds(chosen.type, chosen.op))
    return (one.reduces ? "--op " + chosen.op + " --type " : "--type ") + chosen.type + ": this " +
           (one.reduces ? "pair" : "type") + " isn't built for " + name +
           (has_own_offers(transport) ? " on " + transport : "") + "; there are " + of.what_is_built;
  if (algorithm != "all" && !serves(algorithm, of))
    return option + ": " + algorithm + " doesn't serve " + name + "; there are " + joined(of.algorithms());
  if (chosen.call == "plan" && !one.can_be_planned) return "--call plan: " + name + " can't be planned";
  if (is_beside(transport))
    return chosen.call == "blocking" ? "" : option + ": " + transport + " has blocking calls only";
  if (one.in_full(chosen.type, chosen.op)) return "";
  const std::string with =
      " with --op " + chosen.op + " --type " + chosen.type + "; that is built for " + what_is_built_in_full;
  if (chosen.call != "blocking") return "--call " + chosen.call + with;
  if (algorithm != "all" && algorithm != tutti::automatic::name && algorithm != tutti::native::name)
    return option + " " + algorithm + with;
  if (algorithm == tutti::native::name && of.candidates(chosen, algorithm).empty())
    return option + " native: the library below " + transport + " has no --op " + chosen.op + " --type " + chosen.type +
           "; automatic has";
  return "";
}

/// Why a collective can't be measured as asked, with the option that is in the way; empty where it can.
inline std::string left_out(const collective& one, const options& chosen) {
  const std::string name = one.name;
  if (chosen.in_place && one.in_place == placing::never) return "--in-place: " + name + " has no such form";
  const std::string reason = not_offered(one, chosen, chosen.transport, chosen.algorithm, "--algorithm");
  if (!reason.empty() || !chosen.versus) return reason;
  return not_offered(one, chosen, chosen.versus->transport, chosen.versus->algorithm, "--versus");
}

/// The collectives that are asked for. Throws options_error where a name is unknown or nothing at all can be measured.
inline std::vector<const collective*> plan(const options& chosen) {
  std::vector<const char*> algorithms(std::begin(tutti::every_algorithm::names),
                                      std::end(tutti::every_algorithm::names));
  if (chosen.versus) {
    auto others = algorithms;
    if (stands_on_library(chosen.versus->transport)) others.push_back(tutti::native::name);
    if (is_beside(chosen.versus->transport)) others = {tutti::native::name};
    detail::one_of("--versus", chosen.versus->algorithm, others);
  }
  if (stands_on_library(chosen.transport)) algorithms.push_back(tutti::native::name);
  algorithms.push_back("all");
  detail::one_of("--algorithm", chosen.algorithm, algorithms);

  std::vector<const char*> names;
  std::vector<const collective*> wanted;
  for (const collective* one : every_collective) {
    names.push_back(one->name);
    if (chosen.collective == "all" || chosen.collective == one->name) wanted.push_back(one);
  }
  names.push_back("all");
  if (wanted.empty()) detail::refuse("--collective", "one of " + joined(names), chosen.collective);
  const auto out = [&](const collective* one) { return !left_out(*one, chosen).empty(); };
  if (std::all_of(wanted.begin(), wanted.end(), out)) throw options_error(left_out(*wanted[0], chosen));
  return wanted;
}

/// The lines above the rows of a collective.
inline std::vector<std::string> heading(const collective& one, const options& chosen) {
  const std::string root = one.rooted ? ", root " + std::to_string(chosen.root) : "";
  std::vector<std::string> lines{"#", "# " + std::string(one.name) + root + ": busbw = algbw * " + one.bus_rule};
  if (chosen.algorithm == "all") {
    std::vector<const char*> others;
    for (const char* name : tutti::every_algorithm::names)
      if (!serves(name, one.over(chosen.transport))) others.push_back(name);
    if (!others.empty()) lines.push_back("# don't serve it: " + joined(others));
    if (!one.in_full(chosen.type, chosen.op))
      lines.push_back("# all algorithms are built for " + std::string(what_is_built_in_full));
  }
  return lines;
}

/// What --list prints.
inline std::string list_of_everything() {
  const bool on_devices = std::string_view(every_transport()[0]) == "nccl";
  std::string text = "transports: " + joined(every_transport()) + "\ntypes: " + joined(names_of(every_type)) +
                     "\nops: " + joined(names_of(every_op)) + "\nbuilt: " + what_is_built +
                     (on_devices ? "\nbuilt with algorithms other than automatic and native: "
                                 : "\nbuilt with algorithms other than automatic, and with --call async and plan: ") +
                     what_is_built_in_full + "\ncollectives and their algorithms:";
  for (const collective* one : every_collective)
    if (const auto algorithms = one->own.algorithms(); !algorithms.empty())
      text += "\n  " + std::string(one->name) + ": " + joined(algorithms);
  if (built_with_mpi())
    text += "\non mpi native too, built: " + std::string(what_is_built_over_messages) +
            "\non hybrid automatic and native: " + what_is_built_in_full;
  if (!offers_over("gloo").empty()) {
    std::vector<const char*> names;
    for (const auto& [name, one] : offers_over("gloo")) names.push_back(name.data());
    text += "\n--versus gloo:native: " + joined(names);
  }
  return text;
}

}  // namespace perf
