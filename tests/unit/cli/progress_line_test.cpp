#include "clients/cli/report/progress_line.h"

#include "clients/cli/report/text.h"

#include <sstream>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

using std::chrono::seconds;

daemon::protocol::ProgressParams sample() {
  return {{.step = 1,
           .steps = 24,
           .best_ratio = 31.42,
           .line = "warp_per_output kernel=row_softmax;lanes=32: measuring",
           .candidate = 2,
           .technique = "warp_per_output",
           .stage = "measuring"},
          "j-0000000007",
          JobState::running};
}

daemon::protocol::ProgressParams judged() {
  auto progress = sample();
  progress.step = 2;
  progress.line = "warp_per_output kernel=row_softmax;lanes=32: improved, 31.42x";
  progress.technique.clear();
  progress.stage.clear();
  progress.milestone = true;
  return progress;
}

/// A clock that the test sets.
struct Time {
  std::chrono::steady_clock::time_point now;
  [[nodiscard]] ProgressDisplay::Now source() {
    return [this] { return now; };
  }
};

TEST(ProgressLine, NamesTheStageThatRunsAndForHowLong) {
  EXPECT_EQ(render_progress(sample(), {seconds(21), seconds(4)}, 79),
            "[2/24] warp_per_output: measuring 4 s   best 31.4×   0:21");
  EXPECT_EQ(render_progress(sample(), {seconds(3723), seconds(0)}, 79),
            "[2/24] warp_per_output: measuring   best 31.4×   1:02:03");
}

TEST(ProgressLine, KeepsGainAndTimeWhereTheRestIsCut) {
  auto progress = sample();
  progress.technique = "a_technique_with_a_name_that_is_much_too_long";

  const std::string at_60 = render_progress(progress, {seconds(21), seconds(4)}, 59);

  EXPECT_EQ(columns_of(at_60), 59U);
  EXPECT_TRUE(at_60.starts_with("[2/24] a_technique_with_a_name_that"));
  EXPECT_TRUE(at_60.ends_with("…   best 31.4×   0:21")) << at_60;
}

TEST(ProgressLine, CallsTheGivenKernelByThatName) {
  auto progress = sample();
  progress.candidate = 0;
  progress.technique.clear();
  progress.best_ratio = 1;
  progress.stage = "building";

  EXPECT_EQ(render_progress(progress, {seconds(2), seconds(2)}, 79),
            "[0/24] given kernel: building 2 s   0:02");
}

TEST(ProgressLine, SaysWhatAJobWaitsFor) {
  const daemon::protocol::ProgressParams queued{
      {.line = "queued behind j-0000000003 (gemm_f32) and 1 more"},
      "j-0000000007",
      JobState::queued};

  EXPECT_EQ(render_progress(queued, {seconds(5), seconds(5)}, 79),
            "queued behind j-0000000003 (gemm_f32) and 1 more   0:05");
}

TEST(ProgressLine, NeverIsWiderThanAsked) {
  for (std::size_t columns = 0; columns < 90; ++columns) {
    EXPECT_LE(columns_of(render_progress(sample(), {seconds(1), seconds(1)}, columns)), columns)
        << columns;
  }
}

TEST(ProgressLine, DisarmsTextOfTheDaemon) {
  auto progress = sample();
  progress.stage = "a\nb\x1b[2J";

  EXPECT_NE(render_progress(progress, {}, 200).find(": a b?[2J"), std::string::npos);
}

TEST(Milestone, SaysWhatCameOfAKernelInAtMost120Columns) {
  EXPECT_EQ(render_milestone(judged()),
            "[2/24] warp_per_output kernel=row_softmax;lanes=32: improved, 31.42x   best 31.4×");

  auto long_one = judged();
  long_one.line =
      "warp_per_output kernel=" + std::string(300, 'k') + ": wrong, " + std::string(300, 'x');
  const std::string line = render_milestone(long_one);
  EXPECT_LE(columns_of(line), 120U);
  EXPECT_NE(line.find("…: wrong, xxx"), std::string::npos) << line;
}

TEST(ProgressDisplay, RewritesOneLineOnATerminalAndClearsItAtTheEnd) {
  std::ostringstream out;
  Time time;
  {
    ProgressDisplay display(out, ProgressStyle::rewritten, 80, time.source());
    display.show(sample());
    display.show(sample());  // unchanged: not written again
  }

  EXPECT_EQ(out.str(), "\r\x1b[K[2/24] warp_per_output: measuring   best 31.4×   0:00\r\x1b[K");
}

TEST(ProgressDisplay, TimesGoOnWithoutNews) {
  std::ostringstream out;
  Time time;
  ProgressDisplay display(out, ProgressStyle::rewritten, 80, time.source());
  display.tick();  // nothing is shown yet
  EXPECT_EQ(out.str(), "");
  auto building = sample();
  building.stage = "building";
  display.show(building);
  time.now += seconds(9);
  display.show(sample());  // the next stage: its time begins
  time.now += seconds(4);

  display.tick();

  EXPECT_TRUE(out.str().ends_with("measuring 4 s   best 31.4×   0:13")) << out.str();
}

TEST(ProgressDisplay, WritesOneLineAKernelElsewhere) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, ProgressStyle::lines, 10);
    display.show({{.line = "queued"}, "j-0000000007", JobState::queued});
    display.show(sample());
    display.show(judged());
    display.show(judged());
  }

  EXPECT_EQ(out.str(), "j-0000000007: queued\n" + render_milestone(judged()) + "\n");
}

TEST(ProgressDisplay, KeepsWhatAJobWaitsForWhenTheDaemonSaysLess) {
  std::ostringstream out;
  Time time;
  ProgressDisplay display(out, ProgressStyle::rewritten, 80, time.source());
  display.show({{.line = "queued behind 2 jobs"}, "j-7", JobState::queued});
  display.show({{.line = "queued"}, "j-7", JobState::queued});

  EXPECT_EQ(out.str(), "\r\x1b[Kqueued behind 2 jobs   0:00");
}

TEST(ProgressDisplay, NotesStayAboveTheLine) {
  std::ostringstream out;
  Time time;
  ProgressDisplay display(out, ProgressStyle::rewritten, 80, time.source());
  display.show(sample());

  display.note("cancelling");

  EXPECT_TRUE(
      out.str().ends_with("\r\x1b[Kcancelling\n\r\x1b[K[2/24] warp_per_output: "
                          "measuring   best 31.4×   0:00"))
      << out.str();
}

TEST(ProgressDisplay, SilentSaysNothing) {
  std::ostringstream out;
  ProgressDisplay display(out, ProgressStyle::silent, 80);

  display.show(sample());

  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace warpmind::clients
