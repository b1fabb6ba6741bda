#pragma once
/// \file
/// Exit codes of `warpmind`, in one place. Documented in docs/cli.md and in `--help`.

#include "base/model/job.h"
#include "base/result.h"

namespace warpmind::clients {

enum class ExitCode {
  ok = 0,           ///< improved, or nothing better was found but everything was measured
  negative = 1,     ///< the result is negative: wrong, does not build, regressed, no result yet
  bad_input = 2,    ///< a bad flag, task folder, job id or configuration
  daemon = 3,       ///< the daemon cannot be started or reached, or the connection was lost
  environment = 4,  ///< this machine lacks something: GPU, nvcc, sandbox, disk space
  cancelled = 5,    ///< somebody asked to stop
};

/// Where an error arose: the same Errc means different things to a script.
enum class Origin {
  input,       ///< command line, configuration, files named by the user
  connection,  ///< starting, finding or talking to the daemon
  daemon,      ///< an error that the daemon answered
};

[[nodiscard]] ExitCode exit_code_for(Origin origin, Errc code);
[[nodiscard]] ExitCode exit_code_for(Outcome outcome);
/// By state, and when done by the outcome of the episode.
[[nodiscard]] ExitCode exit_code_for(const Job& job);

}  // namespace warpmind::clients
