// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tutti_perf believes its results by: its oracle finds what is wrong, and only that.
#include <perf/buffers.hpp>
#include <perf/json.hpp>
#include <perf/oracle.hpp>
#include <perf/sizes.hpp>
#include <perf/tune.hpp>
#include <perf/turns.hpp>
#include <perf/types.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace perf;

/// The fold of the ranks [0, last) by hand.
template <class Element, class Op, class Fold>
std::vector<Element> fold_by_hand(const place& where, int last, Fold fold) {
  std::vector<Element> result(where.count);
  for (std::size_t i = 0; i < where.count; ++i) {
    result[i] = input_of<Element, Op>(0, i, where.iteration);
    for (int rank = 1; rank < last; ++rank)
      result[i] = fold(result[i], input_of<Element, Op>(rank, i, where.iteration));
  }
  return result;
}

template <class Element, class Op>
std::uint64_t wrong_in(const place& where, const std::vector<Element>& found) {
  return count_wrong(std::span<const Element>(found),
                     [&](std::size_t index) { return folded<Element, Op>(where, index); });
}

const place here{0, 5, 0, 1000, 17};

TEST_CASE("one corrupted element is one wrong element") {
  auto found = fold_by_hand<float, tutti::sum>(here, 5, [](float a, float b) { return a + b; });
  CHECK(wrong_in<float, tutti::sum>(here, found) == 0);
  found[333] += 1;
  CHECK(wrong_in<float, tutti::sum>(here, found) == 1);
  found[0] = -found[0] - 1;
  found[999] *= 2;
  found[999] += 1;
  CHECK(wrong_in<float, tutti::sum>(here, found) == 3);
}

TEST_CASE("every operator is told from the others") {
  const auto add = [](float a, float b) { return a + b; };
  const auto multiply = [](float a, float b) { return a * b; };
  const auto smaller = [](float a, float b) { return b < a ? b : a; };
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  CHECK(wrong_in<float, tutti::prod>(here, fold_by_hand<float, tutti::prod>(here, 5, multiply)) == 0);
  CHECK(wrong_in<float, tutti::min>(here, fold_by_hand<float, tutti::min>(here, 5, smaller)) == 0);
  CHECK(wrong_in<float, tutti::max>(here, fold_by_hand<float, tutti::max>(here, 5, larger)) == 0);
  auto mean = fold_by_hand<float, tutti::avg>(here, 5, add);
  CHECK(wrong_in<float, tutti::avg>(here, mean) > 900);  // not yet divided
  for (float& value : mean) value /= 5;
  CHECK(wrong_in<float, tutti::avg>(here, mean) == 0);
  CHECK(wrong_in<float, tutti::max>(here, fold_by_hand<float, tutti::max>(here, 5, smaller)) > 900);
}

TEST_CASE("a missing rank, an older iteration, a block at the wrong place, memory that nobody wrote") {
  const auto add = [](float a, float b) { return a + b; };
  CHECK(wrong_in<float, tutti::sum>(here, fold_by_hand<float, tutti::sum>(here, 4, add)) > 900);
  place before = here;
  --before.iteration;
  CHECK(wrong_in<float, tutti::sum>(here, fold_by_hand<float, tutti::sum>(before, 5, add)) > 800);

  auto swapped = fold_by_hand<float, tutti::sum>(here, 5, add);
  for (std::size_t i = 0; i < 256; ++i) std::swap(swapped[i], swapped[512 + i]);
  CHECK(wrong_in<float, tutti::sum>(here, swapped) > 256);

  std::vector<float> poison(here.count);
  std::memset(poison.data(), 0xa5, poison.size() * sizeof(float));
  CHECK(wrong_in<float, tutti::sum>(here, poison) == here.count);
}

