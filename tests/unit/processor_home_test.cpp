// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which caches and memory nodes processors share, from what the system says of a machine that is made up here.
#include <tutti/transport/processor_home.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using tutti::detail::colors_by_home;
using tutti::detail::processor_home;

namespace {

cpu_set_t set_of(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int one : processors) CPU_SET(std::size_t(one), &set);
  return set;
}
std::vector<int> members(const cpu_set_t& set) {
  std::vector<int> found;
  for (int one = 0; one < CPU_SETSIZE; ++one)
    if (CPU_ISSET(std::size_t(one), &set)) found.push_back(one);
  return found;
}

/// Files as under /sys/devices/system.
class machine {
 public:
  machine() {
    char name[] = "/tmp/tutti-machine-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    root_ = name;
  }
  ~machine() { std::filesystem::remove_all(root_); }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  void cache(const std::vector<int>& processors, const std::string& list) {
    for (const int one : processors)
      write("cpu/cpu" + std::to_string(one) + "/cache/index3", "shared_cpu_list", list + "\n");
  }
  void node(int number, const std::string& list) {
    write("node/node" + std::to_string(number), "cpulist", list + "\n");
  }
  void write(const std::string& folder, const char* file, const std::string& text) {
    std::filesystem::create_directories(root_ / folder);
    std::ofstream(root_ / folder / file) << text;
  }
  processor_home home(const std::vector<int>& processors) const {
    return processor_home::of(set_of(processors), root_.c_str());
  }
  std::vector<int> colors(const std::vector<std::vector<int>>& bound_to) const {
    std::vector<processor_home> homes;
    for (const auto& one : bound_to) homes.push_back(processor_home::unpacked(home(one).packed()));
    return colors_by_home(homes);
  }

 private:
  std::filesystem::path root_;
};

/// Two memory nodes of two caches of two cores, the second thread of core c being processor c + 8.
void two_sockets(machine& made) {
  for (int cache = 0; cache < 4; ++cache) {
    const int first = 2 * cache;
    made.cache({first, first + 1, first + 8, first + 9}, std::to_string(first) + "-" + std::to_string(first + 1) + "," +
                                                             std::to_string(first + 8) + "-" +
                                                             std::to_string(first + 9));
  }
  made.write("node", "online", "0,2\n");  // 1 is not there
  made.node(0, "0-3,8-11");
  made.node(2, "4-7,12-15");
}

}  // namespace

TEST_CASE("lists of processors") {
  cpu_set_t set;
  CHECK(tutti::detail::read_processors("0-3,8,10-11\n", set));
  CHECK(members(set) == std::vector<int>{0, 1, 2, 3, 8, 10, 11});
  CHECK(tutti::detail::read_processors("7", set));
  CHECK(members(set) == std::vector<int>{7});
  CHECK(tutti::detail::read_processors("1022-4000000000", set));  // as far as there is room
  CHECK(members(set) == std::vector<int>{1022, 1023});
  for (const char* text : {"", "\n", "-", "3-", "3-1", "1,,2", "1,", "0-3 8", "0x3", "-1", "1-2-3", "a"}) {
    CAPTURE(text);
    CHECK_FALSE(tutti::detail::read_processors(text, set));
  }
}

TEST_CASE("whatever the text, a list is read or refused") {
  std::mt19937 random(7);
  const char letters[] = "0123456789999,,,---\n x";
  int read = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (auto left = random() % 12; left > 0; --left) text += letters[random() % (sizeof letters - 1)];
    cpu_set_t set;
    if (!tutti::detail::read_processors(text.c_str(), set)) continue;
    ++read;
    std::string again;
    for (const int one : members(set)) again += (again.empty() ? "" : ",") + std::to_string(one);
    if (again.empty()) continue;  // all beyond what a set holds
    cpu_set_t same;
    REQUIRE(tutti::detail::read_processors(again.c_str(), same));
    REQUIRE(CPU_EQUAL(&set, &same));
  }
  CHECK(read > 1000);
}

TEST_CASE("a thread's home: what holds all its processors") {
  machine made;
  two_sockets(made);
  const auto is = [](processor_home found, int cache, int node) { return found.cache == cache && found.node == node; };
  CHECK(is(made.home({0}), 0, 0));
  CHECK(is(made.home({11}), 2, 0));
  CHECK(is(made.home({4, 5, 12}), 4, 4));
  CHECK(is(made.home({0, 2}), processor_home::nowhere, 0));
  CHECK(is(made.home({3, 4}), processor_home::nowhere, processor_home::nowhere));
  CHECK(is(made.home({}), processor_home::nowhere, processor_home::nowhere));
  CHECK(is(machine().home({0}), processor_home::nowhere, processor_home::nowhere));  // the system says nothing
}

TEST_CASE("ranks of one cache are near, else ranks of one memory node") {
  machine made;
  two_sockets(made);
  using colors = std::vector<int>;
  CHECK(made.colors({{0}, {1}, {2}, {3}, {4}, {5}}) == colors{0, 0, 2, 2, 4, 4});
  CHECK(made.colors({{4}, {0}, {12}}) == colors{4, 0, 4});
  CHECK(made.colors({{0}, {2}, {4}, {6}}) == colors{0, 0, 4, 4});     // each has a cache of its own
  CHECK(made.colors({{0, 2}, {1}, {4}, {5}}) == colors{0, 0, 4, 4});  // one is bound to no cache
  CHECK(made.colors({{0}, {1}, {8}}).empty());                        // one cache
  CHECK(made.colors({{0}, {4}}).empty());                             // everybody alone
  CHECK(made.colors({{0, 4}, {1}, {2}, {4}}).empty());                // one is bound to nothing
  CHECK(made.colors({}).empty());
}

TEST_CASE("this machine") {
  const processor_home mine = processor_home::of_this_thread();
  CAPTURE(mine.cache);
  CAPTURE(mine.node);
  const processor_home again = processor_home::unpacked(mine.packed());
  CHECK(again.cache == mine.cache);
  CHECK(again.node == mine.node);
}
