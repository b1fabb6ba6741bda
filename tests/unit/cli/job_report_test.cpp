#include "clients/cli/report/job_report.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "base/text.h"
#include "sample_jobs.h"

#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <set>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

struct GoldenCase {
  const char* name;
  Job (*job)();
};
std::ostream& operator<<(std::ostream& out, const GoldenCase& golden) { return out << golden.name; }

class JobReportGolden : public testing::TestWithParam<GoldenCase> {};

ReportOptions options_of(const Job& job) {
  ReportOptions options;
  options.source = {"kernel.cu", job.request.task.kernel.source};
  options.path = "tasks/row_softmax_f16";
  return options;
}

/// UPDATE_GOLDEN=1 rewrites the files; read what changed before keeping it.
void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(WARPMIND_TEST_DATA) / "reports" / (name + ".txt");
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomic(path, text));
  }
  const auto golden = read_file(path, 1U << 20U);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

TEST_P(JobReportGolden, MatchesItsFile) {
  const Job job = GetParam().job();

  expect_golden(GetParam().name, render_job(job, options_of(job)));
}

TEST_P(JobReportGolden, IsAtMost18LinesOf80Columns) {
  const Job job = GetParam().job();

  const std::string text = render_job(job, options_of(job));

  const auto lines = split_lines(text);
  EXPECT_LE(lines.size(), 18U) << text;
  for (const auto line : lines) EXPECT_LE(columns_of(line), 80U) << line;
}

TEST_P(JobReportGolden, InFullItHoldsTheShortReportAndFits80Columns) {
  const Job job = GetParam().job();
  auto options = options_of(job);
  options.paint = {};

  const std::string text = render_job_in_full(job, options);

  EXPECT_TRUE(text.ends_with(render_job(job, options)));
  const std::string above_the_code = text.substr(0, text.find("\nBest kernel"));
  for (const auto line : split_lines(above_the_code)) EXPECT_LE(columns_of(line), 80U) << line;
}

