#include "agents/benchmark/report.h"

#include "base/codec/json_guard.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace warpmind::agents::benchmark {
namespace {

using Row = std::vector<std::string>;

/// Columns two spaces apart, the first left, the others right; widths in characters of UTF-8.
std::string aligned(const std::vector<Row>& rows) {
  const auto width_of = [](const std::string& cell) {
    return static_cast<std::size_t>(
        std::count_if(cell.begin(), cell.end(), [](char c) { return !is_utf8_continuation(c); }));
  };
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width_of(row[i]), ' ');
      line += (i == 0 ? row[i] + pad : "  " + pad + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string with_interval(double mean, double low, double high, int digits) {
  return fixed(mean, digits) + " (" + fixed(low, digits) + " … " + fixed(high, digits) + ")";
}

std::string plain(const Interval& value, int digits) {
  return with_interval(value.mean, value.low, value.high, digits);
}

/// ln(factor) as the factor.
std::string factor(const Interval& value) {
  return with_interval(std::exp(value.mean), std::exp(value.low), std::exp(value.high), 2);
}

std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

std::string percent(const Interval& share) {
  return fixed(100 * share.mean, 0) + " % (" + fixed(100 * share.low, 0) + " … " +
         fixed(100 * share.high, 0) + ")";
}

std::string arms_text(const Summary& summary) {
  std::vector<Row> rows{{"arm", "evaluations to 95 %", "reached", "ratio to none", "anytime gain",
                         "left to gain", "harm", "failed", "repeated"}};
  for (const auto& arm : summary.arms) {
    const bool control = &arm == &summary.arms.front();
    rows.push_back({arm.name, plain(arm.evaluations, 1), percent(arm.reached),
                    control ? "1" : factor(arm.log_ratio), factor(arm.area), factor(arm.regret),
                    control ? "" : percent(arm.harm), percent(arm.failed), percent(arm.repeated)});
  }
  return aligned(rows);
}

std::string planned_text(const Summary& summary) {
  if (summary.planned.empty()) return "";
  std::vector<Row> rows{{"planned comparison", "ratio of evaluations", "p, Holm"}};
  for (const auto& planned : summary.planned) {
    rows.push_back({planned.arm + " : " + planned.against, factor(planned.log_ratio),
                    fixed(planned.corrected_p, 4)});
  }
  return "\n" + aligned(rows);
}

std::string tasks_text(const Summary& summary) {
  const ArmOutcome* product = summary.find(kProduct);
  if (product == nullptr) product = &summary.arms.back();
  std::vector<Row> rows{
      {"task", "family", "best found", "best recorded", summary.arms.front().name, product->name}};
  for (std::size_t i = 0; i < summary.tasks.size(); ++i) {
    const TaskOutcome& task = summary.tasks[i];
    const auto needed = [&](const ArmOutcome& arm) {
      return task.counted ? fixed(arm.by_task[i], 1) : std::string("nothing to find");
    };
    rows.push_back({task.name, task.family, fixed(std::exp(task.best), 3) + "x",
                    fixed(std::exp(task.best_recorded), 3) + "x", needed(summary.arms.front()),
                    needed(*product)});
  }
  return "\n" + aligned(rows);
}

std::string forecasts_text(const ForecastFigures& of) {
  if (of.tasks == 0) return "";
  return "\nExpectations of " + std::to_string(of.moves) + " recorded moves of " +
         std::to_string(of.tasks) + " tasks, families left out:\n" +
         aligned({{"", "guess alone", "with memory", "order of tries"},
                  {"rank correlation within a task", fixed(of.rank_by_guess, 2),
                   fixed(of.rank_by_memory, 2), fixed(of.rank_of_order, 2)},
                  {"error of ln(gain), root mean square", fixed(of.error_of_guess, 2),
                   fixed(of.error_with_memory, 2), ""},
                  {"inside the 80 % interval", "", percent(of.covered), ""}});
}

nlohmann::json forecasts_document(const ForecastFigures& of) {
  return {{"moves", of.moves},
          {"tasks", of.tasks},
          {"rank_by_guess", of.rank_by_guess},
          {"rank_by_memory", of.rank_by_memory},
          {"rank_of_order", of.rank_of_order},
          {"error_of_guess", of.error_of_guess},
          {"error_with_memory", of.error_with_memory},
          {"inside_80_percent", of.covered}};
}

nlohmann::json to_document(const Interval& value) {
  return {{"mean", value.mean}, {"low", value.low}, {"high", value.high}};
}

nlohmann::json factor_document(const Interval& value) {
  return {{"value", std::exp(value.mean)},
          {"low", std::exp(value.low)},
          {"high", std::exp(value.high)}};
}

nlohmann::json arm_document(const ArmOutcome& arm) {
  return {{"arm", arm.name},
          {"what", arm.what},
          {"episodes", arm.episodes},
          {"evaluations_to_target", to_document(arm.evaluations)},
          {"reached_share", arm.reached},
          {"evaluations_ratio", factor_document(arm.log_ratio)},
          {"anytime_log_gain", to_document(arm.area)},
          {"simple_regret", to_document(arm.regret)},
          {"harm_rate", to_document(arm.harm)},
          {"failed_share", arm.failed},
          {"repeated_failure_share", arm.repeated},
          {"curve_log_gain", arm.curve},
          {"seconds_per_episode", arm.seconds}};
}

std::int64_t counted_tasks(const Summary& summary) {
  return std::count_if(summary.tasks.begin(), summary.tasks.end(),
                       [](const TaskOutcome& task) { return task.counted; });
}

}  // namespace

std::string heading(const EvaluationTable& table, const ExperimentPlan& plan) {
  std::set<std::string> families;
  for (const auto& recording : table.tasks()) families.insert(recording.task().operator_family);
  return "memory experiment on a table of " + table.origin().device.name + " (" +
         std::string(name_of(table.origin().provider)) +
         "): " + std::to_string(table.tasks().size()) + " tasks of " +
         std::to_string(families.size()) + " families, " + std::to_string(table.kernels()) +
         " kernels; policy " + plan.policy + ", " + std::to_string(plan.evaluations) +
         " evaluations, " + std::to_string(plan.orders) + " orders x " +
         std::to_string(plan.seeds) + " seeds";
}

std::string render_table(const Summary& summary) {
  return arms_text(summary) + planned_text(summary) + tasks_text(summary) +
         forecasts_text(summary.forecasts) +
         "\nIntervals are 95 %, over tasks and runs. 95 % = of the best over all arms; a run that "
         "never gets there counts as " +
         std::to_string(summary.evaluations + 1) +
         ".\nThe best kernel of the very same task is remembered in same-again only.\n";
}

std::string render_json(const Summary& summary, const EvaluationTable& table,
                        const ExperimentPlan& plan, std::string_view arm) {
  nlohmann::json document;
  document["provider"] = std::string(name_of(table.origin().provider));
  document["device"] = table.origin().device.name;
  document["kernels"] = table.kernels();
  document["policy"] = plan.policy;
  document["evaluations"] = plan.evaluations;
  document["orders"] = plan.orders;
  document["seeds"] = plan.seeds;
  document["seed"] = plan.seed;
  for (const auto& outcome : summary.arms) document["arms"].push_back(arm_document(outcome));
  for (const auto& planned : summary.planned) {
    document["planned"].push_back({{"arm", planned.arm},
                                   {"against", planned.against},
                                   {"evaluations_ratio", factor_document(planned.log_ratio)},
                                   {"corrected_p", planned.corrected_p}});
  }
  for (const auto& task : summary.tasks) {
    document["tasks"].push_back({{"task", task.name},
                                 {"family", task.family},
                                 {"best_gain", std::exp(task.best)},
                                 {"best_recorded_gain", std::exp(task.best_recorded)},
                                 {"counted", task.counted}});
  }
  document["forecasts"] = forecasts_document(summary.forecasts);
  document["result"] = result_line(summary, arm);
  return codec::dump_json(document);
}

std::string result_line(const Summary& summary, std::string_view arm) {
  const ArmOutcome* outcome = summary.find(arm);
  if (outcome == nullptr || summary.arms.empty())
    return "RESULT arm=" + std::string(arm) + " absent";
  const ArmOutcome& control = summary.arms.front();
  std::string line = "RESULT";
  const auto add = [&](const char* name, const std::string& value) {
    line += std::string(" ") + name + "=" + value;
  };
  add("evaluations_ratio", fixed(std::exp(outcome->log_ratio.mean), 4));
  add("ci_low", fixed(std::exp(outcome->log_ratio.low), 4));
  add("ci_high", fixed(std::exp(outcome->log_ratio.high), 4));
  add("arm", outcome->name);
  add("against", control.name);
  add("evaluations", fixed(outcome->evaluations.mean, 3));
  add("evaluations_without", fixed(control.evaluations.mean, 3));
  add("harm_rate", fixed(outcome->harm.mean, 4));
  add("anytime_gain", fixed(std::exp(outcome->area.mean), 4));
  add("anytime_gain_without", fixed(std::exp(control.area.mean), 4));
  add("rank_by_guess", fixed(summary.forecasts.rank_by_guess, 3));
  add("rank_by_memory", fixed(summary.forecasts.rank_by_memory, 3));
  add("tasks", std::to_string(counted_tasks(summary)));
  add("episodes", std::to_string(outcome->episodes));
  return line;
}

}  // namespace warpmind::agents::benchmark
