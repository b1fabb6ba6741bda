#include "clients/cli/exit_code.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

TEST(ExitCode, HasItsDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::ok), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::negative), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::bad_input), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::daemon), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::environment), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::cancelled), 5);
}

struct JobCase {
  JobState state;
  std::optional<Outcome> outcome;
  ExitCode code;
};

TEST(ExitCode, OfAJobFollowsStateAndOutcome) {
  const std::vector<JobCase> cases{
      {JobState::done, Outcome::improved, ExitCode::ok},
      {JobState::done, Outcome::same, ExitCode::ok},
      {JobState::done, Outcome::inconclusive, ExitCode::ok},
      {JobState::done, Outcome::regressed, ExitCode::negative},
      {JobState::done, Outcome::wrong, ExitCode::negative},
      {JobState::done, Outcome::build_failed, ExitCode::negative},
      {JobState::done, Outcome::crashed, ExitCode::negative},
      {JobState::done, Outcome::timed_out, ExitCode::negative},
      {JobState::done, Outcome::cheating, ExitCode::negative},
      {JobState::done, Outcome::blocked, ExitCode::environment},
      {JobState::done, Outcome::unjudgeable, ExitCode::environment},
      {JobState::done, std::nullopt, ExitCode::negative},
      {JobState::failed, std::nullopt, ExitCode::negative},
      {JobState::queued, std::nullopt, ExitCode::negative},
      {JobState::running, std::nullopt, ExitCode::negative},
      {JobState::cancelled, std::nullopt, ExitCode::cancelled},
      {JobState::cancelled, Outcome::improved, ExitCode::cancelled},
  };
  for (const auto& [state, outcome, code] : cases) {
    Job job;
    job.state = state;
    if (outcome) {
      job.episode.emplace();
      job.episode->outcome = *outcome;
    }
    EXPECT_EQ(exit_code_for(job), code)
        << name_of(state) << " " << (outcome ? name_of(*outcome) : "without episode");
  }
}

TEST(ExitCode, OfAnErrorFollowsItsOrigin) {
  struct Case {
    Errc code;
    ExitCode input;
    ExitCode connection;
    ExitCode daemon;
  };
  const std::vector<Case> cases{
      {Errc::invalid_argument, ExitCode::bad_input, ExitCode::daemon, ExitCode::bad_input},
      {Errc::not_found, ExitCode::bad_input, ExitCode::daemon, ExitCode::bad_input},
      {Errc::conflict, ExitCode::bad_input, ExitCode::daemon, ExitCode::bad_input},
      {Errc::timeout, ExitCode::bad_input, ExitCode::daemon, ExitCode::daemon},
      {Errc::cancelled, ExitCode::cancelled, ExitCode::cancelled, ExitCode::cancelled},
      {Errc::unavailable, ExitCode::environment, ExitCode::environment, ExitCode::environment},
      {Errc::corrupt_data, ExitCode::bad_input, ExitCode::daemon, ExitCode::daemon},
      {Errc::external_failure, ExitCode::bad_input, ExitCode::daemon, ExitCode::daemon},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(exit_code_for(Origin::input, c.code), c.input) << static_cast<int>(c.code);
    EXPECT_EQ(exit_code_for(Origin::connection, c.code), c.connection) << static_cast<int>(c.code);
    EXPECT_EQ(exit_code_for(Origin::daemon, c.code), c.daemon) << static_cast<int>(c.code);
  }
}

}  // namespace
}  // namespace warpmind::clients
