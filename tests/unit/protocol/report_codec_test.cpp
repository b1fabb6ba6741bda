// Reports of the lab and the agents as results of methods: what travels of them, under which names.

#include "base/codec/json_guard.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/guest_messages.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/program_messages.h"
#include "daemon/protocol/program_task_messages.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

using nlohmann::json;

template <class T>
json written(const T& value) {
  const auto document = codec::parse_json(encode(value));
  EXPECT_TRUE(document);
  return document ? *document : json();
}

template <class T>
T read(const json& value) {
  const auto document = Document::parse(value.dump());
  EXPECT_TRUE(document);
  auto decoded = decode<T>(*document);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? *decoded : T{};
}

TEST(Reports, OfAProgramNameTheControlThatRefusedItOrNone) {
  ProgramCheck check;
  check.admitted = true;
  check.runs.resize(1);
  check.runs[0].kernels = {{"sum", true, 2, 20, 10, 9, 32}};
  const json admitted = written(check);
  EXPECT_EQ(admitted["refused_by"], "");
  EXPECT_EQ(admitted["provider"], "sim");
  EXPECT_TRUE(admitted["null_run"].is_null());
  EXPECT_EQ(admitted["runs"][0]["kernels"][0]["median_ns"], 10);
  EXPECT_EQ(read<ProgramCheck>(admitted).refused_by, ProgramControl::none);
  check.refused_by = ProgramControl::null_kernels;
  EXPECT_EQ(written(check)["refused_by"], "null_kernels");
  EXPECT_EQ(read<ProgramCheck>(written(check)).refused_by, ProgramControl::null_kernels);
}

TEST(Reports, OfAPartKeepPositionsInTheRecordToThemselves) {
  LiftedProgram program;
  ProgramPart& part = program.parts.emplace_back();
  part.name = "sum";
  part.kernels = {"sum"};
  part.launches = {3};
  part.times = 7;
  program.skipped = {{"other", "it is a template"}};
  const json wire = written(program);
  const json& sent = wire["parts"][0];
  EXPECT_FALSE(sent.contains("launches"));
  EXPECT_EQ(sent["times"], 7);
  EXPECT_EQ(wire["skipped"][0], (json{{"name", "other"}, {"reason", "it is a template"}}));
  EXPECT_EQ(read<LiftedProgram>(wire).parts.at(0).times, 7);
}

TEST(Reports, OfAKernelAreFlatAndLeaveItsMetricsOut) {
  KernelAnalysis analysis;
  AnalyzedKernel& kernel = analysis.kernels.emplace_back();
  kernel.name = "scale<float>";
  kernel.kernel = "_Z5scaleIfEvPf";
  kernel.registers = 40;
  kernel.block_origin = BlockOrigin::launch_bounds;
  kernel.occupancy_limiter = "registers";
  kernel.metrics.resize(1);
  const json sent = written(analysis)["kernels"][0];
  EXPECT_EQ(sent["name"], "scale<float>");
  EXPECT_EQ(sent["registers"], 40);
  EXPECT_EQ(sent["block_origin"], "launch_bounds");
  EXPECT_EQ(sent["occupancy_limiter"], "registers");
  EXPECT_TRUE(sent["predicted_ns"].is_null());
  for (const char* name : {"metrics", "is_template", "kernel"}) EXPECT_FALSE(sent.contains(name));
  EXPECT_EQ(read<KernelAnalysis>(written(analysis)).kernels.at(0).block_origin,
            BlockOrigin::launch_bounds);
}

TEST(Reports, OfACountHaveTheShapeOfTheLaunchButForItsSharedMemory) {
  FlopsCountResult result;
  CountedLaunch& launch = result.launches.emplace_back();
  launch.kernel = "sum";
  launch.grid = {4, 2, 1};
  launch.shared_bytes = 48;
  CountedKernel& kernel = result.kernels.emplace_back();
  kernel.source = CountSource::sass;
  kernel.regions = {{{0, 3, 5}, {{"f32_fma", 4}}, {{"f32", 8}}}};
  const json wire = written(result);
  EXPECT_EQ(wire["launches"][0]["grid"], (json{4, 2, 1}));
  EXPECT_FALSE(wire["launches"][0].contains("shared_bytes"));
  EXPECT_EQ(wire["kernels"][0]["source"], "sass");
  EXPECT_EQ(wire["kernels"][0]["regions"][0]["first_line"], 3);
  EXPECT_EQ(wire["kernels"][0]["regions"][0]["operations"]["f32_fma"], 4);
}

TEST(Reports, BriefsAndSubmissionsKeepTheirNames) {
  EpisodeBrief brief;
  brief.job = JobId("j-0000000007");
  brief.episode = EpisodeId("e-0000000003");
  brief.gradient = "it was slower";
  const json sent = written(brief);
  EXPECT_EQ(sent["job_id"], "j-0000000007");
  EXPECT_EQ(sent["episode_id"], "e-0000000003");
  EXPECT_EQ(sent["gradient"], "it was slower");
  EXPECT_EQ(read<EpisodeBrief>(sent).job, brief.job);
  const auto submission =
      read<EpisodeSubmitParams>({{"job_id", "j-0000000007"}, {"edits", 2}, {"author", "alice"}});
  EXPECT_EQ(submission.job_id, "j-0000000007");
  EXPECT_EQ(submission.edits, 2);
  EXPECT_EQ(submission.author, "alice");
  EXPECT_FALSE(submission.predicted_gain.has_value());
}

}  // namespace
}  // namespace warpmind::daemon::protocol
