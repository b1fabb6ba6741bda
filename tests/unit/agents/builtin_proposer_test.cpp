#include "agents/builtin/builtin_proposer.h"

#include "tests/unit/agents/planted_task.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

class BuiltinProposerTest : public testing::Test {
 protected:
  [[nodiscard]] ProposalContext context() const {
    return {task_, task_.kernel, bottleneck_, advice_, device_};
  }
  Candidate write(const std::string& technique, const std::string& parameters) {
    auto written = proposer_.write({technique, parameters, 1}, context(), {});
    EXPECT_TRUE(written.has_value());
    EXPECT_TRUE(written->candidate.has_value()) << technique;
    return *written->candidate;
  }
  [[nodiscard]] std::vector<std::string> offered(const std::string& technique) const {
    std::vector<std::string> parameters;
    for (const auto& move : proposer_.moves(context())) {
      if (move.technique == technique) parameters.push_back(move.parameters);
    }
    return parameters;
  }

  Task task_ = planted_task();
  Bottleneck bottleneck_;
  Advice advice_;
  DeviceSpec device_;
  BuiltinProposer proposer_;
};

TEST_F(BuiltinProposerTest, OffersEveryTechniqueThatChangesTheKernel) {
  for (const auto* name : {"block_size", "launch_bounds", "restrict", "unroll", "fast_math",
                           "fast_intrinsics", "register_limit"}) {
    EXPECT_FALSE(offered(name).empty()) << name;
  }
  EXPECT_THAT(offered("block_size"), Not(testing::Contains("block=256x1x1")));
}

TEST_F(BuiltinProposerTest, SweepsABlockOnlyWhenTheGridFollows) {
  task_.kernel.plan.launches[0].grid[0] = "16";

  EXPECT_TRUE(offered("block_size").empty());
}

TEST_F(BuiltinProposerTest, SweepsTilesWhenTheGridFollowsInTwoAxes) {
  task_.kernel.plan.launches[0].grid[1] = "ceil_div(n, block_y)";
  task_.kernel.plan.launches[0].block = {"16", "16", "1"};

  const auto candidate = write("block_size", "block=32x8x1");

  EXPECT_EQ(candidate.kernel.plan.launches[0].block, (std::array<std::string, 3>{"32", "8", "1"}));
}

TEST_F(BuiltinProposerTest, EditsAreExact) {
  EXPECT_THAT(write("restrict", "").kernel.source,
              HasSubstr("const float* __restrict__ x, float* __restrict__ y, int n"));
  EXPECT_THAT(write("unroll", "factor=4").kernel.source,
              HasSubstr("    #pragma unroll 4\n    for (int m"));
  EXPECT_THAT(write("launch_bounds", "blocks=2").kernel.source,
              HasSubstr("__global__ __launch_bounds__(256, 2) void k("));
  const auto intrinsics = write("fast_intrinsics", "").kernel.source;
  EXPECT_THAT(intrinsics, HasSubstr("sum += __expf(x[i])"));
  EXPECT_THAT(intrinsics, HasSubstr("// expf( in a comment stays"));
  EXPECT_EQ(write("register_limit", "--maxrregcount=64").kernel.build_flags,
            std::vector<std::string>{"--maxrregcount=64"});
}

TEST_F(BuiltinProposerTest, ASecondEditOfTheSameKindReplacesOrIsRefused) {
  task_.kernel = write("restrict", "").kernel;
  EXPECT_TRUE(offered("restrict").empty());
  task_.kernel = write("unroll", "factor=4").kernel;
  EXPECT_TRUE(offered("unroll").empty());
  task_.kernel = write("register_limit", "--maxrregcount=64").kernel;
  EXPECT_EQ(write("register_limit", "--maxrregcount=32").kernel.build_flags,
            std::vector<std::string>{"--maxrregcount=32"});
}

TEST_F(BuiltinProposerTest, PredictsWhatTheBaseHasSeen) {
  advice_.techniques = {{"restrict", 1.4, 1.2, 1.6, 0.9, 3, "device", "gained 1.4x"}};

  const auto candidate = write("restrict", "");

  EXPECT_DOUBLE_EQ(candidate.predicted_gain, 1.4);
  EXPECT_DOUBLE_EQ(candidate.predicted_low, 1.2);
  EXPECT_THAT(candidate.rationale, HasSubstr("gained 1.4x"));
}

TEST_F(BuiltinProposerTest, StarvedDevicesAreOfferedSmallBlocksFirst) {
  bottleneck_.primary = BottleneckClass::low_parallelism;

  auto moves = proposer_.moves(context());
  std::erase_if(moves, [](const Move& move) { return move.technique != "block_size"; });
  const auto best = std::max_element(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
    return a.prior_gain < b.prior_gain;
  });

  EXPECT_EQ(best->parameters, "block=32x1x1");
}

TEST_F(BuiltinProposerTest, UnknownTechniqueIsAnError) {
  EXPECT_FALSE(proposer_.write({"magic", "", 1}, context(), {}).has_value());
}

}  // namespace
}  // namespace warpmind::agents::builtin
