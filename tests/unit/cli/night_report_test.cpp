/// \file
/// The morning report of a fixed night, as Markdown and as a page (golden files).

#include "clients/cli/report/night_report.h"

#include "base/file.h"
#include "clients/cli/report/night_charts.h"

#include <cstdlib>

#include <gmock/gmock.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using protocol::QueueReportJob;
using testing::HasSubstr;
using testing::Not;

QueueReportJob improved_job() {
  QueueReportJob job;
  job.job_id = "j-0000000001";
  job.task = "gemm_f16";
  job.user = "ada";
  job.state = JobState::done;
  job.outcome = "improved";
  job.provider = "gpu";
  job.ratio = 4;
  job.low = 3.9;
  job.high = 4.1;
  job.confidence = 0.99;
  job.spent = {3, 120, 42.5, 1200, 30'000};
  job.curve = {1, 2, 4};
  job.lessons = {"tensor_core_mma at tensor_cores_idle on NVIDIA H200: 4.00x, 1 measurement"};
  job.history = {{1, "lane 0", UnixMillis{1}, UnixMillis{2}, "the daemon ended while the job ran"},
                 {2, "lane 0", UnixMillis{3}, UnixMillis{4}, "4.00x"}};
  job.predicted = 2;
  job.covered = 1;
  job.device = "NVIDIA H200";
  job.workload = "large";
  job.bottleneck = "tensor_cores_idle";
  job.given_ns = 512'000;
  job.best_ns = 128'000;
  job.how = {"tensor_core_mma", "async_copy_pipeline"};
  job.candidates = {{"improved", 2}, {"wrong", 1}};
  job.predictions = {{2, 1.5, 2.5, 2}, {1.5, 1.2, 1.8, 2}};
  job.roofline = {170, 4200, 16'800, 989'000, 4800};
  return job;
}

/// As above in the simulator, with names that would be markup.
QueueReportJob predicted_job() {
  QueueReportJob job = improved_job();
  job.job_id = "j-0000000002";
  job.task = "row_sum <b>|*x*";
  job.provider = "sim";
  job.ratio = 1.5;
  job.low = job.high = 1.5;
  job.curve = {1.5};
  job.history.clear();
  job.lessons.clear();
  job.given_ns = 30'000;
  job.best_ns = 20'000;
  job.how = {"warp_per_output"};
  job.candidates = {{"improved", 1}};
  job.predictions = {{1.4, 1.3, 1.6, 1.5}};
  job.predicted = job.covered = 1;
  job.roofline = {0.25, 800, 1200, 60'000, 4800};
  return job;
}

QueueReportJob failed_job() {
  QueueReportJob job;
  job.job_id = "j-0000000003";
  job.task = "softmax";
  job.user = "bob";
  job.state = JobState::failed;
  job.dead = true;
  job.error = "the runner died";
  job.history = {{1, "lane 0", UnixMillis{1}, UnixMillis{2}, "out of memory"}};
  return job;
}

protocol::QueueReportResult fixed_night() {
  protocol::QueueReportResult night;
  night.night = "2026-11-24";
  night.jobs = {improved_job(), predicted_job(), failed_job()};
  night.spent = {4, 260, 85, 2400, 60'000};
  night.charged = night.spent;
  night.outcomes = {{"improved", 2}, {"failed", 1}};
  night.night_limits = {{"gpu_seconds", 3600}, {"usd", 5}, {"tokens", 0}};
  night.insights = {
      {"i-0000000000000001", "added", "tensor cores help <here>", "", "j-0000000001"},
      {"i-0000000000000001", "supported", "tensor cores help <here>", "", "j-0000000001"},
      {"i-0000000000000001", "probation", "tensor cores help <here>", "first evidence",
       "j-0000000001"},
      {"i-0000000000000002", "contradicted", "unroll by 16", "", "j-0000000002"},
      {"i-0000000000000002", "contested", "unroll by 16", "evidence on both sides",
       "j-0000000002"}};
  return night;
}

/// UPDATE_GOLDEN=1 rewrites the files; read what changed before keeping it.
void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::string(WARPMIND_TEST_DATA) + "/reports/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomic(path, text));
  }
  const auto golden = read_file(path, 1U << 20U);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

TEST(NightReport, MarkdownOfAFixedNight) {
  expect_golden("night.md", night_markdown(fixed_night()));
}

TEST(NightReport, PageOfAFixedNight) { expect_golden("night.html", night_html(fixed_night())); }

TEST(NightReport, ThePageLoadsNothingAndTakesNoMarkupFromOthers) {
  const auto html = night_html(fixed_night());
  for (const char* loads :
       {"<script", "http:", "https:", "src=", "href=", "@import", "url(", "<b>"}) {
    EXPECT_THAT(html, Not(HasSubstr(loads)));
  }
  EXPECT_THAT(html, HasSubstr("@media print"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
}

TEST(NightReport, AJobWithoutABetterKernelIsInTheMean) {
  auto night = fixed_night();
  ASSERT_GE(night.jobs.size(), 2U);
  night.jobs[0].ratio = 4;
  night.jobs[1].outcome = "same";
  night.jobs[1].ratio = 0;
  night.jobs.resize(2);

  EXPECT_THAT(night_markdown(night),
              HasSubstr("Geometric mean of the gain over 2 jobs: 2.00×; a job without a better "
                        "kernel counts as 1."));
}

TEST(NightReport, BothFormsSayTheSame) {
  const auto html = night_html(fixed_night());
  const auto markdown = night_markdown(fixed_night());
  for (const char* part :
       {"3 jobs, 2 improved.", "512 µs → 128 µs", "Failures by class", "What was unlearned",
        "Insights on probation or confirmed", "Started again", "What came to nothing",
        "Calibration", "Budget of the night", "nothing was measured there",
        "Evidence for insights"}) {
    EXPECT_THAT(html, HasSubstr(part));
    EXPECT_THAT(markdown, HasSubstr(part));
  }
}

TEST(NightCharts, MeasuredAndPredictedKernelsStandUnderDifferentRoofs) {
  const auto pictures = roofline_svgs(fixed_night().jobs);

  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_THAT(pictures[0] + pictures[1], HasSubstr("TB/s, measured"));
  EXPECT_THAT(pictures[0] + pictures[1], HasSubstr("TB/s, predicted"));
}

TEST(NightCharts, NumbersThatAreNoneDrawNothing) {
  QueueReportJob broken = improved_job();
  broken.roofline.peak_gflops = 0;
  broken.predictions = {{0, -1, 2, 1}};
  broken.curve.clear();

  EXPECT_TRUE(roofline_svgs({broken}).empty());
  EXPECT_EQ(calibration_svg({broken}), "");
  EXPECT_EQ(night_curve_svg({broken}), "");
}

}  // namespace
}  // namespace warpmind::clients
