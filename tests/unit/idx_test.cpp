// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of examples/mnist that need no communicator: files, sampler, options, curves, fingerprints, the model.
#include <mnist/check.hpp>
#include <mnist/data.hpp>
#include <mnist/mlp.hpp>
#include <mnist/options.hpp>
#include <mnist/plot.hpp>
#include <mnist/sampler.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using bytes = std::string;

/// A folder that goes away with the test.
struct scratch_folder {
  fs::path path;
  scratch_folder() {
    std::string name = (fs::temp_directory_path() / "tutti-idx-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~scratch_folder() { fs::remove_all(path); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  std::string write(const char* name, const bytes& contents) const {
    const std::string file = (path / name).string();
    std::ofstream(file, std::ios::binary) << contents;
    return file;
  }
  std::string write_gz(const char* name, const bytes& contents) const {
    const std::string file = (path / name).string();
    const gzFile out = gzopen(file.c_str(), "wb");
    REQUIRE(gzwrite(out, contents.data(), static_cast<unsigned>(contents.size())) == static_cast<int>(contents.size()));
    REQUIRE(gzclose(out) == Z_OK);
    return file;
  }
};

bytes number(std::uint32_t value) {
  bytes text;
  for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(value >> shift & 255U);
  return text;
}

bytes images(std::uint32_t count, std::uint32_t rows = 28, std::uint32_t columns = 28) {
  bytes file = number(0x803) + number(count) + number(rows) + number(columns);
  for (std::uint32_t i = 0; i < count * rows * columns; ++i) file += static_cast<char>(i % 251);
  return file;
}

bytes labels(const std::vector<int>& values) {
  bytes file = number(0x801) + number(static_cast<std::uint32_t>(values.size()));
  for (const int value : values) file += static_cast<char>(value);
  return file;
}

/// What reading these two files says; empty where it reads them.
std::string complaint(const std::string& images_name, const std::string& labels_name) {
  try {
    (void)mnist::read_digits(images_name, labels_name);
    return "";
  } catch (const mnist::idx_error& error) {
    return error.what();
  }
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("good files are read, plain and gzip'ed") {
  const scratch_folder folder;
  const auto plain = mnist::read_digits(folder.write("i", images(3)), folder.write("l", labels({7, 0, 9})));
  CHECK(plain.size() == 3);
  CHECK(plain.labels == std::vector<std::uint8_t>{7, 0, 9});
  CHECK(plain.image(2).size() == 784);
  CHECK(plain.image(2)[5] == (2 * 784 + 5) % 251);

  const auto packed =
      mnist::read_digits(folder.write_gz("i.gz", images(3)), folder.write_gz("l.gz", labels({7, 0, 9})));
  CHECK(packed.pixels == plain.pixels);
  CHECK(packed.labels == plain.labels);
}

TEST_CASE("a folder may hold plain or gzip'ed files") {
  const scratch_folder folder;
  folder.write_gz("train-images-idx3-ubyte.gz", images(2));
  folder.write("train-labels-idx1-ubyte", labels({1, 2}));
  folder.write("t10k-images-idx3-ubyte", images(1));
  folder.write_gz("t10k-labels-idx1-ubyte.gz", labels({3}));
  const auto sets = mnist::load_dataset(folder.path.string());
  CHECK(sets.train.size() == 2);
  CHECK(sets.test.labels.at(0) == 3);
}

TEST_CASE("each malformed file has its own message, with the file's name and both values") {
  const scratch_folder folder;
  const auto good_images = folder.write("images", images(2));
  const auto good_labels = folder.write("labels", labels({1, 2}));
  REQUIRE(complaint(good_images, good_labels).empty());

  struct fault {
    const char* name;
    bytes contents;
    std::vector<std::string> parts;
  };
  SUBCASE("images") {
    const std::vector<fault> faults = {
        {"empty", "", {"truncated header", "expected 16", "found 0"}},
        {"short-header", images(2).substr(0, 10), {"truncated header", "expected 16", "found 10"}},
        {"labels-as-images", labels({1, 2}), {"magic", "0x00000803", "0x00000801"}},
        {"wrong-type", number(0xd03) + images(2).substr(4), {"magic", "0x00000803", "0x00000d03"}},
        {"little-endian", bytes("\x03\x08\0\0", 4) + images(2).substr(4), {"magic", "0x03080000"}},
        {"text", "<html>not found</html>", {"magic", "0x3c68746d"}},
        {"truncated", images(2).substr(0, 16 + 1567), {"truncated", "expected 1568", "found 1567"}},
        {"no-pixels", images(2).substr(0, 16), {"truncated", "expected 1568", "found 0"}},
        {"trailing", images(2) + "x", {"trailing", "1568"}},
        {"27-rows", images(2, 27, 28), {"expected 28 x 28", "found 27 x 28"}},
        {"32-columns", images(2, 28, 32), {"expected 28 x 28", "found 28 x 32"}},
        {"none", images(0), {"at least 1", "found 0"}},
        {"huge",
         number(0x803) + number(~0U) + number(28) + number(28),
         {"truncated", "expected 3367254359280", "found 0"}},
        {"overflow", number(0x803) + number(~0U) + number(~0U) + number(~0U), {"overflow", "4294967295 x 4294967295"}},
        {"fewer", images(1), {"labels", "expected 1 ", "found 2"}},
    };
    for (const auto& one : faults) {
      CAPTURE(one.name);
      const auto text = complaint(folder.write(one.name, one.contents), good_labels);
      CAPTURE(text);
      CHECK(holds(text, one.name));
      for (const auto& part : one.parts) CHECK(holds(text, part));
    }
  }
  SUBCASE("labels") {
    const std::vector<fault> faults = {
        {"images-as-labels", images(2), {"magic", "0x00000801", "0x00000803"}},
        {"truncated", labels({1, 2}).substr(0, 9), {"truncated", "expected 2", "found 1"}},
        {"trailing", labels({1, 2}) + "x", {"trailing"}},
        {"three", labels({1, 2, 3}), {"expected 2", "found 3"}},
        {"ten", labels({1, 10}), {"label 1", "expected 0 to 9", "found 10"}},
    };
    for (const auto& one : faults) {
      CAPTURE(one.name);
      const auto text = complaint(good_images, folder.write(one.name, one.contents));
      CAPTURE(text);
      CHECK(holds(text, one.name));
      for (const auto& part : one.parts) CHECK(holds(text, part));
    }
  }
  SUBCASE("what can't be opened or read") {
    CHECK(holds(complaint((folder.path / "nowhere").string(), good_labels), "nowhere: cannot open: No such file"));
    CHECK(holds(complaint(folder.path.string(), good_labels), folder.path.string() + ": cannot read: Is a directory"));
  }
  SUBCASE("gzip'ed files that are cut off or damaged") {
    const auto whole = folder.write_gz("whole.gz", images(2));
    bytes packed;
    {
      std::ifstream in(whole, std::ios::binary);
      packed.assign(std::istreambuf_iterator<char>(in), {});
    }
    CHECK(holds(complaint(folder.write("cut.gz", packed.substr(0, packed.size() / 2)), good_labels), "cut.gz: "));
    // The checksum at the end is read although all pixels are there already.
    CHECK(holds(complaint(folder.write("tail.gz", packed.substr(0, packed.size() - 6)), good_labels),
                "tail.gz: cannot read"));
    packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
    CHECK(holds(complaint(folder.write("crc.gz", packed), good_labels), "crc.gz: cannot read"));
  }
}

TEST_CASE("the synthetic set is the same every time") {
  const auto one = mnist::make_synthetic(50, 20), two = mnist::make_synthetic(50, 20);
  CHECK(one.train.size() == 50);
  CHECK(one.test.size() == 20);
  CHECK(one.train.pixels.size() == 50 * mnist::image_size);
  CHECK(one.train.pixels == two.train.pixels);
  CHECK(one.test.labels == two.test.labels);
  CHECK(*std::max_element(one.train.labels.begin(), one.train.labels.end()) <= 9);
}

TEST_CASE("the ranks' shares are disjoint and cover each global batch, whatever the number of ranks") {
  struct row {
    std::size_t count, batch;
    int size;
  };
  for (const auto& one : {row{10, 4, 1}, row{100, 7, 3}, row{60, 12, 4}, row{5, 2, 4}, row{3, 128, 5}}) {
    const auto count = one.count, batch = one.batch;
    const int size = one.size;
    CAPTURE(count);
    CAPTURE(batch);
    CAPTURE(size);
    mnist::sampler alone(count, batch, 0, 1, 42);
    std::vector<mnist::sampler> ranks;
    for (int rank = 0; rank < size; ++rank) ranks.emplace_back(count, batch, rank, size, 42);
    alone.start_epoch(3);
    std::vector<int> seen(count, 0);
    for (auto& rank : ranks) rank.start_epoch(3);
    for (std::size_t b = 0; b < alone.batches(); ++b) {
      const auto whole = alone.share(b);
      CHECK(whole.size() == alone.global_size(b));
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        CHECK(ranks[rank].global_size(b) == whole.size());
        const auto share = ranks[rank].share(b);
        CHECK(share.size() <= ranks[rank].largest_share());
        for (std::size_t i = 0; i < share.size(); ++i) {
          CHECK(share[i] == whole[rank + i * ranks.size()]);
          ++seen[share[i]];
        }
      }
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("each epoch has its own order, which depends on the seed and the epoch alone") {
  mnist::sampler one(1000, 1000, 0, 1, 1), two(1000, 1000, 0, 1, 1), other(1000, 1000, 0, 1, 2);
  const auto order = [](mnist::sampler& from, std::uint64_t epoch) {
    from.start_epoch(epoch);
    const auto share = from.share(0);
    return std::vector<std::uint32_t>(share.begin(), share.end());
  };
  const auto first = order(one, 1);
  CHECK(first != order(one, 2));
  order(two, 7);
  CHECK(first == order(two, 1));
  CHECK(first != order(other, 1));
}

TEST_CASE("random numbers are fixed, so that every machine draws the same weights") {
  auto engine = mnist::make_engine(1, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = static_cast<double>(mnist::draw_normal(engine));
    sum += value;
    squares += value * value;
  }
  CHECK(std::abs(sum / 100000) < 0.02);
  CHECK(std::abs(squares / 100000 - 1) < 0.02);
}

TEST_CASE("the gradients are those of the loss, and add up over shares") {
  const auto set = mnist::make_synthetic(12, 1).train;
  const auto fill = [&](std::size_t first, std::size_t step) {
    mnist::batch part(12);
    for (std::size_t i = first; i < 12; i += step) part.add(set, i);
    return part;
  };
  mnist::mlp model({784, 6, 5, 10}, 12, 3);
  REQUIRE(model.parameters().size() == 784 * 6 + 6 + 6 * 5 + 5 + 5 * 10 + 10);
  const auto all = fill(0, 1);
  const double loss = model.loss_and_gradients(all);
  const std::vector<float> whole(model.gradients().begin(), model.gradients().end());

  // Against central differences, in the weights and biases of each layer.
  const std::size_t end = whole.size();
  for (const std::size_t at : {std::size_t{2000}, std::size_t{784 * 6 + 1}, end - 90, end - 63, end - 40, end - 3}) {
    CAPTURE(at);
    constexpr float nudge = 1e-2F;
    float& parameter = model.parameters()[at];
    const float kept = parameter;
    parameter = kept + nudge;
    const double above = model.loss_and_gradients(all);
    parameter = kept - nudge;
    const double below = model.loss_and_gradients(all);
    parameter = kept;
    CHECK((above - below) / (2 * static_cast<double>(nudge)) ==
          doctest::Approx(static_cast<double>(whole[at])).epsilon(0.05));
  }

  double loss_of_shares = 0;
  std::vector<float> sum(whole.size(), 0.0F);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    loss_of_shares += model.loss_and_gradients(fill(rank, 3));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += model.gradients()[i];
  }
  CHECK(loss_of_shares == doctest::Approx(loss).epsilon(1e-6));
  double worst = 0;
  for (std::size_t i = 0; i < sum.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(sum[i] - whole[i])));
  CHECK(worst < 1e-4);

  CHECK(model.loss_and_gradients(mnist::batch(12)) == 0.0);  // an empty share
  CHECK(std::all_of(model.gradients().begin(), model.gradients().end(), [](float g) { return g == 0.0F; }));
  CHECK(model.correct(mnist::batch(12)) == 0);
}

TEST_CASE("one bit of one parameter changes the fingerprint, and the message names the rank") {
  std::vector<float> values(1000, 0.0F);
  const auto before = mnist::fingerprint(values);
  values[500] = -0.0F;
  CHECK(mnist::fingerprint(values) != before);

  CHECK_NOTHROW(mnist::require_identical(std::array<std::uint64_t, 3>{before, before, before}));
  CHECK_THROWS_WITH(mnist::require_identical(std::array<std::uint64_t, 3>{1, 1, 2}),
                    "parameters differ: rank 0 has fingerprint 0000000000000001, rank 2 has 0000000000000002");
}

mnist::options parse(std::vector<const char*> arguments) { return mnist::parse_options(arguments); }

std::string refusal(std::vector<const char*> arguments) {
  try {
    (void)mnist::parse_options(arguments);
    return "";
  } catch (const mnist::options_error& error) {
    return error.what();
  }
}

TEST_CASE("options are read") {
  const auto plain = parse({});
  CHECK(!plain.ranks);
  CHECK(plain.hidden == std::vector<std::size_t>{300});
  CHECK(plain.epochs == 10);
  CHECK(!plain.check);

  const auto given =
      parse({"--ranks", "3",    "--hidden=512,256", "--lr",    "0.5", "--momentum", "0", "--check",  "--seed", "0",
             "--data",  "here", "--batch=2",        "--limit", "9",   "--epochs",   "4", "--epochs", "5",      "--plot",
             "c.svg"});
  CHECK(given.ranks == 3);
  CHECK(given.hidden == std::vector<std::size_t>{512, 256});
  CHECK(given.rate == 0.5F);
  CHECK(given.momentum == 0.0F);
  CHECK(given.check);
  CHECK(given.data == "here");
  CHECK(given.batch == 2);
  CHECK(given.limit == std::size_t{9});
  CHECK(given.epochs == 5);
  CHECK(given.plot == "c.svg");
}

TEST_CASE("options that can't be understood are named, with what was expected and found") {
  CHECK(refusal({"--epoch", "3"}) == "unknown option '--epoch'; --help lists them");
  CHECK(refusal({"3"}) == "unknown option '3'; --help lists them");
  CHECK(refusal({"--epochs"}) == "--epochs: the value is missing");
  CHECK(refusal({"--epochs", "3x"}) == "--epochs: expected a whole number from 1 to 2147483647, found '3x'");
  CHECK(refusal({"--ranks=0"}) == "--ranks: expected a whole number from 1 to 2147483647, found '0'");
  CHECK(refusal({"--batch", "99999999999999999999"}).starts_with("--batch: expected a whole number"));
  CHECK(refusal({"--hidden", "512,,10"}) == "--hidden: expected a whole number from 1 to 65536, found ''");
  CHECK(refusal({"--hidden", "512,"}) == "--hidden: expected a whole number from 1 to 65536, found ''");
  CHECK(refusal({"--lr", "inf"}) == "--lr: expected a number above 0, found 'inf'");
  CHECK(refusal({"--momentum", "1"}) == "--momentum: expected a number from 0 to below 1, found '1'");
  CHECK(refusal({"--transport", "pigeon"}) == "--transport: expected shm, threads, mpi or hybrid, found 'pigeon'");
  CHECK(refusal({"--check=yes"}) == "--check takes no value");
  CHECK(refusal({"--plot", ""}) == "--plot: expected a name, found ''");
}

TEST_CASE("curves are written as SVG and CSV, and a disk that is full is an error") {
  const scratch_folder folder;
  const mnist::history epochs = {{0.5, 0.9, 1000, 0.1}, {0.25, 0.95, 1000, 0.1}};
  for (const char* name : {"curve.svg", "other"}) {
    CAPTURE(name);
    mnist::write_curves((folder.path / name).string(), epochs);
    const auto stem = folder.path / fs::path(name).stem();
    std::ifstream svg(stem.string() + ".svg"), csv(stem.string() + ".csv");
    const bytes picture((std::istreambuf_iterator<char>(svg)), {}), table((std::istreambuf_iterator<char>(csv)), {});
    CHECK(picture.starts_with("<svg"));
    CHECK(picture.ends_with("</svg>\n"));
    CHECK(!holds(picture, "nan"));
    CHECK(holds(table, "\n2,0.25,0.95,"));
  }
  CHECK(!holds(mnist::curves_as_svg({}), "nan"));

  CHECK_THROWS_WITH(mnist::write_curves((folder.path / "no" / "c.svg").string(), epochs),
                    doctest::Contains("no/c.svg: No such file or directory"));
  CHECK_THROWS_WITH(mnist::write_curves(folder.path.string(), epochs), doctest::Contains("Is a directory"));
  if (fs::is_character_file("/dev/full")) {
    CHECK_THROWS_WITH(mnist::write_curves("/dev/full", epochs), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
