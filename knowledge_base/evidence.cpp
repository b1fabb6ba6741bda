#include "knowledge_base/evidence.h"

#include "base/job_names.h"
#include "base/model/verdict_reading.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

/// A screening is one process: half a confirmed comparison, and only when it speaks against.
constexpr double kScreeningWeight = 0.5;
constexpr std::int64_t kConfirmedProcesses = 2;
/// Longer parameters are texts that hardly come a second time.
constexpr std::size_t kLongestParameters = 64;
/// Between technique and parameters in a name on disk; no technique has it in its name.
constexpr char kUnitSeparator = '\x1f';

/// ln of what the writer expected without memory. Built-in candidates of old records have only what
/// was expected with it; of other writers nobody knows what they had expected.
std::optional<double> expected_log_gain(const Candidate& candidate) {
  double expected = candidate.prior_gain;
  if (expected <= 0 && candidate.proposer == kBuiltinProposer) expected = candidate.predicted_gain;
  if (!std::isfinite(expected) || expected <= 0) return std::nullopt;
  return std::log(expected);
}

void read_gain(const Verdict& verdict, Provider provider, Evidence& evidence) {
  if (!verdict.comparison || evidence.feasible != true) return;
  const auto& comparison = *verdict.comparison;
  if (!std::isfinite(comparison.ratio) || comparison.ratio <= 0) return;
  const double log_gain = std::log(comparison.ratio);
  if (is_confirmed(comparison, provider)) {
    evidence.confirmed_log_gain = log_gain;
    evidence.gained = verdict.outcome == Outcome::improved && log_gain > 0;
  } else if (verdict.outcome == Outcome::same || verdict.outcome == Outcome::regressed) {
    evidence.screened_log_gain = std::min(0.0, log_gain);
  }
}

/// What the episode ran on: device and toolkit of its first measurement.
Measurement setting_of(const Episode& episode) {
  for (const auto& step : episode.steps) {
    if (step.verdict.measurement) return *step.verdict.measurement;
  }
  return {};
}

std::int64_t screenings_of(const PosteriorCounts& counts) {
  return std::llround(counts.screened.weight / kScreeningWeight);
}

void add_surprise(PosteriorCounts& counts, const Evidence& evidence) {
  const auto& measured =
      evidence.confirmed_log_gain ? evidence.confirmed_log_gain : evidence.screened_log_gain;
  if (!measured || !evidence.expected_log_gain) return;
  const double weight = evidence.confirmed_log_gain ? 1 : kScreeningWeight;
  const double surprise = *measured - *evidence.expected_log_gain;
  counts.surprise.add(surprise, weight);
  const double stands = evidence.gained ? std::max({surprise, standing_of(counts), 0.0}) : surprise;
  counts.standing.add(stands, weight);
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f;
  });
}

}  // namespace

