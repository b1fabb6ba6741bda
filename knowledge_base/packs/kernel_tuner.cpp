#include "knowledge_base/packs/kernel_tuner.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "knowledge_base/packs/claim_intake.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

constexpr std::size_t kFileLimit = std::size_t{256} * 1024 * 1024;
constexpr codec::JsonLimits kJsonLimits{.depth = 16, .nodes = 20'000'000};
/// A median of fewer says nothing.
constexpr std::size_t kFewestTimed = 4;
constexpr std::size_t kBest = 3;
/// Faster than the median by less is no lesson.
constexpr double kWorthSaying = 1.05;
/// Older versions write this for a configuration that failed.
constexpr double kFailed = 1e19;

struct Timed {
  double time = 0;  ///< as the file has it, ms
  std::string parameters;
  std::string block;  ///< "block=32x4x1" where only the block was tuned
};

std::string value_text(const json& value) {
  if (value.is_string()) return plain_text(value.get<std::string>(), 40);
  if (value.is_structured()) return {};
  return plain_text(codec::dump_json(value), 40);
}

/// "32x4x1" when every tuned parameter is an extent of the block.
std::string block_of(const json& entry, const std::vector<std::string>& keys) {
  std::array<std::string, 3> shape{"1", "1", "1"};
  constexpr std::array<std::string_view, 3> kNames = {"block_size_x", "block_size_y",
                                                      "block_size_z"};
  for (const auto& key : keys) {
    const auto axis = std::find(kNames.begin(), kNames.end(), key);
    const auto value = entry.find(key);
    if (axis == kNames.end() || value == entry.end() || !value->is_number_integer()) return {};
    shape.at(static_cast<std::size_t>(axis - kNames.begin())) = value_text(*value);
  }
  return "block=" + shape[0] + "x" + shape[1] + "x" + shape[2];
}

std::optional<Timed> timed_of(const json& entry, const std::vector<std::string>& keys) {
  if (!entry.is_object()) return std::nullopt;
  const auto time = entry.find("time");
  if (time == entry.end() || !time->is_number() || entry.contains("__error__")) return std::nullopt;
  Timed timed;
  timed.time = time->get<double>();
  if (!(timed.time > 0 && timed.time < kFailed)) return std::nullopt;
  for (const auto& key : keys) {
    const auto value = entry.find(key);
    if (value == entry.end()) return std::nullopt;
    const std::string shown = value_text(*value);
    if (shown.empty()) continue;
    timed.parameters += (timed.parameters.empty() ? "" : ", ") + plain_text(key, 60) + "=" + shown;
  }
  timed.block = block_of(entry, keys);
  return timed;
}

/// "gemm" of "sgemm_kernel": the families that our tasks know by name.
std::string family_of(std::string_view kernel) {
  struct Hint {
    std::string_view part;
    std::string_view family;
  };
  constexpr std::array<Hint, 14> kHints = {{{"gemm", "gemm"},
                                            {"matmul", "gemm"},
                                            {"matrix_multiply", "gemm"},
                                            {"conv", "conv"},
                                            {"transpose", "transpose"},
                                            {"softmax", "softmax"},
                                            {"norm", "norm"},
                                            {"reduc", "reduction"},
                                            {"sum", "reduction"},
                                            {"scan", "scan"},
                                            {"histogram", "histogram"},
                                            {"stencil", "stencil"},
                                            {"vector_add", "elementwise"},
                                            {"saxpy", "elementwise"}}};
  for (const auto& hint : kHints) {
    if (kernel.find(hint.part) != std::string_view::npos) return std::string(hint.family);
  }
  return technique_named({}, kernel);
}

std::string problem_of(const json& cache) {
  const auto size = cache.find("problem_size");
  if (size == cache.end()) return {};
  if (!size->is_array()) return " for " + value_text(*size);
  std::string text;
  for (const auto& extent : *size) text += (text.empty() ? "" : " x ") + value_text(extent);
  return text.empty() ? "" : " for " + plain_text(text, 60);
}

struct Measured {
  std::vector<Timed> timed;  ///< fastest first
  std::size_t failed = 0;
};

Result<Measured> measured_of(const json& cache, const std::vector<std::string>& keys) {
  const auto entries = cache.find("cache");
  if (entries == cache.end() || !entries->is_object()) {
    return fail(Errc::invalid_argument, "is no Kernel Tuner cache: it has no object 'cache'");
  }
  Measured measured;
  for (const auto& entry : *entries) {
    if (auto timed = timed_of(entry, keys)) {
      measured.timed.push_back(std::move(*timed));
    } else {
      ++measured.failed;
    }
  }
  if (measured.timed.size() < kFewestTimed) {
    return fail(Errc::invalid_argument, "has " + std::to_string(measured.timed.size()) +
                                            " configurations with a time, at least " +
                                            std::to_string(kFewestTimed) + " are needed");
  }
  std::sort(measured.timed.begin(), measured.timed.end(), [](const Timed& a, const Timed& b) {
    return std::pair(a.time, a.parameters) < std::pair(b.time, b.parameters);
  });
  return measured;
}

