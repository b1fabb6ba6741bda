/// What `optimize FILE.cu --run` does before and around the daemon: files, commands, outputs.
#include "clients/cli/program_run/user_program.h"

#include "base/file.h"
#include "clients/cli/program_run/best_kernel.h"
#include "clients/cli/program_run/output_pattern.h"
#include "clients/cli/program_run/program_files.h"
#include "clients/cli/report/program_report.h"
#include "clients/shell_command.h"
#include "sample_jobs.h"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ShellCommand, KeepsBothOutputsAndTheExitCode) {
  const auto end = run_shell("echo \"$WORD\"; echo bad >&2; exit 7", {"WORD=two words"}, {}, -1);
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "two words\n");
  EXPECT_EQ(end->errors, "bad\n");
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_EQ(run_shell("kill -9 $$", {}, {}, -1)->exit_code, 128 + 9);
}

TEST(ShellCommand, EndsWhatNeverEnds) {
  const auto late = run_shell("sleep 1000 & sleep 1000", {}, {milliseconds(50)}, -1);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::timeout);
  const auto loud = run_shell("yes", {}, {milliseconds(60'000), std::size_t{1} << 20U}, -1);
  ASSERT_FALSE(loud.has_value());
  EXPECT_EQ(loud.error().code, Errc::corrupt_data);
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd read(ends[0]);
  const UniqueFd write(ends[1]);
  ASSERT_EQ(::write(write.get(), "x", 1), 1);
  const auto asked = run_shell("sleep 1000", {}, {}, read.get());
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Errc::cancelled);
}

TEST(ShellCommand, WordsArePassedAsTheyAre) {
  const std::string odd = "it's $HOME `x`";
  EXPECT_EQ(run_shell("printf %s " + shell_word(odd), {}, {}, -1)->output, odd);
}

TEST(OutputPatterns, NumbersMayDifferInTheirLastDigits) {
  const auto compare = [](std::string_view given, std::string_view other) {
    return OutputPattern(given).compare(other);
  };
  EXPECT_EQ(compare("sum 1.5\n", "sum 1.5\n"), OutputMatch::same);
  EXPECT_EQ(compare("sum: 1.50001, ok", "sum: 1.50002, ok"), OutputMatch::last_digits);
  EXPECT_EQ(compare("sum 1.50001m", "sum 1.50002m"), OutputMatch::last_digits);
  EXPECT_EQ(compare("sum 1.5", "sum 1.6"), OutputMatch::differs);
  EXPECT_EQ(compare("sum 1.5", "sum nan"), OutputMatch::differs);
  EXPECT_EQ(compare("sum 1.5m", "sum 1.5k"), OutputMatch::differs);
  EXPECT_EQ(compare("ok 1", "ok 1 2"), OutputMatch::differs);
  EXPECT_EQ(compare("ok\n1", "ok 1"), OutputMatch::differs);
  EXPECT_EQ(compare("ok", "bad"), OutputMatch::differs);
  EXPECT_EQ(compare("", ""), OutputMatch::same);
}

TEST(OutputPatterns, WhatChangesFromRunToRunIsLeftOut) {
  OutputPattern given("took 12.5 us, 3.1GB/s\nmax error 0\n");
  EXPECT_EQ(given.compare("took 2.5 us, 9.9GB/s\nmax error 0\n"), OutputMatch::differs);
  ASSERT_TRUE(given.leave_out_changes("took 13.0 us, 3.0GB/s\nmax error 0\n"));
  EXPECT_EQ(given.left_out(), 2U);
  EXPECT_EQ(given.compare("took 2.5 us, 9.9GB/s\nmax error 0\n"), OutputMatch::same);
  EXPECT_EQ(given.compare("took 2.5 us, 9.9GB/s\nmax error 1\n"), OutputMatch::differs);
  EXPECT_EQ(given.compare("took 2.5 ms, 9.9GB/s\nmax error 0\n"), OutputMatch::differs);

  OutputPattern words("ran\nstep one\nsum 4\n");
  ASSERT_TRUE(words.leave_out_changes("ran\nstep one and two\nsum 4\n"));
  EXPECT_EQ(words.compare("ran\nwhatever\nsum 4\n"), OutputMatch::same);
  EXPECT_EQ(words.compare("ran\nwhatever\nsum 5\n"), OutputMatch::differs);
  EXPECT_FALSE(words.leave_out_changes("ran\n"));
}

class ProgramFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto scratch = ScratchDirectory::create(std::filesystem::temp_directory_path(), "program");
    ASSERT_TRUE(scratch.has_value());
    scratch_.emplace(std::move(*scratch));
  }
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    const auto path = scratch_->path() / name;
    EXPECT_TRUE(write_file_atomic(path, text).has_value());
    return path.string();
  }
  [[nodiscard]] std::string refusal(const std::string& path, const std::string& output = {}) const {
    OptimizeOptions options;
    options.directory = path;
    options.output_file = output;
    const auto files = program_files(options);
    return files ? "" : files.error().message;
  }
  std::optional<ScratchDirectory> scratch_;
};

