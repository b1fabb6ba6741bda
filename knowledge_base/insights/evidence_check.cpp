#include "base/model/verdict_reading.h"
#include "base/sequence.h"
#include "base/text.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/insights/utility.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

/// A gain that is cited may be rounded; the record's is kept.
constexpr double kRounding = 0.02;

struct CitedStep {
  Episode episode;  ///< without steps
  Step step;
  DeviceIdentity device;
};

std::string place_of(const EvidenceRef& evidence) {
  return "step " + std::to_string(evidence.step) + " of " + evidence.episode.str();
}

tl::unexpected<Error> refuse(const EvidenceRef& evidence, const std::string& why) {
  return fail(Errc::invalid_argument, "evidence " + place_of(evidence) + " " + why);
}

/// Of that step, else of the baseline.
Result<DeviceIdentity> device_of(const RecordReader& reader, std::int64_t number,
                                 std::size_t position) {
  for (const std::size_t at : {position, std::size_t{0}}) {
    WARPMIND_TRY(const auto bytes, reader.get(Family::measurements, measurement_key(number, at)));
    if (!bytes) continue;
    WARPMIND_TRY(auto measurement, decode_measurement(*bytes));
    return std::move(measurement.device);
  }
  return DeviceIdentity{};
}

Result<CitedStep> read_step(const RecordReader& reader, const EvidenceRef& evidence) {
  const auto number = number_of(evidence.episode);
  if (!number) {
    return fail(Errc::invalid_argument,
                "evidence must cite an episode of this base, as e-0000000007");
  }
  WARPMIND_TRY(const auto record, reader.get(Family::episodes, episode_key(*number)));
  if (!record) return refuse(evidence, "cites an episode that the base does not hold");
  WARPMIND_TRY(auto episode, decode_episode(*record));
  if (episode.episode.split == Split::heldout) {
    return refuse(evidence, "is of a held-out task, which teaches nothing");
  }
  if (evidence.step < 1 || evidence.step >= episode.referenced_steps) {
    return refuse(evidence, "cites no step of it: there are 1 to " +
                                std::to_string(episode.referenced_steps - 1));
  }
  const auto position = static_cast<std::size_t>(evidence.step);
  WARPMIND_TRY(const auto bytes, reader.get(Family::steps, step_key(*number, position)));
  if (!bytes) return refuse(evidence, "cites a step that the base does not hold");
  WARPMIND_TRY(auto stored, decode_step(*bytes));
  WARPMIND_TRY(auto device, device_of(reader, *number, position));
  return CitedStep{std::move(episode.episode), std::move(stored.step), std::move(device)};
}

Result<void> check_same(const EvidenceRef& said, const CitedStep& cited) {
  if (said.provider != cited.episode.provider) {
    return refuse(said, "is said to be of provider " + std::string(name_of(said.provider)) +
                            " but was made by " + std::string(name_of(cited.episode.provider)) +
                            ": evidence of one never counts for another");
  }
  if (!said.task.empty() && said.task != cited.episode.task) {
    return refuse(said, "is of task " + cited.episode.task.str() + ", not of " + said.task.str());
  }
  if (!said.device.empty() && said.device != cited.device.name) {
    return refuse(said,
                  "was measured on '" + cited.device.name + "', not on '" + said.device + "'");
  }
  if (!said.operator_family.empty() && said.operator_family != cited.episode.operator_family) {
    return refuse(said, "is of operator family " + cited.episode.operator_family + ", not of " +
                            said.operator_family);
  }
  return {};
}

Result<void> check_subject(const Insight& insight, const EvidenceRef& said,
                           const CitedStep& cited) {
  const auto& techniques = insight.action.techniques;
  const std::string& tried = cited.step.candidate.technique;
  if (cited.step.candidate.proposer == "memory") {
    return refuse(said, "measured a remembered kernel again, which is no new evidence");
  }
  if (!techniques.empty() && !contains(techniques, tried)) {
    return refuse(said, "tried " + (tried.empty() ? "no technique" : tried) +
                            ", which the claim does not name");
  }
  const auto& scope = insight.scope.bottlenecks;
  const auto in_scope = [&scope](BottleneckClass found) { return contains(scope, found); };
  const Bottleneck& before = cited.step.before;
  // A composite begins at its bottleneck; the cited step is its last.
  if (scope.empty() || techniques.size() > 1 || in_scope(before.primary) ||
      std::any_of(before.secondary.begin(), before.secondary.end(), in_scope)) {
    return {};
  }
  return refuse(said, "was limited by " + std::string(name_of(before.primary)) +
                          ", which is outside the claim's scope");
}

