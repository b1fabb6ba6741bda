#include "base/plan_evaluation.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind {
namespace {

using testing::HasSubstr;

Launch launch_of(std::array<std::string, 3> grid, std::array<std::string, 3> block,
                 std::string shared = "0") {
  Launch launch;
  launch.kernel = "k";
  launch.grid = std::move(grid);
  launch.block = std::move(block);
  launch.shared_bytes = std::move(shared);
  return launch;
}

template <class T>
T value_of(const std::string& bytes) {
  EXPECT_EQ(bytes.size(), sizeof(T));
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(PlanEvaluation, GridAndSharedBytesSeeTheBlock) {
  LaunchPlan plan;
  plan.constants["TILE"] = 32;
  const auto launch = launch_of({"ceil_div(n, block_x)", "block_y", "1"}, {"TILE * 4", "2", "1"},
                                "block_x * block_y * block_z * 4");

  const auto evaluated = evaluate_launch(launch, plan, {{"n", 1000}});

  ASSERT_TRUE(evaluated.has_value()) << evaluated.error().message;
  EXPECT_EQ(evaluated->block, (std::array<std::uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(evaluated->grid, (std::array<std::uint32_t, 3>{8, 2, 1}));
  EXPECT_EQ(evaluated->shared_bytes, 1024U);
}

struct LimitCase {
  const char* name;
  Launch launch;
  const char* message;
};

TEST(PlanEvaluation, HoldsLaunchesToTheLimitsOfCuda) {
  const std::vector<LimitCase> cases{
      {"grid x", launch_of({"2147483648", "1", "1"}, {"1", "1", "1"}), "outside 1 to 2147483647"},
      {"grid y", launch_of({"1", "65536", "1"}, {"1", "1", "1"}), "grid y: expression '65536'"},
      {"grid z", launch_of({"1", "1", "0"}, {"1", "1", "1"}), "grid z: expression '0' gives 0"},
      {"block x", launch_of({"1", "1", "1"}, {"1025", "1", "1"}), "block x: expression '1025'"},
      {"block z", launch_of({"1", "1", "1"}, {"1", "1", "65"}), "outside 1 to 64"},
      {"threads", launch_of({"1", "1", "1"}, {"64", "32", "1"}), "the block has 2048 threads"},
      {"shared", launch_of({"1", "1", "1"}, {"1", "1", "1"}, "232449"), "outside 0 to 232448"},
      {"negative", launch_of({"1", "1", "1"}, {"1", "1", "1"}, "-1"), "shared_bytes: expression"},
      {"unknown", launch_of({"m", "1", "1"}, {"1", "1", "1"}), "unknown size 'm'"},
      {"block in block", launch_of({"1", "1", "1"}, {"8", "block_x", "1"}), "unknown size"},
  };
  for (const auto& each : cases) {
    const auto evaluated = evaluate_launch(each.launch, {}, {});
    ASSERT_FALSE(evaluated.has_value()) << each.name;
    EXPECT_EQ(evaluated.error().code, Errc::invalid_argument) << each.name;
    EXPECT_THAT(evaluated.error().message, HasSubstr("launch of 'k': ")) << each.name;
    EXPECT_THAT(evaluated.error().message, HasSubstr(each.message)) << each.name;
  }
}

TEST(PlanEvaluation, RefusesNamesThatMeanTwoThings) {
  LaunchPlan plan;
  plan.constants["n"] = 3;
  EXPECT_THAT(names_of(plan, {{"n", 4}}).error().message, HasSubstr("has the name of a size"));
  EXPECT_THAT(names_of({}, {{"block_x", 4}}).error().message, HasSubstr("reserved"));
}

TEST(PlanEvaluation, ScratchHasAtLeastOneElement) {
  ScratchBuffer scratch;
  scratch.name = "s";
  scratch.dtype = Dtype::f64;
  scratch.elements = "n * 2";

  EXPECT_EQ(*evaluate_scratch_elements(scratch, {}, {{"n", 5}}), 10);
  EXPECT_THAT(evaluate_scratch_elements(scratch, {}, {{"n", 0}}).error().message,
              HasSubstr("scratch buffer 's': "));
  scratch.elements = "1152921504606846976";  // times 8 bytes is 2^63
  EXPECT_FALSE(evaluate_scratch_elements(scratch, {}, {}).has_value());
}

TEST(PlanEvaluation, ScalarsBecomeLittleEndianBytes) {
  const Sizes sizes{{"rows", 7}};
  EXPECT_EQ(value_of<std::int32_t>(*evaluate_scalar_bytes("i32:rows*2", {}, sizes)), 14);
  EXPECT_EQ(value_of<std::int64_t>(*evaluate_scalar_bytes("i64:-rows", {}, sizes)), -7);
  EXPECT_EQ(value_of<std::uint8_t>(*evaluate_scalar_bytes("u8:255", {}, sizes)), 255);
  EXPECT_EQ(value_of<float>(*evaluate_scalar_bytes("f32:1e-5", {}, sizes)), 1e-5F);
  EXPECT_EQ(value_of<double>(*evaluate_scalar_bytes("f64: -0.1 ", {}, sizes)), -0.1);
  EXPECT_EQ(value_of<float>(*evaluate_scalar_bytes("f32:rows", {}, sizes)), 7.0F);
}

TEST(PlanEvaluation, SmallFloatsRoundToNearestEven) {
  const auto half = [](const char* text) {
    return value_of<std::uint16_t>(*evaluate_scalar_bytes(std::string("f16:") + text, {}, {}));
  };
  EXPECT_EQ(half("0"), 0x0000);
  EXPECT_EQ(half("-0.0"), 0x8000);
  EXPECT_EQ(half("1"), 0x3c00);
  EXPECT_EQ(half("-2.5"), 0xc100);
  EXPECT_EQ(half("65504"), 0x7bff);
  EXPECT_EQ(half("1.00048828125"), 0x3c00);          // halfway to the next: even stays
  EXPECT_EQ(half("1.00146484375"), 0x3c02);          // halfway: even is above
  EXPECT_EQ(half("5.9604644775390625e-8"), 0x0001);  // the smallest denormal
  EXPECT_EQ(half("6.097555160522461e-5"), 0x03ff);   // the largest denormal
  EXPECT_EQ(half("6.103515625e-5"), 0x0400);         // the smallest normal
  EXPECT_EQ(value_of<std::uint16_t>(*evaluate_scalar_bytes("bf16:3.140625", {}, {})), 0x4049);
}

TEST(PlanEvaluation, RefusesScalarsThatDoNotFit) {
  for (const char* text : {"i8:128", "u32:-1", "f16:65520", "f32:1e39", "f64:1e999", "f32:nan",
                           "i32:1.5", "f33:1", "rows", "i32:", "i32:1/0"}) {
    const auto bytes = evaluate_scalar_bytes(text, {}, {{"rows", 1}});
    ASSERT_FALSE(bytes.has_value()) << text;
    EXPECT_THAT(bytes.error().message, HasSubstr(std::string("scalar '") + text + "'")) << text;
  }
}

TEST(PlanEvaluation, TheReferenceSeesTheRoundedScalar) {
  Argument argument;
  argument.name = "alpha";
  argument.kind = ArgumentKind::scalar;
  argument.value = "0.1";
  for (const auto& [dtype, expected] :
       std::initializer_list<std::pair<Dtype, double>>{{Dtype::f64, 0.1},
                                                       {Dtype::f32, static_cast<double>(0.1F)},
                                                       {Dtype::f16, 0.0999755859375},
                                                       {Dtype::bf16, 0.10009765625}}) {
    argument.dtype = dtype;
    EXPECT_EQ(*evaluate_scalar_value(argument, {}), expected) << name_of(dtype);
  }
  argument.dtype = Dtype::i8;
  argument.value = "-n";
  EXPECT_EQ(*evaluate_scalar_value(argument, {{"n", 128}}), -128);
  EXPECT_THAT(evaluate_scalar_value(argument, {{"n", 129}}).error().message,
              HasSubstr("scalar argument 'alpha': -129 does not fit"));
}

}  // namespace
}  // namespace warpmind