Insight claim_of(const Timed& timed, const Measured& measured, double gain,
                 const std::string& kernel, const std::string& device, const std::string& problem) {
  Insight insight;
  const bool is_block = !timed.block.empty();
  insight.action.techniques = {is_block ? "block_size" : "parameter_search"};
  insight.action.parameters = is_block ? timed.block : timed.parameters;
  if (auto family = family_of(kernel); !family.empty()) {
    insight.scope.operator_families = {std::move(family)};
  }
  insight.scope.device = device;
  insight.claim = kernel + problem + " on " + device + ": " + insight.action.parameters + " ran " +
                  fixed(gain, 2) + " times faster than the median of " +
                  std::to_string(measured.timed.size()) + " configurations";
  insight.mechanism = "Found by Kernel Tuner: the best of many single runs, not measured again; " +
                      std::to_string(measured.failed) + " configurations failed.";
  insight.provenance.author = "Kernel Tuner";
  insight.id = id_of(insight);
  return insight;
}

std::string header_text(const json& cache, const char* name, std::size_t most) {
  const auto found = cache.find(name);
  return found != cache.end() && found->is_string() ? plain_text(found->get<std::string>(), most)
                                                    : std::string();
}

}  // namespace

std::string closed_cache(std::string_view text) {
  std::string brackets;
  bool in_string = false;
  bool escaped = false;
  std::size_t whole = 0;  ///< end of the last value inside the second level
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (!escaped && c == '"') in_string = false;
      escaped = !escaped && c == '\\';
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') brackets.push_back(c == '{' ? '}' : ']');
    if (c != '}' && c != ']') continue;
    if (brackets.empty()) return std::string(text);
    brackets.pop_back();
    if (brackets.empty()) return std::string(text);
    if (brackets == "}}") whole = i + 1;
  }
  return std::string(text.substr(0, whole)) + "}}";
}

Result<ForeignClaims> parse_kernel_tuner(std::string_view text, PackReport& report) {
  auto cache = codec::parse_json(closed_cache(text), kJsonLimits);
  if (!cache || !cache->is_object()) {
    return fail(Errc::invalid_argument,
                "is no Kernel Tuner cache: " +
                    (cache ? std::string("it is no JSON object") : cache.error().message));
  }
  const std::string device = header_text(*cache, "device_name", 100);
  const std::string kernel = header_text(*cache, "kernel_name", 60);
  const auto keys = cache->find("tune_params_keys");
  if (device.empty() || kernel.empty() || keys == cache->end() || !keys->is_array()) {
    return fail(Errc::invalid_argument,
                "is no Kernel Tuner cache: it needs device_name, kernel_name and tune_params_keys");
  }
  std::vector<std::string> names;
  for (const auto& key : *keys) {
    if (key.is_string()) names.push_back(key.get<std::string>());
  }
  WARPMIND_TRY(const auto measured, measured_of(*cache, names));
  ForeignClaims claims;
  report.pack = short_hash(text);
  report.origin = "kernel_tuner";
  claims.source = "kernel_tuner:" + report.pack;
  claims.reason = "imported from a Kernel Tuner cache of " + kernel;
  const double median = measured.timed.at(measured.timed.size() / 2).time;
  for (std::size_t i = 0; i < kBest && i < measured.timed.size(); ++i) {
    const Timed& timed = measured.timed[i];
    const double gain = median / timed.time;
    if (gain < kWorthSaying) break;
    claims.insights.push_back(claim_of(timed, measured, gain, kernel, device, problem_of(*cache)));
    claims.names.push_back(plain_text(timed.parameters, 80));
  }
  if (claims.insights.empty()) {
    add_note(report, "no configuration is 1.05 times faster than the median: nothing to learn");
  }
  return claims;
}

Result<ForeignClaims> read_kernel_tuner(const std::filesystem::path& file, PackReport& report) {
  WARPMIND_TRY(const auto text, read_file(file, kFileLimit));
  auto claims = parse_kernel_tuner(text, report);
  if (!claims) return fail(claims.error().code, file.string() + " " + claims.error().message);
  return claims;
}

}  // namespace warpmind::knowledge_base
