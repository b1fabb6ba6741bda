#include "knowledge_base/retrieval/lift_codec.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"
#include "knowledge_base/record_codec.h"

#include <cmath>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

json to_json(const LiftArm& arm) {
  return {{"steps", arm.steps},
          {"w", arm.weight},
          {"ww", arm.weight_squares},
          {"wy", arm.weighted},
          {"wwy", arm.weighted_by_squares},
          {"wwyy", arm.weighted_squares_twice}};
}

bool is_finite(const LiftArm& arm) {
  return std::isfinite(arm.weight) && std::isfinite(arm.weight_squares) &&
         std::isfinite(arm.weighted) && std::isfinite(arm.weighted_by_squares) &&
         std::isfinite(arm.weighted_squares_twice);
}

/// Throws what nlohmann throws.
LiftArm arm_from(const json& value) {
  LiftArm arm;
  value.at("steps").get_to(arm.steps);
  value.at("w").get_to(arm.weight);
  value.at("ww").get_to(arm.weight_squares);
  value.at("wy").get_to(arm.weighted);
  value.at("wwy").get_to(arm.weighted_by_squares);
  value.at("wwyy").get_to(arm.weighted_squares_twice);
  return arm;
}

Result<LiftCounts> counts_from(const json& value) {
  try {
    LiftCounts counts;
    for (const auto& [name, arms] : value.items()) {
      const auto provider = parse_enum<Provider>(name);
      if (!provider) return fail(Errc::corrupt_data, "stored lift names provider '" + name + "'");
      counts.by_provider[*provider] = {arm_from(arms.at("shown")), arm_from(arms.at("withheld"))};
    }
    return counts;
  } catch (const json::exception& e) {
    return fail(Errc::corrupt_data,
                std::string("stored lift is damaged: ") + codec::misfit_of({}, e).what());
  }
}

}  // namespace

Result<std::string> encode_lift(const LiftCounts& counts) {
  json payload = json::object();
  for (const auto& [provider, arms] : counts.by_provider) {
    if (!is_finite(arms.shown) || !is_finite(arms.withheld)) {
      return fail(Errc::invalid_argument,
                  "cannot store a lift: it holds a number that is not finite");
    }
    payload[std::string(name_of(provider))] = {{"shown", to_json(arms.shown)},
                                               {"withheld", to_json(arms.withheld)}};
  }
  return std::string(1, static_cast<char>(kRecordVersion)) + codec::dump_json(payload);
}

Result<LiftCounts> decode_lift(std::string_view bytes) {
  if (bytes.empty()) return fail(Errc::corrupt_data, "stored lift is empty");
  const auto version = static_cast<unsigned char>(bytes.front());
  if (version != kRecordVersion) {
    return fail(Errc::corrupt_data,
                "stored lift has record version " + std::to_string(version) +
                    ", this build reads up to " + std::to_string(kRecordVersion) +
                    ": it was written by a newer build of warpmind; use that build");
  }
  WARPMIND_TRY(const auto payload, codec::parse_json(bytes.substr(1)));
  if (!payload.is_object()) return fail(Errc::corrupt_data, "stored lift is not a JSON object");
  return counts_from(payload);
}

}  // namespace warpmind::knowledge_base
