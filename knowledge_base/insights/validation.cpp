#include "knowledge_base/insights/validation.h"

#include "base/model/verdict_reading.h"
#include "base/part.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/device_table.h"
#include "config/nearest_name.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/insights/utility.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostSignature = 64;
constexpr std::size_t kMostListed = 16;
constexpr std::size_t kMostTechniques = 8;
constexpr std::size_t kMostChain = 10'000;
constexpr int kMostCapability = 999;

Result<void> refuse(const std::string& why) { return fail(Errc::invalid_argument, why); }

/// 90 of "sm_90"; 0 for anything else.
int capability_named(std::string_view text) {
  constexpr std::string_view kPrefix = "sm_";
  if (!text.starts_with(kPrefix)) return 0;
  text.remove_prefix(kPrefix.size());
  if (text.size() < 2 || text.size() > 3) return 0;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    value = 10 * value + (c - '0');
  }
  return value;
}

Result<void> check_names(const char* what, const std::vector<std::string>& names) {
  if (names.size() > kMostListed) {
    return refuse("the scope names " + std::to_string(names.size()) + " of " + what +
                  ", at most 16: leave the list empty for all");
  }
  for (const auto& name : names) WARPMIND_CHECK(check_name(what, name));
  return {};
}

Result<void> check_scope(const InsightScope& scope) {
  WARPMIND_CHECK(check_names("the operator family", scope.operator_families));
  WARPMIND_CHECK(check_names("the contract", scope.contracts));
  if (scope.dtypes.size() > kMostListed || scope.bottlenecks.size() > kMostListed) {
    return refuse("the scope lists more than 16 dtypes or bottlenecks: leave it empty for all");
  }
  for (const int bound : {scope.capability_min, scope.capability_max}) {
    if (bound < 0 || bound > kMostCapability || (bound > 0 && bound < 10)) {
      return refuse("the scope's compute capability " + std::to_string(bound) +
                    " is none: write 90 for 9.0, or 0 for any");
    }
  }
  if (scope.capability_max != 0 && scope.capability_min > scope.capability_max) {
    return refuse("the scope's compute capabilities run from " +
                  std::to_string(scope.capability_min) + " down to " +
                  std::to_string(scope.capability_max) + ": swap the bounds");
  }
  return check_label("the scope's device", scope.device);
}

Result<void> check_space(const std::string& space) {
  if (space == "user") return {};
  for (const std::string_view prefix : {"project:", "team:"}) {
    if (space.starts_with(prefix)) {
      return check_name("the name in the namespace", std::string_view(space).substr(prefix.size()));
    }
  }
  return refuse("the namespace must be user, project:<name> or team:<name>");
}

Result<void> check_action(const Insight& claim) {
  const auto& techniques = claim.action.techniques;
  if (techniques.size() > kMostTechniques) {
    return refuse("the claim names " + std::to_string(techniques.size()) +
                  " techniques, at most 8: say which of them matter");
  }
  for (const auto& name : techniques) WARPMIND_CHECK(check_name("the technique", name));
  if (claim.kind == InsightKind::composite && techniques.size() < 2) {
    return refuse("a composite needs at least two techniques in order: name them");
  }
  if (claim.kind == InsightKind::positive && techniques.size() > 1) {
    return refuse("a positive claim is about one technique: several in order are a composite");
  }
  return check_prose("the parameters", claim.action.parameters);
}

Result<void> check_signature(const char* what, const std::map<std::string, double>& signature) {
  if (signature.size() > kMostSignature) {
    return refuse(std::string(what) + " has " + std::to_string(signature.size()) +
                  " features, at most 64");
  }
  for (const auto& [name, value] : signature) {
    WARPMIND_CHECK(check_label(std::string("a feature of ") + what, name, kMostSignature));
    if (!std::isfinite(value)) {
      return refuse(std::string(what) + " has a value that is no finite number: leave it out");
    }
  }
  return {};
}

