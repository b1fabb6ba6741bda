#include "agents/benchmark/table_lab.h"

#include "base/hash.h"
#include "base/text.h"
#include "profilers/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace warpmind::agents::benchmark {
namespace {

/// Half intervals at 99 % over 7 processes are about so many standard errors.
constexpr double kErrorsAReach = 3;
/// And the 90 % interval is that much narrower.
constexpr double kSameShare = 0.6;
/// Where no interval was recorded on either side.
constexpr double kLeastReach = 0.002;

Result<const TaskRecording*> recording_of(const EvaluationTable& table, const Task& task) {
  const TaskRecording* recording = table.find(task.id);
  if (recording != nullptr) return recording;
  return fail(Errc::not_found,
              "the table lacks task " + task.id.str() + " (" + task.name + "); record it");
}

/// The rule of profilers/statistics.h and of the simulator, on one interval.
Outcome decided(double log_ratio, double reach, Provider provider, bool confirmed) {
  const double smallest = provider == Provider::sim ? 0 : profilers::kSmallestGain;
  Outcome outcome = Outcome::inconclusive;
  if (log_ratio - reach > 0 && log_ratio >= smallest) {
    outcome = Outcome::improved;
  } else if (log_ratio + reach < 0 && log_ratio <= -smallest) {
    outcome = Outcome::regressed;
  } else if (provider == Provider::sim) {
    if (std::abs(std::exp(log_ratio) - 1) <= profilers::kSameBand) outcome = Outcome::same;
  } else if (std::abs(log_ratio) + kSameShare * reach < profilers::kSameBand) {
    outcome = Outcome::same;
  }
  return outcome == Outcome::improved && !confirmed ? Outcome::inconclusive : outcome;
}

}  // namespace

double TableLab::noise(const KernelId& kernel, const KernelId& incumbent) const {
  const Digest digest = sha256(hash_input({std::to_string(seed_), kernel.str(), incumbent.str()}));
  std::mt19937_64 dice(warpmind::seed_of(digest));
  return std::normal_distribution<double>()(dice);
}

Result<TableLab::Answer> TableLab::answer(const TaskRecording& recording, const KernelId& kernel,
                                          const KernelId& incumbent, bool confirmed) const {
  const auto own = recording.time_of(kernel);
  const auto other = recording.time_of(incumbent);
  if (!own || !other) {
    return fail(Errc::not_found, "the table has no time of kernel " +
                                     (own ? incumbent : kernel).str() + " of " +
                                     recording.task().name);
  }
  const bool simulated = provider() == Provider::sim;
  const double reach = std::max({own->reach, other->reach, kLeastReach});
  const double true_log = other->log_ns - own->log_ns;
  // Predictions repeat; measurements do not.
  const double log_ratio =
      simulated ? true_log : true_log + noise(kernel, incumbent) * reach / kErrorsAReach;
  const bool promising = std::exp(log_ratio) >= profilers::kPromisingRatio;
  Answer answer;
  answer.comparison.ratio = std::exp(log_ratio);
  answer.comparison.low = std::exp(log_ratio - reach);
  answer.comparison.high = std::exp(log_ratio + reach);
  const auto* recorded = recording.find(kernel);
  if (recorded->verdict.comparison) {
    answer.comparison.confidence = recorded->verdict.comparison->confidence;
    answer.comparison.quads = recorded->verdict.comparison->quads;
  }
  const std::int64_t processes =
      promising || confirmed ? recording.confirm_processes() : std::int64_t{1};
  answer.comparison.processes = simulated ? 0 : processes;
  answer.outcome = decided(log_ratio, reach, provider(), simulated || promising || confirmed);
  return answer;
}

Result<Verdict> TableLab::judge(const profilers::JudgeOrder& order, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the judging was cancelled");
  WARPMIND_TRY(const TaskRecording* recording, recording_of(table_, order.task));
  const KernelId id = id_of(order.kernel);
  const RecordedKernel* recorded = recording->find(id);
  if (recorded == nullptr) {
    return fail(Errc::not_found,
                "the table lacks kernel " + id.str() + " of " + order.task.name +
                    "; it was recorded with other moves, or ended before this one");
  }
  Verdict verdict = recorded->verdict;
  const auto time = recording->time_of(id);
  if (!time) return verdict;
  if (order.incumbent == nullptr) {
    verdict.comparison.reset();
    verdict.outcome = Outcome::same;
    verdict.reason = "correct; recorded";
    return verdict;
  }
  WARPMIND_TRY(const Answer told, answer(*recording, id, id_of(*order.incumbent), false));
  verdict.comparison = told.comparison;
  verdict.outcome = told.outcome;
  verdict.reason = std::string(name_of(told.outcome)) + ": " + fixed(told.comparison.ratio, 3) +
                   "x, from recorded times";
  if (verdict.measurement) verdict.measurement->median_ns = std::exp(time->log_ns);
  return verdict;
}

Result<Comparison> TableLab::compare(const profilers::JudgeOrder& order, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the comparison was cancelled");
  if (order.incumbent == nullptr) {
    return fail(Errc::invalid_argument, "a comparison needs an incumbent");
  }
  WARPMIND_TRY(const TaskRecording* recording, recording_of(table_, order.task));
  WARPMIND_TRY(const Answer told,
               answer(*recording, id_of(order.kernel), id_of(*order.incumbent), true));
  return told.comparison;
}

}  // namespace warpmind::agents::benchmark
