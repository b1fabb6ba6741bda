#pragma once
/// \file
/// The experiment as text: a table for a person, a document for a script, one line to find.

#include "agents/benchmark/summary.h"

#include <string>
#include <string_view>

namespace warpmind::agents::benchmark {

/// One line: what was replayed, and how often.
[[nodiscard]] std::string heading(const EvaluationTable& table, const ExperimentPlan& plan);

/// Arms × figures with 95 % intervals, the planned comparisons, the tasks, and what to keep in
/// mind.
[[nodiscard]] std::string render_table(const Summary& summary);

/// One JSON document. `arm`: the one of the member `result`.
[[nodiscard]] std::string render_json(const Summary& summary, const EvaluationTable& table,
                                      const ExperimentPlan& plan, std::string_view arm);

/// "RESULT evaluations_ratio=0.52 ci_low=0.41 ci_high=0.66 …", of `arm` against the control.
[[nodiscard]] std::string result_line(const Summary& summary, std::string_view arm);

}  // namespace warpmind::agents::benchmark