TEST_CASE("integers wrap as their type does, half precision is exact") {
  const place many{0, 40, 0, 500, 3};  // 40 times up to 15 doesn't fit into 8 bits
  const auto wrap = [](std::int8_t a, std::int8_t b) { return std::int8_t(a + b); };
  CHECK(wrong_in<std::int8_t, tutti::sum>(many, fold_by_hand<std::int8_t, tutti::sum>(many, 40, wrap)) == 0);
  const auto add = [](tutti::float16 a, tutti::float16 b) { return tutti::float16(float(a) + float(b)); };
  auto found = fold_by_hand<tutti::float16, tutti::sum>(many, 40, add);
  CHECK(wrong_in<tutti::float16, tutti::sum>(many, found) == 0);
  found[7].bits ^= 1;
  CHECK(wrong_in<tutti::float16, tutti::sum>(many, found) == 1);
}

TEST_CASE("shards side by side, for every length") {
  for (std::size_t count = 0; count < 23; ++count) {
    const place where{0, 5, 0, count, 2};
    std::vector<std::uint32_t> whole;
    for (int rank = 0; rank < 5; ++rank) {
      const part mine = part_of(where, rank);
      CHECK(mine.first == whole.size());
      CHECK(mine.count == count / 5 + (std::size_t(rank) < count % 5 ? 1 : 0));
      for (std::size_t i = 0; i < mine.count; ++i) whole.push_back(input_of<std::uint32_t, void>(rank, i, 2));
    }
    REQUIRE(whole.size() == count);
    const auto wrong = [&] {
      return count_wrong(std::span<const std::uint32_t>(whole),
                         [&](std::size_t index) { return gathered<std::uint32_t>(where, index); });
    };
    CHECK(wrong() == 0);
    if (count == 0) continue;
    whole[count / 2] ^= 1;
    CHECK(wrong() == 1);
  }
}

TEST_CASE("a prefix is the fold of the first ranks; memory that nobody writes keeps its poison or its input") {
  const auto add = [](float a, float b) { return a + b; };
  const auto found = fold_by_hand<float, tutti::sum>(here, 3, add);
  const auto wrong_up_to = [&](int last) {
    return count_wrong(std::span<const float>(found),
                       [&](std::size_t index) { return folded<float, tutti::sum>(here, index, last); });
  };
  CHECK(wrong_up_to(2) == 0);
  CHECK(wrong_up_to(1) > 900);
  CHECK(wrong_up_to(3) > 900);

  place where = here;
  const auto plain = [](std::size_t bytes) {
    return std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>());
  };
  buffers<float> memory({where.count, where.count, 0}, false, plain);
  memory.poison();
  const auto wrong = [&] {
    return count_wrong(std::span<const float>(memory.output()),
                       [&](std::size_t index) { return untouched<float, tutti::sum>(where, index); });
  };
  CHECK(wrong() == 0);
  memory.output()[3] = 1;
  CHECK(wrong() == 1);
  where.in_place = true;
  for (std::size_t i = 0; i < where.count; ++i)
    memory.output()[i] = input_of<float, tutti::sum>(where.rank, i, where.iteration);
  CHECK(wrong() == 0);
  memory.output()[5] += 1;
  CHECK(wrong() == 1);
}

TEST_CASE("what is built in full") {
  CHECK(is_built_in_full<float, tutti::sum>);
  CHECK(is_built_in_full<std::uint32_t, void>);
  CHECK_FALSE(is_built_in_full<float, tutti::max>);
  CHECK_FALSE(is_built_in_full<double, tutti::sum>);
}

TEST_CASE("what is moved differs from rank to rank in every width") {
  const auto same = []<class Element>(Element) {
    int equal = 0;
    for (std::size_t i = 0; i < 1000; ++i)
      equal += input_of<Element, void>(1, i, 4) == input_of<Element, void>(2, i, 4) ? 1 : 0;
    return equal;
  };
  CHECK(same(std::uint8_t{}) < 20);
  CHECK(same(std::uint16_t{}) == 0);
  CHECK(same(std::uint32_t{}) == 0);
  CHECK(same(std::uint64_t{}) == 0);
}