TEST_F(ProgramFilesTest, NamesEverythingAfterTheFile) {
  OptimizeOptions options;
  options.directory = file("My-Blur.v2.cu", "__global__ void k() {}\n");
  const auto files = program_files(options);
  ASSERT_TRUE(files.has_value()) << files.error().message;
  EXPECT_EQ(files->folder.filename(), "My-Blur.v2.cu.warpmind");
  EXPECT_EQ(files->output.filename(), "My-Blur.v2.optimized.cu");
  EXPECT_EQ(files->name, "my_blur_v2");
  ASSERT_TRUE(prepare(*files).has_value());
  EXPECT_TRUE(std::filesystem::exists(files->copy()));
  ASSERT_TRUE(write_file_atomic(files->task("old"), "x").has_value());
  ASSERT_TRUE(prepare(*files).has_value()) << "a second run";
  EXPECT_FALSE(std::filesystem::exists(files->task("old")));
}

TEST_F(ProgramFilesTest, RefusesWithOneSentence) {
  const std::string good = file("good.cu", "__global__ void k() {}\n");
  EXPECT_EQ(refusal(good), "");
  EXPECT_THAT(refusal(scratch_->path().string()), HasSubstr("is a folder"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal(file("host.cu", "int main() {}\n")), HasSubstr("defines no kernel"));
  EXPECT_THAT(refusal(file("empty.cu", "")), HasSubstr("defines no kernel"));
  EXPECT_THAT(refusal(file("note.cu", "// no __global__ here\nint main() {}\n")),
              HasSubstr("defines no kernel"));
  EXPECT_THAT(refusal(file("big.cu", std::string(std::size_t{5} << 20U, ' '))),
              HasSubstr("larger than 4 MiB"));
  EXPECT_THAT(refusal(good, good), HasSubstr("never changed"));
  EXPECT_THAT(refusal(good, "/no/such/folder/x.cu"), HasSubstr("no folder"));
  OptimizeOptions options;
  options.directory = good;
  options.work = scratch_->path().string();
  const auto occupied = prepare(*program_files(options));
  ASSERT_FALSE(occupied.has_value());
  EXPECT_THAT(occupied.error().message, HasSubstr("holds something else"));
  EXPECT_TRUE(std::filesystem::exists(good));
}

class UserProgramTest : public ProgramFilesTest {
 protected:
  [[nodiscard]] UserProgram program(const std::string& run, const std::string& build = {}) const {
    ProgramRuntime runtime;
    runtime.library = scratch_->path();
    runtime.device = "h200";
    return {{run, build, milliseconds(5000)}, runtime, scratch_->path(), scratch_->path(), -1};
  }
};

TEST_F(UserProgramTest, BuildsAndRunsByTheUsersCommands) {
  const std::string source = file("s p.sh", "echo \"$1 $CUDASIM_DEVICE\"\n");
  const auto built = program("./a.out 12", "cp {source} {program} && chmod +x {program}");
  EXPECT_TRUE(built.can_build_others());
  ASSERT_TRUE(built.build(source).has_value());
  const auto end = built.run(scratch_->path() / "record");
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "12 h200\n") << "the first word stands for the program";
  const auto named = program("true; {program} 13", "cp {source} {program}; chmod +x {program}");
  EXPECT_EQ(named.run(scratch_->path() / "record")->output, "13 h200\n");
  const auto own = program("echo mine", "true");
  EXPECT_FALSE(own.can_build_others());
  EXPECT_EQ(own.run(scratch_->path() / "record")->output, "mine\n");
}

TEST_F(UserProgramTest, FailuresAreSentences) {
  const auto refusal = [&](const std::string& run) {
    const auto end = program(run, "true").run(scratch_->path() / "record");
    EXPECT_FALSE(end.has_value());
    EXPECT_EQ(end.error().code, Errc::invalid_argument);
    return end.error().message;
  };
  EXPECT_THAT(refusal("echo no file >&2; exit 3"), HasSubstr("exit code 3: no file"));
  EXPECT_THAT(refusal("kill -11 $$"), HasSubstr("died of signal 11"));
  EXPECT_THAT(refusal("yes"), HasSubstr("more than 64 MiB"));
  const auto broken = program("x", "echo 'f.cu(3): error: expected a ;' >&2; false").build("f.cu");
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(broken.error().message, HasSubstr("does not build: f.cu(3): error: expected a ;"));
  const auto no_nvcc = program("x").build("f.cu");
  ASSERT_FALSE(no_nvcc.has_value());
  EXPECT_EQ(no_nvcc.error().code, Errc::unavailable);
}

Step step(std::int64_t index, bool accepted, std::vector<std::string> flags, std::int64_t edited) {
  Step made;
  made.index = index;
  made.accepted = accepted;
  made.edited = edited;
  made.candidate.technique = "t" + std::to_string(index);
  made.candidate.kernel.build_flags = std::move(flags);
  return made;
}

