#include "knowledge_base/packs/kernelblaster.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "knowledge_base/packs/claim_intake.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

constexpr std::size_t kFileLimit = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kMostEntries = 50'000;
/// Outside of this a ratio is a failed measurement, not a gain.
constexpr double kMostGain = 1000;
/// Gains nearer to 1 than this are none.
constexpr double kNoGain = 0.02;

struct StateMeaning {
  std::string_view name;
  BottleneckClass first;
  BottleneckClass second;
};

/// Its seed states, in our classes.
constexpr std::array<StateMeaning, 19> kStates = {{
    {"high_level_inefficiency", BottleneckClass::extra_traffic, BottleneckClass::unknown},
    {"memory_bandwidth_saturated", BottleneckClass::memory_bandwidth, BottleneckClass::unknown},
    {"memory_bandwidth_limited", BottleneckClass::memory_bandwidth,
     BottleneckClass::uncoalesced_access},
    {"memory_latency_bound", BottleneckClass::memory_latency, BottleneckClass::unknown},
    {"memory_bank_conflicts", BottleneckClass::shared_bank_conflicts, BottleneckClass::unknown},
    {"cache_inefficient", BottleneckClass::extra_traffic, BottleneckClass::uncoalesced_access},
    {"compute_throughput_saturated", BottleneckClass::compute_throughput,
     BottleneckClass::tensor_cores_idle},
    {"compute_throughput_limited", BottleneckClass::compute_throughput,
     BottleneckClass::tensor_cores_idle},
    {"instruction_mix_suboptimal", BottleneckClass::compute_throughput, BottleneckClass::unknown},
    {"thread_divergence_high", BottleneckClass::thread_divergence, BottleneckClass::unknown},
    {"low_occupancy_register_pressure", BottleneckClass::low_occupancy,
     BottleneckClass::register_spills},
    {"low_occupancy_shared_memory", BottleneckClass::low_occupancy, BottleneckClass::unknown},
    {"latency_occupancy_limited", BottleneckClass::low_occupancy, BottleneckClass::low_parallelism},
    {"insufficient_parallelism", BottleneckClass::low_parallelism, BottleneckClass::unknown},
    {"hybrid_bound", BottleneckClass::memory_latency, BottleneckClass::compute_throughput},
    {"memory_compute_balanced", BottleneckClass::memory_bandwidth,
     BottleneckClass::compute_throughput},
    {"latency_memory_bound", BottleneckClass::memory_latency, BottleneckClass::memory_bandwidth},
    {"api_overhead_dominant", BottleneckClass::launch_overhead, BottleneckClass::unknown},
    {"transfer_bandwidth_limited", BottleneckClass::extra_traffic, BottleneckClass::unknown},
}};

std::vector<BottleneckClass> bottlenecks_of(std::string_view state) {
  const auto found = std::find_if(kStates.begin(), kStates.end(),
                                  [&](const StateMeaning& s) { return s.name == state; });
  std::vector<BottleneckClass> classes;
  if (found == kStates.end()) return classes;
  for (const auto bottleneck : {found->first, found->second}) {
    if (bottleneck != BottleneckClass::unknown) classes.push_back(bottleneck);
  }
  return classes;
}

std::string text_member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// Per cent of time saved, as a factor of time.
std::optional<double> factor_of_per_cent(std::optional<double> saved) {
  if (!saved || *saved >= 100) return std::nullopt;
  return 1 / (1 - *saved / 100);
}

/// "block=256, tile=64" of an object of scalars.
std::string parameters_of(const json& entry) {
  const auto found = entry.find("parameters_to_fine_tune");
  if (found == entry.end() || !found->is_object()) return {};
  std::string text;
  for (const auto& [name, value] : found->items()) {
    if (value.is_structured()) continue;
    const std::string shown =
        value.is_string() ? value.get<std::string>() : codec::dump_json(value);
    text += (text.empty() ? "" : ", ") + plain_text(name, 40) + "=" + plain_text(shown, 40);
  }
  return plain_text(text, 300);
}

/// An entry of the file before it is a claim.
struct Entry {
  std::string state;
  std::vector<std::string> techniques;
  std::string description;
  std::string parameters;
  std::optional<double> gain;  ///< absent: suggested, never tried
  std::int64_t uses = 0;
};

/// Nullopt where the entry says nothing usable; `why` then says why not.
std::optional<Insight> claim_of(const Entry& entry, const TechniqueNames& names, std::string& why) {
  Insight insight;
  for (const auto& technique : entry.techniques) {
    auto name = technique_named(names, technique);
    if (!name.empty()) insight.action.techniques.push_back(std::move(name));
  }
  if (insight.action.techniques.empty()) {
    why = "names no technique";
    return std::nullopt;
  }
  const double gain = entry.gain.value_or(1);
  if (!(gain > 1 / kMostGain && gain < kMostGain)) {
    why = "claims a factor of " + fixed(gain, 1) + ", which is no measurement";
    return std::nullopt;
  }
  const bool several = insight.action.techniques.size() > 1;
  const bool helps = !entry.gain || gain > 1 + kNoGain;
  insight.kind = !helps    ? InsightKind::negative
                 : several ? InsightKind::composite
                           : InsightKind::positive;
  insight.action.parameters = entry.parameters;
  insight.scope.bottlenecks = bottlenecks_of(entry.state);
  const std::string uses = std::to_string(entry.uses) + (entry.uses == 1 ? " use" : " uses");
  const std::string said = !entry.gain ? "suggested, not tried there"
                           : helps     ? fixed(gain, 2) + " times over " + uses + " there"
                                       : "no gain (" + fixed(gain, 2) + " times over " + uses + ")";
  const std::string description = plain_text(entry.description, 160);
  insight.claim = plain_text("At " + plain_text(entry.state, 60) + " " +
                                 join_text(insight.action.techniques, ", then ") + ": " + said +
                                 (description.empty() ? "" : ". " + description),
                             390);
  insight.mechanism = entry.gain ? "KernelBlaster's mean of ratios over tasks, shapes and devices "
                                   "that its file does not tell apart."
                                 : "From the list that KernelBlaster begins with.";
  insight.provenance.author = "KernelBlaster";
  return insight;
}