Result<void> check_provenance(const Provenance& from) {
  if (from.source.empty()) {
    return refuse("the claim has no source: say who or what it comes from, as user:<name>");
  }
  WARPMIND_CHECK(check_source(from.source));
  WARPMIND_CHECK(check_label("the author", from.author));
  WARPMIND_CHECK(check_label("the model", from.model));
  WARPMIND_CHECK(check_label("the prompt's hash", from.prompt_hash));
  WARPMIND_CHECK(check_label("the licence", from.licence));
  WARPMIND_CHECK(check_label("the toolkit", from.toolkit));
  return check_label("the driver", from.driver);
}

Result<void> check_start(const Insight& claim) {
  if (claim.state != InsightState::proposed) {
    return refuse("a claim starts as proposed, not as " + std::string(name_of(claim.state)) +
                  ": cite episodes as evidence, and the gate decides");
  }
  if (claim.pinned) return refuse("a claim cannot start pinned: add it, then pin it");
  return {};
}

}  // namespace

void normalise(InsightScope& scope) {
  sort_unique(scope.operator_families);
  sort_unique(scope.dtypes);
  sort_unique(scope.bottlenecks);
  sort_unique(scope.contracts);
  if (const int capability = capability_named(scope.device); capability != 0) {
    scope.device.clear();
    scope.capability_min = capability;
    scope.capability_max = capability;
  }
}

void normalise(Insight& claim) { normalise(claim.scope); }

Result<void> check_claim(const Insight& claim) {
  if (claim.claim.find_first_not_of(' ') == std::string::npos) {
    return refuse("the claim is empty: say in one sentence what holds");
  }
  WARPMIND_CHECK(check_prose("the claim", claim.claim));
  WARPMIND_CHECK(check_prose("the mechanism", claim.mechanism));
  WARPMIND_CHECK(check_action(claim));
  WARPMIND_CHECK(check_scope(claim.scope));
  WARPMIND_CHECK(check_signature("the profile signature", claim.profile_signature));
  WARPMIND_CHECK(check_signature("the code signature", claim.code_signature));
  WARPMIND_CHECK(check_space(claim.space));
  WARPMIND_CHECK(check_provenance(claim.provenance));
  for (const auto& attestation : claim.attestations) WARPMIND_CHECK(check_attestation(attestation));
  return check_start(claim);
}

Result<void> check_amendment(const InsightAmendment& amendment) {
  if (amendment == InsightAmendment{}) return refuse("the edit changes nothing: name a field");
  if (amendment.claim) {
    if (amendment.claim->find_first_not_of(' ') == std::string::npos) {
      return refuse("the claim is empty: say in one sentence what holds");
    }
    WARPMIND_CHECK(check_prose("the claim", *amendment.claim));
  }
  if (amendment.mechanism) WARPMIND_CHECK(check_prose("the mechanism", *amendment.mechanism));
  if (amendment.parameters) WARPMIND_CHECK(check_prose("the parameters", *amendment.parameters));
  if (amendment.scope) WARPMIND_CHECK(check_scope(*amendment.scope));
  if (amendment.space) WARPMIND_CHECK(check_space(*amendment.space));
  return {};
}

Result<void> check_attestation(const Attestation& attestation) {
  WARPMIND_CHECK(check_name("the origin of an attestation", attestation.origin));
  if (!std::isfinite(attestation.mean_log_gain)) {
    return refuse("the attestation of " + attestation.origin + " has a gain that is no number");
  }
  constexpr double kMostGain = 16;  // as a factor nearly 10^7
  if (std::abs(attestation.mean_log_gain) > kMostGain) {
    return refuse("the attestation of " + attestation.origin +
                  " has a gain that no kernel has: its logarithm must lie within ±16");
  }
  if (attestation.supports < 0 || attestation.contradicts < 0 || attestation.sequence < 0) {
    return refuse("the attestation of " + attestation.origin + " has a count below zero");
  }
  return {};
}

