#include "profilers/job/job_codec.h"

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

Program full_program() {
  Program program;
  program.tier = Tier::b;
  program.binary = "k.so";
  program.entry = "run";
  program.scratch = {{"partial", 4096, true}};
  LaunchCall call;
  call.kernel = "k\n\"quoted\"";
  call.grid = {1, 2, 3};
  call.block = {32, 4, 2};
  call.shared_bytes = 99'000;
  call.arguments = {{"x", ""}, {"", "0000803f", Dtype::f32}};
  program.launches = {call};
  return program;
}

RunnerJob full_job() {
  RunnerJob job;
  job.mode = JobMode::profile;
  RunCase run_case;
  run_case.id = "tiny/0";
  run_case.buffers = {{"x", 64, "in/x.bin", "out/x.bin"}};
  run_case.candidate = full_program();
  run_case.incumbent = full_program();
  run_case.incumbent.tier = Tier::a;
  job.cases = {run_case};
  job.repeat_bitwise = false;
  job.quads = 3;
  job.block_ms = 0.5;
  job.order_seed = 0xFFFFFFFFFFFFFFFFU;
  job.metrics = {"gpu__time_duration.sum"};
  return job;
}

TEST(JobCodec, ARunnerJobSurvivesTheWireOnOneLine) {
  const RunnerJob job = full_job();

  const std::string line = encode(job);
  const auto decoded = decode_runner_job(line);

  EXPECT_EQ(line.find('\n'), std::string::npos);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, job);
}

TEST(JobCodec, ARunnerReportSurvivesTheWire) {
  RunnerReport report;
  report.ok = true;
  report.error = "e";
  report.no_device = true;
  report.device = {"NVIDIA H200", "GPU-1", 9, 0, 132, 150'109'880'320, 62'914'560, "580", "13.0"};
  report.cases = {{"tiny/0", CaseStatus::nondeterministic, "m", 12.5}};
  report.quads = {{{1.5, 2.5}, {3.5, 4.5}}};
  report.launches_per_block = 20;
  report.sm_clock_mhz = 1980;
  report.throttle = "hw_thermal";
  report.kernels = {{"k", 0.5, {{"m", 1.25, "ns"}}}};
  report.absent = {"launch__x"};
  report.counters_refused = true;
  report.counters_note = "n";
  report.lines = {{"k", 3, {{"warpmind__line_samples_pct", 50, "percent"}}}};
  report.lines_note = "l";

  const auto decoded = decode_runner_report(encode(report));

  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, report);
}

TEST(JobCodec, JudgeMessagesSurviveTheWire) {
  JudgeJob job;
  job.command = JudgeCommand::compare;
  job.task.name = "t";
  job.task.arguments = {
      {"x", ArgumentKind::in, Dtype::bf16, {"n"}, "", {Distribution::exact}, 1, 2}};
  job.task.workloads = {{"tiny", {{"n", 4}}, true}};
  job.task.contract.ulp = 4;
  job.reference_library = "/r.so";
  job.directory = "/d";
  job.workloads = {"tiny"};
  job.seeds = 2;
  job.fixed_seed = 7;
  job.cases = {"tiny/0"};
  job.baseline_error = 1e-3;
  job.expected_directory = "/scratch/given";
  job.given_itself = true;
  JudgeReply reply;
  reply.ok = true;
  reply.error = "e";
  reply.cases = {{"tiny/0", "tiny", "normal", {{"x", "in/x"}}, {{"y", "out/y"}}}};
  reply.correctness = {true, 1, 4, 0.5, 1e-3, "w"};

  const auto decoded_job = decode_judge_job(encode(job));
  const auto decoded_reply = decode_judge_reply(encode(reply));

  ASSERT_TRUE(decoded_job) << decoded_job.error().message;
  EXPECT_EQ(*decoded_job, job);
  ASSERT_TRUE(decoded_reply) << decoded_reply.error().message;
  EXPECT_EQ(*decoded_reply, reply);
}

TEST(JobCodec, MissingMembersKeepTheirDefaults) {
  const auto job = decode_runner_job(R"({"mode":"check"})");

  ASSERT_TRUE(job);
  EXPECT_EQ(job->quads, 10);
  EXPECT_TRUE(job->repeat_bitwise);
}

TEST(JobCodec, SaysWhatDoesNotFit) {
  for (const auto& [line, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "invalid JSON"},
           {"[]", "not a JSON object"},
           {R"({"mode":"run"})", "'run' is none of identify"},
           {R"({"quads":"ten"})", "'quads' must be a number, not string"},
           {std::string(100, '['), "nested deeper"}}) {
    const auto job = decode_runner_job(line);
    ASSERT_FALSE(job) << line;
    EXPECT_NE(job.error().message.find(words), std::string::npos) << job.error().message;
    EXPECT_NE(job.error().message.find("runner job"), std::string::npos) << job.error().message;
  }
}

}  // namespace
}  // namespace warpmind::profilers