std::optional<bool> feasibility_of(const Step& step) {
  const Verdict& verdict = step.verdict;
  if (is_own_fault(step.candidate, verdict)) return std::nullopt;
  const bool is_mechanical = step.candidate.proposer == kBuiltinProposer;
  switch (verdict.outcome) {
    case Outcome::improved:
    case Outcome::same:
    case Outcome::regressed: return true;
    case Outcome::inconclusive:
      if (verdict.correctness && verdict.correctness->passed) return true;
      return std::nullopt;
    case Outcome::build_failed:
      // Built, and refused for what came of it: new spills.
      if (is_mechanical && verdict.build && verdict.build->succeeded) return false;
      return std::nullopt;
    case Outcome::wrong:
    case Outcome::timed_out:
    case Outcome::cheating: return is_mechanical ? std::optional(false) : std::nullopt;
    case Outcome::crashed:
    case Outcome::blocked:
    case Outcome::unjudgeable: return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Evidence> evidence_of(const Episode& episode) {
  std::vector<Evidence> all;
  if (episode.split == Split::heldout) return all;
  const Measurement usual = setting_of(episode);
  for (std::size_t i = 1; i < episode.steps.size(); ++i) {
    const Step& step = episode.steps[i];
    if (step.candidate.technique.empty() || step.candidate.proposer == "memory") continue;
    const Measurement& setting = step.verdict.measurement ? *step.verdict.measurement : usual;
    Evidence evidence;
    evidence.scope = {episode.provider, step.candidate.technique, step.before.primary,
                      setting.device};
    evidence.step = i;
    evidence.toolchain = {setting.toolkit, setting.device.driver};
    evidence.feasible = feasibility_of(step);
    evidence.parameters = step.candidate.parameters;
    read_gain(step.verdict, episode.provider, evidence);
    evidence.expected_log_gain = expected_log_gain(step.candidate);
    if (evidence.feasible) all.push_back(std::move(evidence));
  }
  return all;
}

std::string technique_behind(const Candidate& candidate) {
  if (candidate.proposer != "memory") return candidate.technique;
  // A remembered kernel names its techniques in the order they were applied: "tiling+unroll".
  const auto newest = candidate.parameters.rfind('+');
  return newest == std::string::npos ? candidate.parameters
                                     : candidate.parameters.substr(newest + 1);
}

std::string move_name(std::string_view technique, std::string_view parameters) {
  if (parameters.empty() || parameters.size() > kLongestParameters) return {};
  if (!is_plain(technique) || !is_plain(parameters)) return {};
  std::string name(technique);
  name += kUnitSeparator;
  name += parameters;
  return name;
}

std::vector<PosteriorKey> keys_of(const Evidence& evidence) {
  const auto chain = chain_of(evidence.scope);
  std::vector<PosteriorKey> keys(chain.begin(), chain.end());
  PosteriorScope move = evidence.scope;
  move.technique = move_name(evidence.scope.technique, evidence.parameters);
  if (move.technique.empty()) return keys;
  const auto narrower = chain_of(move);
  // The first is the global level, which has it already.
  keys.insert(keys.end(), narrower.begin() + 1, narrower.end());
  return keys;
}

void add(PosteriorCounts& counts, const Evidence& evidence) {
  if (evidence.confirmed_log_gain) counts.confirmed.add(*evidence.confirmed_log_gain, 1);
  if (evidence.screened_log_gain) {
    counts.screened.add(*evidence.screened_log_gain, kScreeningWeight);
  }
  add_surprise(counts, evidence);
  if (evidence.feasible) ++(*evidence.feasible ? counts.feasible : counts.infeasible);
  if (evidence.confirmed_log_gain || evidence.screened_log_gain) {
    counts.toolchain = evidence.toolchain;
  }
}

std::int64_t comparisons(const PosteriorCounts& counts) {
  return counts.observations() + screenings_of(counts);
}

bool is_confirmed(const Comparison& comparison, Provider provider) {
  return provider == Provider::sim || comparison.processes >= kConfirmedProcesses;
}

std::string describe(const PosteriorCounts& counts, Provider provider) {
  std::string text;
  if (counts.observations() > 0) {
    text =
        log_factor_text(counts.confirmed.mean) + " mean gain, " +
        count_noun(counts.observations(), provider == Provider::sim ? "prediction" : "measurement");
  }
  const auto screenings = screenings_of(counts);
  if (screenings > 0) {
    text += (text.empty() ? "" : ", ") + std::string("no gain in ") +
            count_noun(screenings, "screening");
  }
  if (counts.infeasible > 0) {
    text += (text.empty() ? "" : ", ") + std::string("failed ") +
            std::to_string(counts.infeasible) + " of " +
            count_noun(counts.feasible + counts.infeasible, "time");
  } else if (text.empty() && counts.feasible > 0) {
    text = "worked " + count_noun(counts.feasible, "time") + ", gain not measured";
  }
  return text;
}

std::string lesson_of(const PosteriorScope& scope, const PosteriorCounts& counts) {
  const std::string device = scope.device.name.empty() ? "an unknown device" : scope.device.name;
  return scope.technique + " at " + std::string(warpmind::name_of(scope.bottleneck)) + " on " +
         device + (scope.provider == Provider::sim ? ", simulated" : "") + ": " +
         describe(counts, scope.provider);
}

}  // namespace warpmind::knowledge_base
