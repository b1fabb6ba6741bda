#pragma once
/// \file
/// Runs a child to its end: input in, output out, with a deadline and a way to cancel.

#include "base/result.h"
#include "profilers/process/spawn.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace warpmind::profilers {

struct RunLimits {
  std::optional<Deadline> deadline;
  std::size_t output_bytes = std::size_t{64} * 1024;  ///< of each stream; more is dropped
  bool end_on_output_limit = false;  ///< kill a child that writes more, instead of dropping it
};

struct ProcessOutcome {
  ProcessEnd end;
  std::string output;                        ///< standard output, cut at the limit
  std::string diagnostics;                   ///< standard error, cut at the limit
  std::string report;                        ///< descriptor 3, cut at the limit
  bool cut = false;                          ///< something was dropped
  std::shared_ptr<StuckProcess> stuck = {};  ///< what SIGKILL did not end; null = nothing
};

/// Blocks until the child and everything in its process group and namespace is gone, or stuck
/// beyond SIGKILL. Deadline, stop and output limit end it with SIGKILL and are values. Errors: as
/// Child::start.
[[nodiscard]] Result<ProcessOutcome> run_process(ProcessOrder order, const RunLimits& limits,
                                                 const std::stop_token& stop,
                                                 std::string_view input = {});

}  // namespace warpmind::profilers
