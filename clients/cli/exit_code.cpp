#include "clients/cli/exit_code.h"

namespace warpmind::clients {

ExitCode exit_code_for(Origin origin, Errc code) {
  if (code == Errc::cancelled) return ExitCode::cancelled;
  if (origin == Origin::connection) {
    return code == Errc::unavailable ? ExitCode::environment : ExitCode::daemon;
  }
  switch (code) {
    case Errc::invalid_argument:
    case Errc::not_found:
    case Errc::conflict: return ExitCode::bad_input;
    case Errc::unavailable: return ExitCode::environment;
    case Errc::timeout:
    case Errc::corrupt_data:
    case Errc::external_failure:
    case Errc::cancelled: break;
  }
  // A file of the user's that cannot be read is input; a base or an answer that cannot is not.
  return origin == Origin::input ? ExitCode::bad_input : ExitCode::daemon;
}

ExitCode exit_code_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::improved:
    case Outcome::same:
    case Outcome::inconclusive: return ExitCode::ok;
    case Outcome::regressed:
    case Outcome::wrong:
    case Outcome::build_failed:
    case Outcome::crashed:
    case Outcome::timed_out:
    case Outcome::cheating: return ExitCode::negative;
    case Outcome::blocked:
    case Outcome::unjudgeable: return ExitCode::environment;
  }
  return ExitCode::negative;
}

ExitCode exit_code_for(const Job& job) {
  switch (job.state) {
    case JobState::cancelled: return ExitCode::cancelled;
    case JobState::done:
      return job.episode ? exit_code_for(job.episode->outcome) : ExitCode::negative;
    case JobState::queued:
    case JobState::running:
    case JobState::failed: break;
  }
  return ExitCode::negative;
}

}  // namespace warpmind::clients
