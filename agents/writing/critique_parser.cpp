#include "agents/writing/critique_parser.h"

#include "agents/writing/answer_text.h"
#include "agents/writing/json_reader.h"
#include "base/codec/json_guard.h"
#include "base/sequence.h"

#include <array>
#include <string>
#include <utility>

namespace warpmind::agents::writing {
namespace {

constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kParameterBytes = 200;
constexpr std::size_t kCitedSteps = 32;
constexpr std::size_t kClasses = 14;
constexpr std::uint64_t kStepLimit = 1'000'000;
constexpr double kLogGainLimit = 7;  // a factor of 1100
constexpr codec::JsonLimits kJsonLimits{8, 20'000};
constexpr std::array<std::string_view, 4> kCardFields{"when", "when_not", "how", "risks"};

template <class E>
Result<E> name_in(const JsonReader& value, std::string_view member) {
  WARPMIND_TRY(const std::string text, value.wanted_line(member, kNameBytes));
  const auto known = parse_enum<E>(text);
  if (!known) return fail(value.error(member, "must be one of " + all_names_of<E>()));
  return *known;
}

Result<CritiqueClaim> claim_of(const JsonReader& value) {
  WARPMIND_CHECK(value.allow_only({"kind", "text", "mechanism", "technique", "parameters",
                                   "bottleneck", "steps", "log_gain", "confidence"}));
  CritiqueClaim claim;
  WARPMIND_TRY(claim.kind, name_in<ClaimKind>(value, "kind"));
  WARPMIND_TRY(claim.text, value.wanted_line("text", kClaimTextLimit));
  WARPMIND_TRY(claim.mechanism, value.line("mechanism", kClaimTextLimit, ""));
  WARPMIND_TRY(claim.technique, value.wanted_line("technique", kNameBytes));
  WARPMIND_TRY(claim.parameters, value.line("parameters", kParameterBytes, ""));
  WARPMIND_TRY(claim.bottleneck, name_in<BottleneckClass>(value, "bottleneck"));
  WARPMIND_TRY(claim.log_gain, value.number("log_gain", -kLogGainLimit, kLogGainLimit));
  WARPMIND_TRY(claim.confidence, value.number("confidence", 0, 1));
  WARPMIND_TRY(const auto steps, value.list("steps", kCitedSteps));
  if (steps.empty()) return fail(value.error("steps", "must cite at least one step"));
  for (const auto& step : steps) {
    const auto& number = step.value();
    const bool fits = number.is_number_unsigned() && number.get<std::uint64_t>() <= kStepLimit;
    if (!fits) return fail(step.error("", "must be the number of a step"));
    claim.steps.push_back(number.get<std::int64_t>());
  }
  return claim;
}

Result<void> check_delta(const JsonReader& value, const Delta& delta) {
  const auto wants = [&](const char* member, bool there) -> Result<void> {
    if (there) return {};
    return fail(value.error(member, std::string(name_of(delta.kind)) + " needs it"));
  };
  const bool of_card = delta.kind == DeltaKind::amend && delta.target.empty();
  switch (delta.kind) {
    case DeltaKind::add: return {};
    case DeltaKind::amend:
      WARPMIND_CHECK(wants("text", !delta.text.empty()));
      if (!of_card) return {};
      WARPMIND_CHECK(wants("technique", !delta.technique.empty()));
      if (!contains(kCardFields, delta.field)) {
        return fail(value.error("field", "must be when, when_not, how or risks"));
      }
      return {};
    case DeltaKind::split_scope:
      WARPMIND_CHECK(wants("target", !delta.target.empty()));
      return wants("bottlenecks", !delta.bottlenecks.empty());
    case DeltaKind::merge:
      WARPMIND_CHECK(wants("target", !delta.target.empty()));
      return wants("into", !delta.into.empty());
    case DeltaKind::deprecate: return wants("target", !delta.target.empty());
  }
  return {};
}

Result<Delta> delta_of(const JsonReader& value, std::size_t claims) {
  WARPMIND_CHECK(value.allow_only(
      {"kind", "claim", "target", "into", "technique", "field", "text", "bottlenecks"}));
  Delta delta;
  WARPMIND_TRY(delta.kind, name_in<DeltaKind>(value, "kind"));
  if (claims == 0) return fail(value.error("claim", "a delta rests on a claim, and there is none"));
  WARPMIND_TRY(delta.claim, value.integer("claim", 0, static_cast<std::int64_t>(claims) - 1));
  WARPMIND_TRY(std::string target, value.line("target", kNameBytes, ""));
  WARPMIND_TRY(std::string into, value.line("into", kNameBytes, ""));
  delta.target = InsightId(std::move(target));
  delta.into = InsightId(std::move(into));
  WARPMIND_TRY(delta.technique, value.line("technique", kNameBytes, ""));
  WARPMIND_TRY(delta.field, value.line("field", kNameBytes, ""));
  WARPMIND_TRY(delta.text, value.line("text", kClaimTextLimit, ""));
  WARPMIND_TRY(const auto classes, value.list("bottlenecks", kClasses));
  for (const auto& entry : classes) {
    const auto* text = entry.value().get_ptr<const std::string*>();
    const auto known = text == nullptr ? std::nullopt : parse_enum<BottleneckClass>(*text);
    if (!known) return fail(entry.error("", "must be one of " + all_names_of<BottleneckClass>()));
    delta.bottlenecks.push_back(*known);
  }
  WARPMIND_CHECK(check_delta(value, delta));
  return delta;
}

}  // namespace

Result<ParsedCritique> parse_critique(std::string_view raw) {
  WARPMIND_TRY(const AnswerText text, split_answer(raw));
  WARPMIND_TRY(const std::string object, find_json(text));
  const auto document = codec::parse_json(object, kJsonLimits);
  if (!document) {
    return fail(Errc::invalid_argument,
                "the JSON object cannot be read: " + document.error().message);
  }
  const JsonReader answer(*document, "");
  WARPMIND_CHECK(answer.allow_only({"claims", "deltas"}));
  ParsedCritique out;
  WARPMIND_TRY(const auto claims, answer.list("claims", kClaimLimit));
  for (const auto& value : claims) {
    WARPMIND_TRY(CritiqueClaim claim, claim_of(value));
    out.claims.push_back(std::move(claim));
  }
  WARPMIND_TRY(const auto deltas, answer.list("deltas", kDeltaLimit));
  for (const auto& value : deltas) {
    WARPMIND_TRY(Delta delta, delta_of(value, out.claims.size()));
    out.deltas.push_back(std::move(delta));
  }
  return out;
}

}  // namespace warpmind::agents::writing