/// The comparison that speaks for the action: of a sequence, the whole way from the baseline.
std::optional<Comparison> comparison_for(const Insight& insight, const EvidenceRef& said,
                                         const CitedStep& cited) {
  if (insight.action.techniques.size() < 2) return cited.step.verdict.comparison;
  if (said.step == cited.episode.best_step) return cited.episode.best_against_baseline;
  return std::nullopt;
}

/// What the record says. `supports` is that of doing it; a negative claim turns it round.
Result<EvidenceRef> read_result(const Insight& insight, const EvidenceRef& said,
                                const CitedStep& cited) {
  EvidenceRef read = said;
  read.task = cited.episode.task;
  read.operator_family = cited.episode.operator_family;
  read.device = cited.device.name;
  read.log_gain = 0;
  read.confirmed = false;
  read.supports = false;
  const Outcome outcome = cited.step.verdict.outcome;
  if (is_failure(outcome)) {
    if (feasibility_of(cited.step)) return read;
    return refuse(said, "ended '" + std::string(name_of(outcome)) +
                            "', a fault of the candidate that says nothing about the technique");
  }
  const auto comparison = comparison_for(insight, said, cited);
  if (!comparison || says_nothing(outcome) || outcome == Outcome::inconclusive ||
      !std::isfinite(comparison->ratio) || comparison->ratio <= 0) {
    return refuse(said, "says nothing about a gain: it was " + std::string(name_of(outcome)));
  }
  read.log_gain = std::log(comparison->ratio);
  read.confirmed = is_confirmed(*comparison, cited.episode.provider);
  read.supports = read.confirmed && read.log_gain > 0 && outcome == Outcome::improved;
  if (read.confirmed) return read;
  if (outcome != Outcome::same && outcome != Outcome::regressed) {
    return refuse(said, "is a screening by one process, which flatters: it is no evidence");
  }
  // As in docs/storage.md: a screening counts against, never for.
  read.log_gain = std::min(0.0, read.log_gain);
  return read;
}

Result<void> check_sign(const Insight& insight, const EvidenceRef& said, const EvidenceRef& read) {
  const std::string measured = read.log_gain == 0 ? "no gain" : log_factor_text(read.log_gain);
  if (!std::isfinite(said.log_gain)) return refuse(said, "has a gain that is no number");
  if (said.log_gain != 0 && std::abs(said.log_gain - read.log_gain) > kRounding) {
    return refuse(said, "measured " + measured + ", not " + log_factor_text(said.log_gain));
  }
  if (said.supports == read.supports) return {};
  return refuse(said, "measured " + measured + ", which speaks " +
                          (read.supports ? "for" : "against") + " the " +
                          std::string(name_of(insight.kind)) + " claim");
}

}  // namespace

Result<void> check_evidence(const RecordReader& reader, const Insight& insight,
                            InsightEvent& event) {
  if (!event.evidence) return fail(Errc::invalid_argument, "evidence must cite a step: name one");
  const EvidenceRef& said = *event.evidence;
  WARPMIND_TRY(const auto cited, read_step(reader, said));
  WARPMIND_CHECK(check_same(said, cited));
  WARPMIND_CHECK(check_subject(insight, said, cited));
  WARPMIND_TRY(auto read, read_result(insight, said, cited));
  if (insight.kind == InsightKind::negative) read.supports = !read.supports;
  WARPMIND_CHECK(check_sign(insight, said, read));
  const int capability = 10 * cited.device.compute_major + cited.device.compute_minor;
  if (!admits(insight.scope, read, capability)) {
    return refuse(said, "was made on " + (read.device.empty() ? "an unknown device" : read.device) +
                            " in " + read.operator_family + ", outside the claim's scope");
  }
  event.evidence = std::move(read);
  event.capability = capability;
  event.outcome = cited.step.verdict.outcome;
  return {};
}

}  // namespace warpmind::knowledge_base
