#include "clients/cli/report/progress_line.h"

#include "clients/cli/report/text.h"

#include <sstream>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

daemon::protocol::ProgressParams sample() {
  return {.job_id = "j-0000000007",
          .state = JobState::running,
          .step = 3,
          .steps = 24,
          .best_ratio = 1.42,
          .line = "judging block_size block_x=512: full_oracle"};
}

TEST(ProgressLine, SaysStepBestAndActivity) {
  EXPECT_EQ(render_progress(sample(), 200),
            "j-0000000007  3/24  best 1.42×  judging block_size block_x=512: full_oracle");
}

TEST(ProgressLine, LeavesOutWhatIsNotKnownYet) {
  EXPECT_EQ(render_progress({.job_id = "j-0000000007", .state = JobState::queued, .line = {}}, 200),
            "j-0000000007  queued");
}

TEST(ProgressLine, NeverIsWiderThanAsked) {
  for (std::size_t columns = 0; columns < 90; ++columns) {
    EXPECT_LE(columns_of(render_progress(sample(), columns)), columns) << columns;
  }
}

TEST(ProgressLine, DisarmsTextOfTheDaemon) {
  auto progress = sample();
  progress.line = "a\nb\x1b[2J";

  EXPECT_TRUE(render_progress(progress, 200).ends_with("a b?[2J"));
}

TEST(ProgressDisplay, RewritesOneLineOnATerminalAndClearsItAtTheEnd) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, ProgressStyle::rewritten, 30);
    display.show(sample());
    display.show(sample());  // unchanged: not written again
  }

  EXPECT_EQ(out.str(), "\r\x1b[Kj-0000000007  3/24  best 1.4…\r\x1b[K");
}

TEST(ProgressDisplay, WritesWholeLinesElsewhere) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, ProgressStyle::lines, 10);
    display.show(sample());
    display.show(sample());
  }

  EXPECT_EQ(out.str(), render_progress(sample(), 200) + "\n");
}

TEST(ProgressDisplay, NotesStayAboveTheLine) {
  std::ostringstream out;
  ProgressDisplay display(out, ProgressStyle::rewritten, 80);
  display.show(sample());

  display.note("cancelling");

  EXPECT_TRUE(out.str().ends_with("\r\x1b[Kcancelling\n"));
}

TEST(ProgressDisplay, SilentSaysNothingButNotes) {
  std::ostringstream out;
  ProgressDisplay display(out, ProgressStyle::silent, 80);

  display.show(sample());

  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace warpmind::clients
