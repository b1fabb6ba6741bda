#pragma once
/// \file
/// Runs a command line of the user's to its end, with limits.

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

struct ShellLimits {
  std::chrono::milliseconds timeout{300'000};
  std::size_t bytes = std::size_t{64} << 20U;  ///< of standard output and standard error together
};

struct ShellEnd {
  int exit_code = 0;  ///< 128 + number for a signal
  std::string output;
  std::string errors;
};

/// `sh -c command` in our working folder, with `environment` ("NAME=value") added to ours and empty
/// standard input. It gets a session of its own, so that all of it can be killed: at a limit, and
/// when `interrupt` (a descriptor; -1 = none) becomes readable. Errors: unavailable if it cannot be
/// started; timeout; cancelled; corrupt_data if it writes more than the limit.
[[nodiscard]] Result<ShellEnd> run_shell(const std::string& command,
                                         const std::vector<std::string>& environment,
                                         ShellLimits limits, int interrupt);

/// A word of a command line, quoted where a shell would take it apart.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace warpmind::clients
