#include "knowledge_base/sealed_json.h"

#include "base/codec/json_guard.h"
#include "knowledge_base/record_codec.h"

#include <cmath>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

/// JSON has no NaN and no infinity: nlohmann writes null, which no reader takes for a number.
bool all_finite(const json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  if (!value.is_structured()) return true;
  for (const auto& part : value) {
    if (!all_finite(part)) return false;
  }
  return true;
}

json moments_json(const Moments& m) {
  return {{"weight", m.weight}, {"mean", m.mean}, {"squares", m.squares}};
}

Result<Moments> moments_member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return Moments{};
  if (!found->is_object()) {
    return fail(Errc::corrupt_data, std::string("stored ") + name + " is not an object");
  }
  Moments m;
  WARPMIND_TRY(m.weight, member(*found, "weight", 0.0));
  WARPMIND_TRY(m.mean, member(*found, "mean", 0.0));
  WARPMIND_TRY(m.squares, member(*found, "squares", 0.0));
  return m;
}

}  // namespace

Result<std::string> seal(const json& payload, std::string_view what) {
  if (!all_finite(payload)) {
    return fail(Errc::invalid_argument,
                "cannot store a " + std::string(what) + ": it holds a number that is not finite");
  }
  std::string bytes(1, static_cast<char>(kRecordVersion));
  bytes += codec::dump_json(payload);
  return bytes;
}

Result<std::string_view> unseal(std::string_view bytes, std::string_view what) {
  if (bytes.empty()) return fail(Errc::corrupt_data, "stored " + std::string(what) + " is empty");
  const auto version = static_cast<unsigned char>(bytes.front());
  if (version != kRecordVersion) {
    return fail(Errc::corrupt_data,
                "stored " + std::string(what) + " has record version " + std::to_string(version) +
                    ", this build reads up to " + std::to_string(kRecordVersion) +
                    ": it was written by a newer build of warpmind; use that build");
  }
  return bytes.substr(1);
}

Result<json> open_json(std::string_view bytes, std::string_view what) {
  WARPMIND_TRY(const auto payload, unseal(bytes, what));
  auto parsed = codec::parse_json(payload);
  if (!parsed) return fail(std::move(parsed).error().while_doing("stored " + std::string(what)));
  if (!parsed->is_object()) {
    return fail(Errc::corrupt_data, "stored " + std::string(what) + " is not a JSON object");
  }
  return parsed;
}

json json_of(const PosteriorCounts& counts) {
  return {{"confirmed", moments_json(counts.confirmed)},
          {"screened", moments_json(counts.screened)},
          {"surprise", moments_json(counts.surprise)},
          {"standing", moments_json(counts.standing)},
          {"feasible", counts.feasible},
          {"infeasible", counts.infeasible},
          {"toolkit", counts.toolchain.toolkit},
          {"driver", counts.toolchain.driver}};
}

Result<PosteriorCounts> counts_of(const json& object) {
  if (!object.is_object()) return fail(Errc::corrupt_data, "stored counts are not an object");
  PosteriorCounts counts;
  WARPMIND_TRY(counts.confirmed, moments_member(object, "confirmed"));
  WARPMIND_TRY(counts.screened, moments_member(object, "screened"));
  WARPMIND_TRY(counts.surprise, moments_member(object, "surprise"));
  WARPMIND_TRY(counts.standing, moments_member(object, "standing"));
  WARPMIND_TRY(counts.feasible, member(object, "feasible", counts.feasible));
  WARPMIND_TRY(counts.infeasible, member(object, "infeasible", counts.infeasible));
  WARPMIND_TRY(counts.toolchain.toolkit, member(object, "toolkit", counts.toolchain.toolkit));
  WARPMIND_TRY(counts.toolchain.driver, member(object, "driver", counts.toolchain.driver));
  return counts;
}

}  // namespace warpmind::knowledge_base
