#pragma once
/// \file
/// One argument of a launch as the bytes that the kernel receives.

#include "base/result.h"
#include "profilers/job/runner_job.h"
#include "profilers/worker/case_memory.h"

#include <array>
#include <cstddef>

namespace warpmind::profilers {

struct ArgumentBytes {
  alignas(8) std::array<std::byte, 8> bytes{};
  std::size_t size = 0;  ///< used bytes: a pointer has 8
};

/// Errors: invalid_argument for an unknown buffer or hex that is no scalar of 1 to 8 bytes.
[[nodiscard]] Result<ArgumentBytes> argument_bytes(const CallArgument& argument,
                                                   const Addresses& addresses);

}  // namespace warpmind::profilers