TEST_CASE("sizes are cut to whole elements and measured once") {
  const size_range odd{3, 40, 2};
  CHECK(odd.counts(8) == std::vector<std::size_t>{1, 3});
  CHECK(odd.counts(1) == std::vector<std::size_t>{3, 6, 12, 24});
  CHECK(size_range{8, 8, 2}.counts(4) == std::vector<std::size_t>{2});
  CHECK(size_range{std::size_t(1) << 40, std::size_t(1) << 40, std::size_t(1) << 30}.counts(1).size() == 1);
}

TEST_CASE("text in JSON") {
  CHECK(json_string("plain") == R"("plain")");
  CHECK(json_string("a \"b\" \\ c\n\t\x01") == R"("a \"b\" \\ c\u000a\u0009\u0001")");
  CHECK(json_string("\xff") == R"("\u00ff")");
}

TEST_CASE("what is built") {
  for (const char* type : names_of(every_type)) CHECK(reduction_is_built(type, "sum"));
  for (const char* op : names_of(every_op)) CHECK(reduction_is_built("float", op));
  CHECK_FALSE(reduction_is_built("i32", "max"));
}

}  // namespace

TEST_CASE("--tune: the crossing that costs least over all sizes, which one disturbed row doesn't move") {
  const auto crossing = [](const std::vector<std::pair<double, double>>& times) {
    std::vector<row> rows;
    for (const auto& [first, second] : times) {
      row one;
      one.bytes = std::size_t(256) << rows.size();
      one.time.median = first;
      one.other_time.median = second;
      rows.push_back(one);
    }
    return least_costly_crossing(rows);
  };
  CHECK(crossing({}) == 0);
  CHECK(crossing({{2, 1}, {4, 2}}) == 0);
  CHECK(crossing({{1, 2}, {2, 3}, {4, 4.5}, {8, 7}, {16, 12}}) == 1024);
  CHECK(crossing({{1, 2}, {2, 1.9}, {4, 8}, {8, 7}, {16, 12}}) == 1024);  // the second row was disturbed
  CHECK(crossing({{1, 2}, {2, 2}, {4, 3}, {8, 7.9}, {16, 12}}) == 256);   // the fourth
  CHECK(crossing({{1, 2}, {2, 3}}) == 512);                               // no end in sight
}

TEST_CASE("--tune: a table of what was measured, whose lines begin halfway") {
  const auto table = crossing_table({{2, 16384}, {4, 4096}, {8, 1024}});
  REQUIRE(table.size() == 3);
  CHECK(tutti::detail::last_crossing(table, 2) == 16384);
  CHECK(tutti::detail::last_crossing(table, 3) == 4096);
  CHECK(tutti::detail::last_crossing(table, 5) == 4096);
  CHECK(tutti::detail::last_crossing(table, 6) == 1024);
  CHECK(tutti::detail::last_crossing(table, 1000) == 1024);
  CHECK(tutti::detail::last_crossing(crossing_table({{3, 512}}), 2) == 512);
}

TEST_CASE("two sides take turns, each first in half of them; on one communicator in stretches that settle first") {
  const auto order = [](turns how, int iterations, bool two_sides) {  // small letters don't count
    std::string calls;
    how.take(
        iterations, two_sides, [&](bool counts) { calls += counts ? 'A' : 'a'; },
        [&](bool counts) { calls += counts ? 'B' : 'b'; });
    return calls;
  };
  CHECK(order(turns::of(false), 4, true) == "ABBAABBA");
  CHECK(order(turns::of(false), 3, false) == "AAA");
  CHECK(order(turns::of(true), 20, true) ==
        "aaAAAAAAAAbbBBBBBBBB"
        "bbBBBBBBBBaaAAAAAAAA"
        "aaAAAAbbBBBB");
  CHECK(order(turns::of(true), 0, true).empty());
}
