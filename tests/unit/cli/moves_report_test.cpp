#include "clients/cli/report/moves_report.h"

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

protocol::MovesExplainResult sample() {
  protocol::MovesExplainResult result;
  result.name = "row_softmax_f16";
  result.device = "NVIDIA H200";
  result.kernel.source = "a\nb\n";
  ExplainedTechnique unroll;
  unroll.technique = "unroll";
  unroll.rationale = "more loads in flight";
  unroll.moves = {{"factor=8", 1.1}, {"factor=4", 1.05}};
  unroll.kernels = {"row_softmax"};
  unroll.rewritten = result.kernel;
  unroll.rewritten->source = "a\n#pragma unroll 8\nb\n";
  ExplainedTechnique scan;
  scan.technique = "block_scan";
  scan.refusal = "no prefix loop";
  ExplainedTechnique warp;
  warp.technique = "warp_per_output";
  warp.moves = {{"lanes=32", 12}};
  result.techniques = {scan, unroll, warp};
  return result;
}

TEST(MovesReport, BestFirstThenThoseThatDoNotApply) {
  const std::string text = render_moves(sample(), false, {});

  EXPECT_NE(text.find("nothing was built or measured"), std::string::npos);
  const auto warp = text.find("warp_per_output");
  const auto unroll = text.find("unroll");
  const auto scan = text.find("block_scan");
  EXPECT_LT(warp, unroll);
  EXPECT_LT(unroll, scan);
  EXPECT_NE(text.find("no prefix loop"), std::string::npos);
  EXPECT_NE(text.find("factor=8, factor=4"), std::string::npos);
  EXPECT_NE(text.find("in row_softmax"), std::string::npos);
  EXPECT_EQ(text.find("#pragma"), std::string::npos);
}

TEST(MovesReport, ShowsDiffsWhenAsked) {
  EXPECT_NE(render_moves(sample(), true, {}).find("+#pragma unroll 8"), std::string::npos);
}

TEST(MovesReport, HostCodeHasAHeadingOfItsOwn) {
  auto result = sample();
  HostEdit sync;
  sync.name = "drop_redundant_sync";
  sync.rationale = "streams keep the order";
  sync.places = {"line 2: the wait goes"};
  sync.text = "a\n";
  HostEdit direct;
  direct.name = "direct_output";
  direct.refusal = "no copy";
  result.host = {direct, sync};

  const std::string brief = render_moves(result, false, {});
  const auto heading = brief.find("\nhost code\n");
  ASSERT_NE(heading, std::string::npos);
  EXPECT_NE(brief.find("direct_output does not apply: no copy", heading), std::string::npos);
  EXPECT_NE(brief.find("line 2: the wait goes", heading), std::string::npos);
  EXPECT_EQ(brief.find("-b"), std::string::npos);
  EXPECT_NE(render_moves(result, true, {}).find("\n-b\n"), std::string::npos);
}

TEST(MovesReport, ForeignTextCannotSteerTheTerminal) {
  auto result = sample();
  result.techniques[0].refusal = "a\x1b[2Jb";
  EXPECT_EQ(render_moves(result, true, {}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warpmind::clients
