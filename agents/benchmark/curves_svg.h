#pragma once
/// \file
/// The anytime curves as a picture: gain over evaluations, one line an arm, each with its name.

#include "agents/benchmark/summary.h"

#include <string>
#include <string_view>

namespace warpmind::agents::benchmark {

/// A whole SVG document. Lines differ in dashes as well as in colour, and are labelled at their
/// end.
[[nodiscard]] std::string curves_svg(const Summary& summary, std::string_view title);

}  // namespace warpmind::agents::benchmark
