#include "knowledge_base/retrieval/features.h"

#include "base/expression.h"
#include "base/model/metric_names.h"
#include "base/model/verdict_reading.h"
#include "base/plan_evaluation.h"
#include "knowledge_base/retrieval/source_structure.h"
#include "knowledge_base/retrieval/source_tokens.h"
#include "knowledge_base/retrieval/source_words.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

using Features = std::map<std::string, double>;

constexpr std::size_t kMostSyntax = 16;  ///< n-grams beside the named features
constexpr double kCountScale = 4;        ///< 15 uses of something = 1

/// Many of something is not much more than some of it.
double scaled(double count) { return std::log2(1 + count) / kCountScale; }

double part_of(const Features& counts, const char* name, double whole) {
  const auto found = counts.find(name);
  return found == counts.end() || whole <= 0 ? 0 : found->second / whole;
}

double sum_of(const Features& counts, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names) sum += part_of(counts, name, 1);
  return sum;
}

Features counts_of_words(const SourceTokens& source) {
  Features counts;
  for (const auto& token : source.tokens) {
    const auto feature = token.kind == TokenKind::name   ? feature_of_word(token.text)
                         : token.kind == TokenKind::text ? feature_of_assembly(token.text)
                                                         : std::nullopt;
    if (feature) ++counts[std::string(*feature)];
  }
  if (source.unroll_pragmas > 0) counts["unroll_pragmas"] = source.unroll_pragmas;
  return counts;
}

void add_structure(const SourceStructure& structure, Features& features) {
  constexpr std::array<const char*, 4> kIndices{"index.unit", "index.strided", "index.uniform",
                                                "index.gathered"};
  const auto& counts = structure.counts;
  const double indexed = sum_of(counts, {kIndices[0], kIndices[1], kIndices[2], kIndices[3]});
  for (const auto& [name, count] : counts) {
    if (!name.starts_with("index.") && name != "arithmetic") features[name] = scaled(count);
  }
  for (const char* name : kIndices) features[name] = part_of(counts, name, indexed);
  features["loops.depth"] = structure.deepest_loop / 4.0;
  const double accesses =
      sum_of(counts, {"loads.global", "stores.global", "loads.shared", "stores.shared"});
  features["arithmetic_per_access"] =
      std::log2(1 + part_of(counts, "arithmetic", 1) / std::max(accesses, 1.0)) / kCountScale;
  const double global = sum_of(counts, {"loads.global", "stores.global"});
  features["global_in_loops"] = std::min(1.0, part_of(counts, "accesses_in_loops.global", global));
}

/// Threads of a block, where the plan alone says so.
double threads_of(const Launch& launch, const LaunchPlan& plan) {
  Sizes constants;
  for (const auto& [name, value] : plan.constants) constants.emplace(name, value);
  double threads = 1;
  for (const auto& extent : launch.block) {
    const auto value = evaluate(extent, constants);
    if (!value || *value < 1) return 0;
    threads *= static_cast<double>(*value);
  }
  return threads;
}

int dimensions_of(const std::array<std::string, 3>& extents) {
  return static_cast<int>(std::count_if(extents.begin(), extents.end(),
                                        [](const std::string& extent) { return extent != "1"; }));
}

void add_launches(const Kernel& kernel, Features& features) {
  const auto& plan = kernel.plan;
  if (!plan.launches.empty()) {
    const Launch& first = plan.launches.front();
    features["launch.count"] = scaled(static_cast<double>(plan.launches.size()));
    features["launch.block_dimensions"] = dimensions_of(first.block) / 3.0;
    features["launch.grid_dimensions"] = dimensions_of(first.grid) / 3.0;
    const double threads = threads_of(first, plan);
    if (threads > 0) features["launch.block_threads"] = std::log2(threads) / 10;
    features["launch.dynamic_shared"] = first.shared_bytes == "0" ? 0 : 1;
    features["launch.scratch"] = scaled(static_cast<double>(plan.scratch.size()));
  }
  for (const auto& flag : kernel.build_flags) {
    if (flag.find("fast_math") != std::string::npos) features["flag.fast_math"] = 1;
    if (flag.find("maxrregcount") != std::string::npos) features["flag.register_limit"] = 1;
  }
}

/// What a token looks like without the author's choice of names and numbers.
std::string shape_of(const SourceToken& token) {
  switch (token.kind) {
    case TokenKind::number: return "n";
    case TokenKind::text: return "s";
    case TokenKind::sign: return std::string(token.text);
    case TokenKind::name: break;
  }
  if (is_type_word(token.text)) return "t";
  if (is_keyword(token.text)) return std::string(token.text);
  return std::string(feature_of_word(token.text).value_or("v"));
}

