// The point table of tests/bench/validation and the times measured for it belong together.

#include "base/file.h"
#include "tests/bench/validation/buffer_data.h"
#include "tests/bench/validation/point_table.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::validation {
namespace {

std::vector<Point> points() {
  auto points =
      read_points(std::string(WARPMIND_SOURCE_DIR) + "/tests/bench/validation/points.toml");
  EXPECT_TRUE(points.has_value()) << points.error().message;
  return points.value_or(std::vector<Point>{});
}

nlohmann::json measured() {
  std::ifstream file(std::string(WARPMIND_TEST_DATA) + "/validation/h200.json");
  return nlohmann::json::parse(file);
}

TEST(ValidationTable, HasEnoughPointsWithNamesOfTheirOwn) {
  const auto all = points();
  std::set<std::string> ids;
  std::set<std::string> families;
  for (const Point& point : all) {
    ids.insert(point.id);
    families.insert(point.family);
  }
  EXPECT_GE(all.size(), 200U);
  EXPECT_EQ(ids.size(), all.size());
  EXPECT_GE(families.size(), 6U);
}

TEST(ValidationTable, EveryPointWasMeasuredAsTheTableSaysIt) {
  const auto report = measured();
  std::map<std::string, nlohmann::json> by_id;
  for (const auto& entry : report["points"]) by_id[entry["id"]] = entry;
  for (const Point& point : points()) {
    ASSERT_TRUE(by_id.contains(point.id)) << point.id;
    const auto& entry = by_id[point.id];
    EXPECT_EQ(entry["build"], point.build) << point.id;
    EXPECT_EQ(entry["grid"], nlohmann::json(point.launch.grid)) << point.id;
    EXPECT_EQ(entry["block"], nlohmann::json(point.launch.block)) << point.id;
    EXPECT_GT(entry["us"][0], 1.0) << point.id;
    EXPECT_EQ(entry["counters"].size(), report["counter_names"].size()) << point.id;
  }
}

TEST(ValidationTable, VariantsOfAGroupComputedTheSame) {
  const auto report = measured();
  std::map<std::string, nlohmann::json> by_id;
  for (const auto& entry : report["points"]) by_id[entry["id"]] = entry;
  std::map<std::string, std::string> first_of_group;
  std::size_t compared = 0;
  for (const Point& point : points()) {
    const auto [at, is_first] =
        first_of_group.emplace(point.family + "/" + point.group + "/" + point.size, point.id);
    if (is_first) continue;
    const auto& one = by_id[at->second]["sum"];
    const auto& other = by_id[point.id]["sum"];
    const double scale = std::max(one[2].get<double>(), 1.0);
    EXPECT_NEAR(one[0].get<double>(), other[0].get<double>(), 1e-4 * scale) << point.id;
    EXPECT_NEAR(one[1].get<double>(), other[1].get<double>(), 61e-4 * scale) << point.id;
    ++compared;
  }
  EXPECT_GE(compared, 150U);
}

TEST(ValidationBuffers, ACycleVisitsEveryIndexOnce) {
  const Buffer buffer{"next", Dtype::u32, 4096, Fill::cycle, 0, false};
  const std::string bytes = initial_bytes(buffer, 0);
  ASSERT_EQ(bytes.size(), 4096U * 4);
  std::set<std::uint32_t> seen;
  std::uint32_t at = 0;
  for (int i = 0; i < 4096; ++i) {
    std::memcpy(&at, bytes.data() + std::size_t{at} * 4, 4);
    seen.insert(at);
  }
  EXPECT_EQ(seen.size(), 4096U);
  EXPECT_EQ(at, 0U);
}

TEST(ValidationBuffers, UniformStaysInRangeAndBelowUnderItsLimit) {
  const Buffer floats{"x", Dtype::f32, 10000, Fill::uniform, 0, false};
  const Checksum sums = checksum_of(initial_bytes(floats, 0), Dtype::f32);
  EXPECT_NEAR(sums.magnitude / 10000, 0.5, 0.02);
  EXPECT_NEAR(sums.sum / 10000, 0.0, 0.02);
  const Buffer halves{"x", Dtype::f16, 10000, Fill::uniform, 0, false};
  EXPECT_NEAR(checksum_of(initial_bytes(halves, 0), Dtype::f16).magnitude / 10000, 0.5, 0.02);
  const Buffer below{"x", Dtype::u32, 10000, Fill::below, 7, false};
  std::set<std::uint32_t> seen;
  const std::string bytes = initial_bytes(below, 0);
  for (std::size_t i = 0; i < 10000; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + i * 4, 4);
    seen.insert(value);
  }
  EXPECT_THAT(seen, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

class WrittenTable : public ::testing::Test {
 protected:
  Result<std::vector<Point>> read(const std::string& variant) {
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    const auto file = std::filesystem::path(::testing::TempDir()) / ("points_" + test + ".toml");
    std::ofstream(file) << "[[family]]\nname = \"f\"\narguments = [\"x\", \"i32:n\"]\n"
                           "size = [ { name = \"small\", n = 64 } ]\n"
                           "buffer = [ { name = \"x\", dtype = \"f32\", elements = \"n\", "
                           "fill = \"uniform\", output = true } ]\n"
                           "variant = [ { name = \"v\", file = \"k\", kernel = \"k\", " +
                               variant + " } ]\n";
    return read_points(file);
  }
};

TEST_F(WrittenTable, NamesABuildByItsConstants) {
  const auto points = read("constants = { B = 2, A = 1 }, grid = [\"n / B\"], block = [32]");
  ASSERT_TRUE(points.has_value()) << points.error().message;
  EXPECT_EQ(points->front().build, "k-A_1-B_2");
  EXPECT_EQ(points->front().launch.grid[0], 32U);
  EXPECT_EQ(points->front().id, "f/v/small");
}

TEST_F(WrittenTable, RefusesAnUnknownSizeAndAnUnknownKey) {
  const auto size = read("grid = [1], block = [32], sizes = [\"large\"]");
  ASSERT_FALSE(size.has_value());
  EXPECT_THAT(size.error().message, ::testing::HasSubstr("names a size that the family lacks"));
  const auto key = read("grid = [1], block = [32], stage = 2");
  ASSERT_FALSE(key.has_value());
  EXPECT_THAT(key.error().message, ::testing::HasSubstr("stage"));
}

}  // namespace
}  // namespace warpmind::validation
