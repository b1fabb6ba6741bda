#include "knowledge_base/insights/validation.h"

#include "base/sequence.h"
#include "config/device_table.h"
#include "config/nearest_name.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/key_codec.h"

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
  bounds.capability_min = technique.capability_min;
  bounds.capability_max = technique.capability_max;
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

}  // namespace warpmind::knowledge_base