/// Walks the file and makes claims.
class Collector {
 public:
  Collector(const TechniqueNames& names, PackReport& report) : names_(names), report_(report) {}

  void take(const Entry& entry) {
    std::string why;
    auto insight = claim_of(entry, names_, why);
    const std::string name =
        plain_text(entry.state + " " + join_text(entry.techniques, ", then "), 100);
    if (!insight) {
      ++report_.refused;
      add_note(report_, "'" + name + "' " + why);
      return;
    }
    insight->id = id_of(*insight);
    // Two names of theirs for one technique of ours say the same.
    if (!seen_.insert(insight->id).second) return;
    claims.insights.push_back(std::move(*insight));
    claims.names.push_back(name);
  }

  void take_single(const std::string& state, const json& entry) {
    Entry read{state, {text_member(entry, "technique")}, text_member(entry, "description"), "", {},
               0};
    read.uses = static_cast<std::int64_t>(
        std::clamp(number_member(entry, "usage_count").value_or(0), 0.0, 1e9));
    if (read.uses > 0) read.gain = number_member(entry, "predicted_speedup");
    take(read);
  }

  void take_composite(const std::string& state, const json& entry) {
    Entry read{state, {}, text_member(entry, "reason"), parameters_of(entry), {}, 0};
    if (const auto order = entry.find("order_of_techniques");
        order != entry.end() && order->is_array()) {
      for (const auto& name : *order) {
        if (name.is_string()) read.techniques.push_back(name.get<std::string>());
      }
    }
    if (read.techniques.empty()) {
      for (const char* member : {"technique1", "technique2", "technique3"}) {
        if (auto name = text_member(entry, member); !name.empty()) {
          read.techniques.push_back(std::move(name));
        }
      }
    }
    constexpr std::size_t kMostInARow = 8;
    if (read.techniques.size() > kMostInARow) read.techniques.resize(kMostInARow);
    read.uses = static_cast<std::int64_t>(
        std::clamp(number_member(entry, "usage_count").value_or(0), 0.0, 1e9));
    if (read.uses > 0) {
      read.gain = factor_of_per_cent(number_member(entry, "actual_improvement"));
      if (!read.gain) read.gain = factor_of_per_cent(number_member(entry, "predicted_improvement"));
    }
    take(read);
  }

  ForeignClaims claims;

 private:
  const TechniqueNames& names_;
  PackReport& report_;
  std::set<InsightId> seen_;
};

}  // namespace

Result<ForeignClaims> parse_kernelblaster(std::string_view text, const TechniqueNames& names,
                                          PackReport& report) {
  auto parsed = codec::parse_json(text);
  if (!parsed) {
    return fail(Errc::invalid_argument, "is no JSON: " + parsed.error().message);
  }
  const auto strategies =
      parsed->is_object() ? parsed->find("optimization_strategies") : parsed->end();
  if (!parsed->is_object() || strategies == parsed->end() || !strategies->is_object()) {
    return fail(Errc::invalid_argument,
                "is no KernelBlaster database: it has no object 'optimization_strategies'");
  }
  Collector collector(names, report);
  collector.claims.source = "kernelblaster:" + short_hash(text);
  collector.claims.reason = "imported from a KernelBlaster database";
  report.pack = short_hash(text);
  report.origin = "kernelblaster";
  using Take = void (Collector::*)(const std::string& state, const json& entry);
  const auto for_each = [&](const std::string& state, const json& list, Take take) -> bool {
    if (!list.is_array()) return true;
    for (const auto& entry : list) {
      if (collector.claims.insights.size() >= kMostEntries) return false;
      if (entry.is_object()) (collector.*take)(state, entry);
    }
    return true;
  };
  bool complete = true;
  for (const auto& [state, strategy] : strategies->items()) {
    const auto list = strategy.is_object() ? strategy.find("optimizations") : strategy.end();
    if (!strategy.is_object() || list == strategy.end()) continue;
    complete &= for_each(state, *list, &Collector::take_single);
  }
  const auto composites = parsed->find("composite_optimizations");
  if (composites != parsed->end() && composites->is_object()) {
    for (const auto& [state, list] : composites->items()) {
      complete &= for_each(state, list, &Collector::take_composite);
    }
  }
  if (!complete) {
    return fail(Errc::invalid_argument,
                "has more than " + std::to_string(kMostEntries) + " entries: divide it");
  }
  return std::move(collector.claims);
}

Result<ForeignClaims> read_kernelblaster(const std::filesystem::path& file,
                                         const TechniqueNames& names, PackReport& report) {
  WARPMIND_TRY(const auto text, read_file(file, kFileLimit));
  auto claims = parse_kernelblaster(text, names, report);
  if (!claims) return fail(claims.error().code, file.string() + " " + claims.error().message);
  return claims;
}

}  // namespace warpmind::knowledge_base