Result<void> check_source(std::string_view source) {
  constexpr std::size_t kMostSource = 120;
  const bool fits =
      !source.empty() && source.size() <= kMostSource &&
      std::all_of(source.begin(), source.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view(":._-+@/ ").find(static_cast<char>(c)) != std::string_view::npos;
      });
  if (fits) return {};
  return refuse("a source or actor is 1 to 120 letters, digits, spaces or ':._-+@/'");
}

Result<void> check_actor(const Actor& actor) {
  WARPMIND_CHECK(check_source(actor.name));
  return check_prose("the reason", actor.reason);
}

Result<void> check_technique(const Technique& technique) {
  constexpr std::size_t kMostCardText = 2000;
  WARPMIND_CHECK(check_name("the technique", technique.name));
  WARPMIND_CHECK(check_label("the title", technique.title));
  WARPMIND_CHECK(check_name("the category", technique.category));
  for (const auto& [what, text] :
       {std::pair("when", &technique.when), std::pair("when_not", &technique.when_not),
        std::pair("how", &technique.how), std::pair("risks", &technique.risks)}) {
    WARPMIND_CHECK(check_prose(std::string("the text '") + what + "'", *text, kMostCardText));
  }
  for (const auto& parameter : technique.parameters) {
    WARPMIND_CHECK(check_prose("a parameter", parameter));
  }
  for (const auto& [name, note] : technique.generations) {
    WARPMIND_CHECK(check_name("a generation", name));
    WARPMIND_CHECK(check_prose("the note on " + name, note, kMostCardText));
  }
  for (const auto& alias : technique.aliases) WARPMIND_CHECK(check_label("an alias", alias));
  if (!std::isfinite(technique.typical_low) || !std::isfinite(technique.typical_high) ||
      technique.typical_low <= 0 || technique.typical_high < technique.typical_low) {
    return refuse("the typical gain must be two factors above 0, the lower one first");
  }
  InsightScope bounds;
  part<CapabilityRange>(bounds) = part<CapabilityRange>(technique);
  return check_scope(bounds);
}

Result<void> check_device(const RecordReader& reader, const std::string& device) {
  if (device.empty()) return {};
  WARPMIND_TRY(const auto measured, reader.get(Family::insights, measured_device_key(device)));
  if (measured) return {};
  std::vector<std::string_view> known;
  for (const auto& row : config::device_table().all()) {
    if (row.name == device) return {};
    known.push_back(row.name);
  }
  const auto nearest = config::nearest_name(device, known);
  return refuse("the device '" + device +
                "' is neither in the device table nor was it measured here: " +
                (nearest.empty() ? "name a compute capability (sm_90) instead"
                                 : "did you mean '" + std::string(nearest) + "'?"));
}

Result<void> check_no_cycle(const RecordReader& reader, const InsightId& id,
                            const InsightId& successor) {
  if (id == successor) return refuse(id.str() + " cannot supersede itself");
  InsightId at = successor;
  for (std::size_t step = 0; step < kMostChain && !at.empty(); ++step) {
    WARPMIND_TRY(const auto stored, load_insight(reader, at));
    if (!stored) return {};
    at = stored->insight.superseded_by;
    if (at == id) {
      return refuse(successor.str() + " is itself superseded by " + id.str() +
                    ", directly or through others: undo that first");
    }
  }
  return {};
}

Result<void> check_supersedes(const RecordReader& reader, const Insight& claim) {
  std::set<InsightId> seen;
  std::vector<InsightId> open = claim.supersedes;
  while (!open.empty() && seen.size() < kMostChain) {
    const InsightId id = open.back();
    open.pop_back();
    if (id == claim.id) {
      return refuse("the claim supersedes itself, directly or through others");
    }
    if (!seen.insert(id).second) continue;
    WARPMIND_TRY(const auto stored, load_insight(reader, id));
    if (!stored) continue;
    open.insert(open.end(), stored->insight.supersedes.begin(), stored->insight.supersedes.end());
  }
  return {};
}

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