INSTANTIATE_TEST_SUITE_P(All, JobReportGolden,
                         testing::Values(GoldenCase{"improved", samples::improved},
                                         GoldenCase{"same", samples::same},
                                         GoldenCase{"wrong_baseline", samples::wrong_baseline},
                                         GoldenCase{"build_failed", samples::build_failed},
                                         GoldenCase{"blocked", samples::blocked},
                                         GoldenCase{"cancelled", samples::cancelled},
                                         GoldenCase{"memory_started", samples::memory_started},
                                         GoldenCase{"predicted", samples::predicted},
                                         GoldenCase{"dead_end", samples::dead_end},
                                         GoldenCase{"low_confidence", samples::low_confidence}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(JobReport, InFullHasTablesMetricsDiffAndLessons) {
  const Job job = samples::improved();

  expect_golden("improved_in_full", render_job_in_full(job, options_of(job)));
}

TEST(JobReport, ShowsTheNoteOfAJobInEveryState) {
  Job job = samples::improved();
  job.request.note = "before \x1b[31mtiling";
  EXPECT_NE(render_job(job, options_of(job)).find("\n  note     before ?[31mtiling\n"),
            std::string::npos)
      << render_job(job, options_of(job));
  job.episode.reset();
  job.state = JobState::queued;
  EXPECT_NE(render_job(job, options_of(job)).find("\n  note     before ?[31mtiling\n"),
            std::string::npos)
      << render_job(job, options_of(job));
}

TEST(JobReport, SaysPredictedOnce) {
  const Job job = samples::predicted();

  const std::string text = render_job(job, options_of(job));

  const std::size_t first = text.find("predicted");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("predicted", first + 1), std::string::npos) << text;
  EXPECT_EQ(text.find("measured"), std::string::npos) << text;
}

TEST(JobReport, WhatCannotBeJudgedIsNotCalledWrong) {
  Job job = samples::blocked();
  job.episode->outcome = Outcome::unjudgeable;
  Verdict& given = job.episode->steps.front().verdict;
  given.outcome = Outcome::unjudgeable;
  given.reason = "the program's host code fills 'weights'";
  given.correctness = Correctness{.passed = false, .cases = 1, .worst_case = "y[0]: got 1, want 2"};

  const std::string text = render_job(job, options_of(job));

  EXPECT_NE(text.find("the given kernel cannot be judged"), std::string::npos) << text;
  EXPECT_NE(text.find("host code fills 'weights'"), std::string::npos) << text;
  EXPECT_EQ(text.find("want 2"), std::string::npos) << text;
}

TEST(JobReport, ABetterPredictionWithinTheBandIsGivenAndNotCalledFaster) {
  Job job = samples::predicted();
  job.episode->outcome = Outcome::inconclusive;
  job.episode->best_against_baseline =
      Comparison{.ratio = 1.3, .low = 0.9, .high = 1.9, .confidence = 0.9};

  const std::string text = render_job(job, options_of(job));

  EXPECT_NE(text.find("1.3× better (predicted for H200; likely 0.900× to 1.9×)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("--output best.cu"), std::string::npos) << text;
}

/// A step that edits the kernel of step `edited`.
Step compared(std::int64_t index, std::int64_t edited, Outcome outcome, const Comparison& against,
              bool accepted) {
  Step step = samples::improved().episode->steps[3];
  step.index = index;
  step.edited = edited;
  step.verdict.outcome = outcome;
  step.verdict.comparison = against;
  step.accepted = accepted;
  return step;
}

std::string tried_line(const Job& job) {
  ReportOptions options;
  options.columns = 200;
  const std::string text = render_job(job, options);
  const auto at = text.find("  tried ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(JobReport, ABetterPredictionIsNotCountedAsNotFaster) {
  Job job = samples::predicted();
  Episode& episode = *job.episode;
  const auto predicted = [](double ratio) {
    return Comparison{ratio, ratio / 1.3, ratio * 1.3, 0.8, 0, 0};
  };
  episode.steps.resize(1);
  episode.steps.push_back(compared(1, 0, Outcome::inconclusive, predicted(1.05), true));
  // Of the one before: 1.02 × 1.05 against the given kernel.
  episode.steps.push_back(compared(2, 1, Outcome::inconclusive, predicted(1.02), true));
  episode.steps.push_back(compared(3, 2, Outcome::inconclusive, predicted(0.9), false));
  episode.steps.push_back(compared(4, 0, Outcome::same, predicted(1.0), false));
  episode.steps.push_back(compared(5, 0, Outcome::regressed, predicted(0.5), false));
  episode.best_step = 2;
  episode.outcome = Outcome::inconclusive;
  episode.best_against_baseline = predicted(1.071);
  const std::string line = tried_line(job);
  EXPECT_NE(line.find("2 faster within the prediction's error, 3 not faster"), std::string::npos)
      << line;
}

TEST(JobReport, FasterThanGivenAndNotThanTheBestIsSaid) {
  Job job = samples::improved();
  Episode& episode = *job.episode;
  const auto measured = [](double ratio) {
    return Comparison{ratio, ratio * 0.99, ratio * 1.01, 0.99, 7, 70};
  };
  episode.steps.resize(1);
  episode.steps.push_back(compared(1, 0, Outcome::improved, measured(2.0), true));
  episode.steps.push_back(compared(2, 1, Outcome::same, measured(0.999), false));
  episode.steps.push_back(compared(3, 0, Outcome::improved, measured(1.5), false));
  episode.steps.push_back(compared(4, 1, Outcome::regressed, measured(0.3), false));
  episode.steps.push_back(compared(5, 0, Outcome::inconclusive, measured(1.005), false));
  episode.steps.push_back(compared(6, 0, Outcome::same, measured(1.005), false));
  // It beats what it edits, and that is all.
  episode.steps.push_back(compared(7, 4, Outcome::improved, measured(1.1), false));
  episode.best_step = 1;
  const std::string line = tried_line(job);
  EXPECT_NE(line.find(": 1 faster, 2 faster than given but not than the best, 1 faster within "
                      "noise, 3 not faster"),
            std::string::npos)
      << line;
}

TEST(JobReport, ARecordWithoutEditsCountsByItsOutcomes) {
  Job job = samples::improved();
  for (Step& step : job.episode->steps) step.edited = -1;
  EXPECT_NE(tried_line(job).find("1 faster, 1 not faster"), std::string::npos) << tried_line(job);
}

TEST(JobReport, LowConfidenceHasNoIntervalInAnyReport) {
  Job job = samples::low_confidence();
  // Also where an older record has one.
  const std::string older = render_job(job, options_of(job));
  EXPECT_NE(older.find("31× faster (predicted for H200, low confidence)"), std::string::npos)
      << older;
  for (Step& step : job.episode->steps) {
    if (step.verdict.measurement) {
      step.verdict.measurement->low_ns = step.verdict.measurement->high_ns = 0;
    }
    if (step.verdict.comparison) {
      step.verdict.comparison->low = step.verdict.comparison->high = 0;
    }
  }
  job.episode->best_against_baseline->low = job.episode->best_against_baseline->high = 0;

  const std::string brief = render_job(job, options_of(job));
  const std::string verbose = render_job_in_full(job, options_of(job));
  const std::string file = kernel_file_text(job, *job.episode);

  EXPECT_NE(brief.find("31× faster (predicted for H200, low confidence)"), std::string::npos)
      << brief;
  EXPECT_NE(file.find("31.4× faster than the given kernel (low confidence), predicted"),
            std::string::npos)
      << file;
  for (const std::string& text : {brief, verbose, file}) {
    EXPECT_EQ(text.find("likely"), std::string::npos) << text;
    EXPECT_EQ(text.find("interval 1"), std::string::npos) << text;
    EXPECT_EQ(text.find("49.7×"), std::string::npos) << text;
  }
}

TEST(JobReport, ATaskFromAProgramHasItsShareOfTheLimitOrTheReasonWhyNot) {
  Job job = samples::predicted();
  job.request.task.reference.clear();
  EXPECT_NE(render_job(job, options_of(job)).find("99 % of the limit (6.99 µs, memory bandwidth)"),
            std::string::npos)
      << render_job(job, options_of(job));
  for (auto& step : job.episode->steps) {
    if (!step.verdict.measurement) continue;
    step.verdict.measurement->limit = {.unknown = "line 7: a loop depends on loaded values"};
  }

  const std::string unknown = render_job(job, options_of(job));

  EXPECT_NE(unknown.find("share of the limit not known"), std::string::npos) << unknown;
  EXPECT_EQ(unknown.find("% of the limit"), std::string::npos) << unknown;
}

TEST(JobReport, ATimeStandsBesideTheBestLibrary) {
  Job job = samples::predicted();
  EXPECT_EQ(render_job(job, options_of(job)).find("x of "), std::string::npos);
  for (auto& step : job.episode->steps) {
    if (!step.verdict.measurement) continue;
    step.verdict.measurement->best_library = {"cuDNN 9.19.0", "cudnnSoftmaxForward, mode channel",
                                              9178, ""};
  }

  const std::string text = render_job(job, options_of(job));

  EXPECT_NE(text.find(", 1.3x"), std::string::npos) << text;
  EXPECT_NE(text.find("of cuDNN 9.19.0 (cudnnSoftmaxForward, mode channel; 9.18 µs)"),
            std::string::npos)
      << text;
}

TEST(JobReport, CommandsNameTheProgramAsItWasCalled) {
  const Job job = samples::predicted();
  auto options = options_of(job);
  options.program = "build/release/bin/warpmind";
  options.path = "my tasks/softmax";

  const std::string found = render_job(job, options);
  const std::string nothing = render_job(samples::dead_end(), options);

  EXPECT_NE(found.find("build/release/bin/warpmind why 7"), std::string::npos) << found;
  EXPECT_NE(nothing.find("build/release/bin/warpmind explain-moves 'my tasks/softmax'"),
            std::string::npos)
      << nothing;
}

TEST(JobReport, FitsANarrowTerminal) {
  const Job job = samples::predicted();
  auto options = options_of(job);
  options.columns = 60;

  for (const std::string& text : {render_job(job, options), render_job(samples::same(), options)}) {
    for (const auto line : split_lines(text)) {
      const bool is_command = line.find("warpmind ") != std::string_view::npos;  // never broken
      if (is_command) continue;
      EXPECT_LE(columns_of(line), 60U) << line;
    }
  }
}

/// Appends an escape sequence to every text of a job that others write.
void poison(nlohmann::json& value) {
  if (value.is_string()) value = value.get<std::string>() + "\x1b[31m\xc2\x9b\x07\xe2\x80\xae";
  if (value.is_structured()) {
    for (auto& [key, member] : value.items()) {
      static const std::set<std::string> kEnums{
          "tier",      "dtype",     "outcome",    "primary", "provider", "split", "state", "stage",
          "secondary", "tolerance", "accumulate", "origin",  "effort",   "by",    "which"};
      if (!kEnums.contains(key)) poison(member);
    }
  }
}

TEST(JobReport, PrintsNoEscapeSequenceThatSomebodyElseWrote) {
  for (const auto make : {samples::improved, samples::wrong_baseline, samples::build_failed,
                          samples::blocked, samples::memory_started}) {
    nlohmann::json value = make();
    poison(value);
    const auto job = codec::from_json<Job>(value, "job");
    ASSERT_TRUE(job) << job.error().message;

    const std::string text = render_job_in_full(*job, {});

    EXPECT_NE(text.find("?[31m"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  }
}

TEST(JobReport, ColoursOnlyWhenAsked) {
  EXPECT_EQ(render_job(samples::improved(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(render_job(samples::improved(), {.paint = Paint{true}, .output_file = {}})
                .find("\x1b[32m2.31× faster"),
            std::string::npos);
}

TEST(JobReport, NamesTheFileThatWasWritten) {
  const std::string text = render_job(samples::improved(), {.paint = {}, .output_file = "best.cu"});

  EXPECT_NE(text.find("  written  best.cu\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("--output"), std::string::npos) << text;
}

TEST(JobReport, CutsLongCompilerText) {
  Job job = samples::build_failed();
  std::string& diagnostics = job.episode->steps[0].verdict.build->diagnostics;
  diagnostics.clear();
  for (int i = 0; i < 100; ++i) diagnostics += "line " + std::to_string(i) + "\n";

  const std::string text = render_job_in_full(job, {});

  EXPECT_NE(text.find("line 39\n"), std::string::npos);
  EXPECT_EQ(text.find("line 40\n"), std::string::npos);
  EXPECT_NE(text.find("60 more lines"), std::string::npos);
}

struct StateCase {
  JobState state;
  const char* says;
};

TEST(JobReport, SaysWhereAJobWithoutEpisodeStands) {
  for (const auto& [state, says] :
       {StateCase{JobState::queued, "queued, no result yet"},
        StateCase{JobState::running, "running, no result yet"},
        StateCase{JobState::failed, "failed\n  why      the reference does not build"},
        StateCase{JobState::cancelled, "cancelled before the given kernel was judged"},
        StateCase{JobState::done, "done, but no episode was stored"}}) {
    Job job = samples::improved();
    job.episode.reset();
    job.state = state;
    if (state == JobState::failed) job.error = "the reference does not build";

    EXPECT_NE(render_job(job, {}).find(says), std::string::npos) << says;
  }
}

TEST(JobReport, SurvivesAnEpisodeWithoutSteps) {
  Job job = samples::improved();
  job.episode->steps.clear();
  job.episode->best_step = 7;

  EXPECT_FALSE(render_job(job, {}).empty());
  EXPECT_TRUE(kernel_file_text(job, *job.episode).empty());
}

TEST(JobReport, KernelFileIsTheSourceBelowACommentOfOneBlock) {
  const Job job = samples::improved();

  const std::string text = kernel_file_text(job, *job.episode);

  EXPECT_TRUE(text.starts_with("// Best kernel that warpmind found for row_softmax_f16"));
  EXPECT_TRUE(text.ends_with(job.episode->steps[2].candidate.kernel.source));
  EXPECT_NE(text.find("//   grid (blocks) = rows, 1, 1\n"), std::string::npos);
  EXPECT_NE(text.find("2.31× faster"), std::string::npos);
}

TEST(JobReport, CommentOfTheKernelFileCannotEscapeIntoCode) {
  Job job = samples::improved();
  job.request.task.name = "evil\n#include \"/etc/passwd\"\\";
  job.episode->steps[2].candidate.kernel.plan.launches[0].grid[0] = "1\nint x;\\";

  const std::string text = kernel_file_text(job, *job.episode);
  const std::string head = text.substr(0, text.find("extern \"C\""));

  for (const auto line : split_lines(head)) {
    EXPECT_TRUE(line.starts_with("// ")) << line;
    EXPECT_FALSE(line.ends_with('\\')) << line;
  }
}

}  // namespace
}  // namespace warpmind::clients
