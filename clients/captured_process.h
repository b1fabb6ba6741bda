#pragma once
/// \file
/// Runs a program to its end and keeps what it wrote to standard output.

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::clients {

struct CaptureLimits {
  std::chrono::milliseconds timeout{120'000};
  std::size_t bytes = std::size_t{4} * 1024 * 1024;
};

struct Captured {
  int exit_code = 0;  ///< 128 + number for a signal
  std::string output;
};

/// `words[0]` is the program's path. Its standard input is empty, its standard error is ours. It is
/// killed when it passes a limit. Errors: unavailable if it cannot be started; timeout;
/// corrupt_data if it writes more than the limit.
[[nodiscard]] Result<Captured> run_captured(const std::vector<std::string>& words,
                                            CaptureLimits limits);

}  // namespace warpmind::clients
