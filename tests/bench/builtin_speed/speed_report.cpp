#include "tests/bench/builtin_speed/speed_report.h"

#include "base/codec/json_guard.h"
#include "base/file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace warpmind::speed {
namespace {

constexpr const char* kUnjudged = "unjudged";
constexpr double kManyTimes = 5;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The edits that lead to the best kernel.
std::string chain_of(const Episode& episode) {
  std::string chain;
  for (std::int64_t at = episode.best_step; at > 0;) {
    const Step& step = episode.steps.at(static_cast<std::size_t>(at));
    std::string edit = step.candidate.technique;
    if (!step.candidate.parameters.empty()) edit += " " + step.candidate.parameters;
    if (!chain.empty()) edit += " > " + chain;
    chain = std::move(edit);
    if (step.edited >= at) break;
    at = step.edited;
  }
  return chain.empty() ? "-" : chain;
}

double time_of(const Episode& episode, std::size_t step) {
  if (step >= episode.steps.size() || !episode.steps[step].verdict.measurement) return 0;
  return episode.steps[step].verdict.measurement->median_ns / 1000;
}

bool is_fault(Outcome outcome) {
  return outcome == Outcome::wrong || outcome == Outcome::build_failed ||
         outcome == Outcome::crashed || outcome == Outcome::timed_out ||
         outcome == Outcome::cheating;
}

nlohmann::json json_of(const TaskResult& result) {
  return {{"name", result.name},       {"given_us", result.given_us},
          {"best_us", result.best_us}, {"ratio", result.ratio},
          {"low", result.low},         {"high", result.high},
          {"chain", result.chain},     {"evaluations", result.evaluations},
          {"outcome", result.outcome}, {"reason", result.reason},
          {"faults", result.faults},   {"seconds", result.seconds}};
}

}  // namespace

TaskResult unjudged(const std::string& name, const std::string& reason) {
  TaskResult result;
  result.name = name;
  result.outcome = kUnjudged;
  result.reason = first_line(reason);
  return result;
}

TaskResult result_of(const std::string& name, const Episode& episode) {
  if (episode.steps.empty()) return unjudged(name, episode.summary);
  const Verdict& given = episode.steps.front().verdict;
  if (given.outcome != Outcome::same) return unjudged(name, given.reason);
  TaskResult result;
  result.name = name;
  result.outcome = name_of(episode.outcome);
  result.reason = first_line(episode.summary);
  result.given_us = time_of(episode, 0);
  result.best_us = time_of(episode, static_cast<std::size_t>(episode.best_step));
  if (episode.best_against_baseline && episode.outcome == Outcome::improved) {
    result.ratio = episode.best_against_baseline->ratio;
    result.low = episode.best_against_baseline->low;
    result.high = episode.best_against_baseline->high;
    result.chain = chain_of(episode);
  }
  result.evaluations = static_cast<std::int64_t>(episode.steps.size()) - 1;
  for (const Step& step : episode.steps) {
    if (step.index == 0 || !is_fault(step.verdict.outcome)) continue;
    result.faults.push_back("step " + std::to_string(step.index) + " " + step.candidate.technique +
                            " " + step.candidate.parameters + ": " +
                            first_line(step.verdict.reason));
  }
  return result;
}

void print(const TaskResult& result) {
  for (const auto& fault : result.faults) std::printf("  fault: %s\n", fault.c_str());
  if (result.outcome == kUnjudged) {
    std::printf("%-40s unjudged: %s\n", result.name.c_str(), result.reason.c_str());
  } else {
    std::printf("%-40s given %9.2f  best %9.2f  %8.2fx", result.name.c_str(), result.given_us,
                result.best_us, result.ratio);
    if (result.outcome == name_of(Outcome::improved)) {
      std::printf(" (%.2f to %.2f)", result.low, result.high);
    }
    std::printf("  %lld evaluations  %.0f s  %s\n", static_cast<long long>(result.evaluations),
                result.seconds, result.chain.c_str());
  }
  std::fflush(stdout);
}

void print_totals(const std::vector<TaskResult>& results, double seconds) {
  int judged = 0;
  int improved = 0;
  int slower = 0;
  int many_times = 0;
  std::size_t wrong = 0;
  std::int64_t evaluations = 0;
  double log_gain = 0;
  for (const auto& result : results) {
    if (result.outcome == kUnjudged) continue;
    ++judged;
    improved += result.outcome == name_of(Outcome::improved) ? 1 : 0;
    slower += result.outcome == name_of(Outcome::regressed) ? 1 : 0;
    many_times += result.ratio >= kManyTimes ? 1 : 0;
    wrong += result.faults.size();
    evaluations += result.evaluations;
    log_gain += std::log(result.ratio);
  }
  const double count = std::max(judged, 1);
  std::printf(
      "RESULT tasks=%zu improved=%d geomean=%.3f slower=%d wrong=%zu evaluations=%lld "
      "seconds=%.0f unjudged=%zu share_ge_5=%.3f\n",
      results.size(), improved, std::exp(log_gain / count), slower, wrong,
      static_cast<long long>(evaluations), seconds,
      results.size() - static_cast<std::size_t>(judged), many_times / count);
}

Result<void> write_json(const std::filesystem::path& file, const std::vector<TaskResult>& results) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const auto& result : results) tasks.push_back(json_of(result));
  return write_file_atomic(file, codec::dump_json({{"tasks", std::move(tasks)}}) + "\n");
}

}  // namespace warpmind::speed
