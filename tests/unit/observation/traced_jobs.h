#pragma once
/// \file
/// A job with everything in it that may be counted or traced, and texts that may not.

#include "base/model/job.h"

#include <string_view>

namespace warpmind::tests {

/// Stands in source, prompt, answer, diagnostics and reasons of the job: must never leave it.
inline constexpr std::string_view kCanary = "canary-secret-text";

[[nodiscard]] Job traced_job();

}  // namespace warpmind::tests