TEST(BestKernel, GivesFlagsUp) {
  Episode episode;
  episode.outcome = Outcome::improved;
  episode.best_against_baseline = Comparison{};
  episode.steps = {step(0, true, {}, -1), step(1, true, {}, 0), step(2, false, {}, 1),
                   step(3, true, {"--use_fast_math"}, 1)};
  episode.best_step = 3;
  const Step* const best = best_without_flags(episode);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->index, 1);
  EXPECT_THAT(changes_up_to(episode, episode.steps[3]), ElementsAre("t1", "t3"));
}

TEST(ProgramReport, SaysWhatWasDoneAndWhatWasNot) {
  daemon::protocol::ProgramReport report;
  report.source = "p.cu";
  report.folder = "p.cu.warpmind";
  daemon::protocol::ProgramPartReport part;
  part.name = "a_b";
  part.kernels = {"a", "b"};
  part.times = 4;
  part.given_ns = 2000;
  part.best_ns = 1000;
  part.gain = 2;
  part.predicted = true;
  part.techniques = {"fuse_pointwise max_chain=2"};
  part.written = true;
  report.parts = {part};
  report.skipped = {{"h", "the source does not\x1b[2J define it"}};
  const std::string nothing = render_program(report, {}, {});
  EXPECT_THAT(nothing, HasSubstr("a_b: 2.0× faster (predicted)\n"
                                 "  kernels  a, b\n"
                                 "  time     2.00 µs → 1.00 µs, launched 4 times\n"));
  EXPECT_THAT(nothing, HasSubstr("  written  nothing: "));
  EXPECT_THAT(nothing, HasSubstr("  skipped  h: the source does not"));
  EXPECT_THAT(nothing, Not(HasSubstr("\x1b")));
  report.output = "p.optimized.cu";
  report.verified = "built, run: same output";
  const std::string written = render_program(report, {}, {});
  EXPECT_THAT(written, HasSubstr("  written  p.optimized.cu (built, run: same output)\n"
                                 "  next     diff p.cu p.optimized.cu\n"));
  EXPECT_THAT(render_program_in_full(report, {}, {}), HasSubstr("what was done"));
}

TEST(ProgramReport, SaysTrulyWhyNothingWasWritten) {
  daemon::protocol::ProgramReport report;
  daemon::protocol::ProgramPartReport part;
  part.name = part.outcome = "same";
  report.parts = {part};
  report.findings = {"'k' in the recorded run: shared race, line 4: two threads"};
  const auto said = [&report] { return render_program(report, {}, {}); };
  EXPECT_THAT(said(), HasSubstr("  found    'k' in the recorded run: shared race, line 4"));
  EXPECT_THAT(said(), HasSubstr("nothing: no faster kernel was found"));
  report.parts[0].outcome = "wrong";
  EXPECT_THAT(said(), HasSubstr("nothing: no kernel could be optimised"));
  report.parts[0].best_ns = 5;
  EXPECT_THAT(said(), HasSubstr("nothing: what is faster cannot be put into the program"));
  report.was_stopped = true;
  EXPECT_THAT(said(), HasSubstr("nothing: it was stopped before the program was written"));
  report.rejected = "rejected.cu";
  EXPECT_THAT(said(), HasSubstr("nothing: the optimised program did not pass its proof"));
  EXPECT_THAT(render_program({}, {}, {}), HasSubstr("nothing: no kernel could be looked at"));
}

TEST(ProgramReport, SaysWhyAPartIsSlowAndWhatWasChanged) {
  Job job = samples::predicted();
  const SourceFile source{"p.cu", "#include <cstdio>\n" + job.request.task.kernel.source};
  daemon::protocol::ProgramReport report;
  daemon::protocol::ProgramPartReport part;
  part.name = "row_softmax";
  part.kernels = {"row_softmax"};
  part.job = job.id.str();
  part.given_ns = 221'400;
  part.best_ns = 7'061;
  part.gain = 31.35;
  part.predicted = true;
  part.written = true;
  report.source = "p.cu";
  report.output = "p.optimized.cu";
  report.parts = {part};

  const std::string text =
      render_program(report, {job}, {.paint = {}, .output_file = {}, .source = source});

  EXPECT_THAT(text, HasSubstr("row_softmax: 31× faster (predicted for H200; likely 20× to 50×)"));
  EXPECT_THAT(text, HasSubstr("99 % of the limit (6.99 µs, memory bandwidth)"));
  // The part's kernel begins a line later in the program.
  EXPECT_THAT(
      text, HasSubstr("  slow     p.cu:7 each load of a warp touches 32 sectors where 4 would do"));
  EXPECT_THAT(text, HasSubstr("  changed  many threads per output instead of one\n"));
  EXPECT_THAT(text, HasSubstr("warpmind why 7\n"));
}

}  // namespace
}  // namespace warpmind::clients
