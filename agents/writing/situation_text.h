#pragma once
/// \file
/// What is known about a kernel in words, for prompts: bottleneck, advice, gradient, and what the
/// lab said.

#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/gradient.h"
#include "base/model/verdict.h"

#include <cstddef>
#include <string>

namespace warpmind::agents::writing {

inline constexpr std::size_t kDiagnosticBytes = 4096;  ///< of the compiler's text

[[nodiscard]] std::string describe_bottleneck(const Bottleneck& bottleneck);

/// Techniques with what was measured, and the insights that are shown, with their ids.
[[nodiscard]] std::string describe_advice(const Advice& advice);

[[nodiscard]] std::string describe_gradient(const Gradient& gradient);

/// What stopped a candidate that did not build.
[[nodiscard]] std::string diagnostics_of(const Verdict& verdict);

/// How a candidate differed, or ended.
[[nodiscard]] std::string findings_of(const Verdict& verdict);

/// Without the line ends behind it; `none` for an empty one.
[[nodiscard]] std::string or_none(std::string text, const char* none);

}  // namespace warpmind::agents::writing