/// The most frequent shapes of three tokens in a row.
void add_syntax(const SourceTokens& source, Features& features) {
  std::map<std::string, int> counts;
  std::vector<std::string> shapes;
  shapes.reserve(source.tokens.size());
  for (const auto& token : source.tokens) shapes.push_back(shape_of(token));
  for (std::size_t i = 0; i + 2 < shapes.size(); ++i) {
    ++counts[shapes[i] + " " + shapes[i + 1] + " " + shapes[i + 2]];
  }
  std::vector<std::pair<std::string, int>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t room = kMostFeatures - std::min(features.size(), kMostFeatures);
  ranked.resize(std::min({ranked.size(), kMostSyntax, room}));
  for (const auto& [shape, count] : ranked) {
    features["syntax." + shape] = scaled(count) / 2;
  }
}

}  // namespace

Features code_features(const Kernel& kernel) {
  const SourceTokens source = tokenise(kernel.source);
  Features features;
  for (const auto& [name, count] : counts_of_words(source)) features[name] = scaled(count);
  add_structure(structure_of(source), features);
  add_launches(kernel, features);
  std::erase_if(features, [](const auto& feature) { return feature.second == 0; });
  // About 90 names exist; no kernel known to us uses more than 45 of them.
  while (features.size() > kMostFeatures) {
    features.erase(
        std::min_element(features.begin(), features.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  add_syntax(source, features);
  return features;
}

namespace {

using Features = std::map<std::string, double>;

/// A feature that is a metric times `scale`, held to 0 … 1.
struct ShareSpec {
  const char* feature;
  const char* metric;
  double scale;
};

constexpr auto kShares = std::to_array<ShareSpec>({
    {"dram_share", metric_names::kDramPct, 0.01},
    {"sm_share", metric_names::kSmPct, 0.01},
    {"memory_share", metric_names::kMemoryPct, 0.01},
    {"tensor_share", metric_names::kTensorPct, 0.01},
    {"occupancy.active", metric_names::kWarpsActivePct, 0.01},
    {"occupancy.theoretical", metric_names::kOccupancyPct, 0.01},
    {"l1_hits", metric_names::kL1Hits, 0.01},
    {"l2_hits", metric_names::kL2Hits, 0.01},
    {"lanes", metric_names::kLanes, 1.0 / 32},
    {"registers", metric_names::kRegisters, 1.0 / 255},
    {"roofline.bandwidth", metric_names::kBandwidthPct, 0.01},
    {"roofline.flops", metric_names::kFlopsPct, 0.01},
});

/// A feature that is `top` over `bottom`, times `scale`, held to 0 … 1.
struct RatioSpec {
  const char* feature;
  const char* top;
  const char* bottom;
  double scale;
};

constexpr auto kRatios = std::to_array<RatioSpec>({
    {"sectors.load", metric_names::kLoadSectors, metric_names::kLoadRequests, 1.0 / 32},
    {"sectors.store", metric_names::kStoreSectors, metric_names::kStoreRequests, 1.0 / 32},
    {"bank_conflicts", metric_names::kBankConflicts, metric_names::kInstructions, 1},
    {"divergent_branches", metric_names::kDivergentBranches, metric_names::kBranches, 1},
    {"atomic_conflicts", metric_names::kAtomicConflicts, metric_names::kAtomics, 1.0 / 32},
    {"barriers", metric_names::kBarriers, metric_names::kPtxWarpInstructions, 10},
    {"global_loads", metric_names::kLoadRequests, metric_names::kInstructions, 2},
    {"fma_share", metric_names::kFmaThreadInstructions, metric_names::kInstructions, 1.0 / 32},
    {"local_traffic", metric_names::kLocalSectors, metric_names::kLoadSectors, 1},
});

/// Warps that wait an issued instruction; half of the feature's range lies below `middle`.
struct StallSpec {
  const char* feature;
  const char* metric;
  double middle;
};

constexpr auto kStalls = std::to_array<StallSpec>({
    {"stall.long_scoreboard", metric_names::kStalledLongScoreboard, 10},
    {"stall.barrier", metric_names::kStalledBarrier, 5},
    {"stall.math_pipe", metric_names::kStalledMathPipeThrottle, 1},
});

/// A feature that is log2(1 + metric) / `full`, held to 0 … 1.
struct LogSpec {
  const char* feature;
  const char* metric;
  double full;
};

constexpr auto kLogs = std::to_array<LogSpec>({
    {"spills", metric_names::kSpillBytes, 12},
    {"block_threads", metric_names::kBlockThreads, 10},
    {"waves", metric_names::kWaves, 8},
});

void put(Features& features, const char* name, double value) {
  if (std::isfinite(value)) features[name] = std::clamp(value, 0.0, 1.0);
}

void add_tables(const KernelProfile& profile, Features& features) {
  for (const auto& spec : kShares) {
    if (const auto value = profile.find(spec.metric))
      put(features, spec.feature, *value * spec.scale);
  }
  for (const auto& spec : kRatios) {
    const auto top = profile.find(spec.top);
    const auto bottom = profile.find(spec.bottom);
    if (top && bottom && *bottom > 0) put(features, spec.feature, *top / *bottom * spec.scale);
  }
  for (const auto& spec : kStalls) {
    const auto value = profile.find(spec.metric);
    if (value && *value >= 0) put(features, spec.feature, *value / (*value + spec.middle));
  }
  for (const auto& spec : kLogs) {
    const auto value = profile.find(spec.metric);
    if (value && *value >= 0) put(features, spec.feature, std::log2(1 + *value) / spec.full);
  }
}

void add_of_device(const KernelProfile& profile, const DeviceSpec& device, Features& features) {
  const auto fixed = profile.find(metric_names::kStaticSharedBytes);
  const auto dynamic = profile.find(metric_names::kDynamicSharedBytes);
  if (fixed || dynamic) {
    const double limit = device.shared_kib_per_block > 0 ? device.shared_kib_per_block * 1024.0
                                                         : static_cast<double>(kSharedBytesLimit);
    put(features, "shared_bytes", (fixed.value_or(0) + dynamic.value_or(0)) / limit);
  }
  const auto blocks = profile.find(metric_names::kGridBlocks);
  if (blocks && *blocks >= 0 && device.sm_count > 0) {
    put(features, "blocks_per_sm", std::log2(1 + *blocks / device.sm_count) / 8);
  }
  const auto flops = profile.find(metric_names::kFlopsPerSecond);
  const auto bytes = profile.find(metric_names::kBytesPerSecond);
  if (!flops || !bytes || *bytes <= 0 || *flops < 0) return;
  const double intensity = *flops / *bytes;  // flops a byte
  put(features, "intensity", std::log2(1 + intensity) / 10);
  if (device.fp32_tflops > 0 && device.memory_bandwidth_gb_s > 0) {
    const double ridge = device.fp32_tflops * 1e3 / device.memory_bandwidth_gb_s;
    put(features, "intensity.to_ridge", intensity / (intensity + ridge));
  }
}

void add_bottleneck(const Bottleneck& bottleneck, Features& features) {
  // Weaker first: a class that is both counts as primary.
  for (const auto which : bottleneck.secondary) {
    put(features, ("bottleneck." + std::string(name_of(which))).c_str(), 0.5);
  }
  if (bottleneck.primary != BottleneckClass::unknown) {
    put(features, ("bottleneck." + std::string(name_of(bottleneck.primary))).c_str(), 1);
  }
  if (bottleneck.headroom > 1) put(features, "headroom", std::log2(bottleneck.headroom) / 8);
}

/// What ptxas says, where no profile was made.
void add_build(const BuildReport& build, Features& features) {
  int registers = 0;
  std::int64_t spills = 0;
  for (const auto& kernel : build.kernels) {
    registers = std::max(registers, kernel.registers);
    spills = std::max(spills, kernel.spill_store_bytes + kernel.spill_load_bytes);
  }
  if (build.kernels.empty()) return;
  put(features, "registers", registers / 255.0);
  put(features, "spills", std::log2(1 + static_cast<double>(spills)) / 12);
}

}  // namespace

Features profile_features(const Verdict& verdict, const Bottleneck& bottleneck,
                          const DeviceSpec& device) {
  Features features;
  if (verdict.profile && !verdict.profile->kernels.empty()) {
    const auto& kernels = verdict.profile->kernels;
    const auto& longest = *largest_launch(kernels);
    add_tables(longest, features);
    add_of_device(longest, device, features);
    put(features, "launches", std::log2(static_cast<double>(kernels.size())) / 4);
    put(features, "time_share", longest.time_share);
  } else if (verdict.build) {
    add_build(*verdict.build, features);
  }
  add_bottleneck(bottleneck, features);
  return features;
}

}  // namespace warpmind::knowledge_base
