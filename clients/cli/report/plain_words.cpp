#include "clients/cli/report/plain_words.h"

#include "base/plan_evaluation.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace warpmind::clients {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

constexpr auto kTechniques = std::to_array<Words>({
    {"async_copy_pipeline", "tensor cores fed by an asynchronous copy pipeline"},
    {"block_scan", "one block scans each row"},
    {"block_size", "another block size"},
    {"coalesced_mapping", "neighbouring threads load neighbouring columns"},
    {"demote_double", "no accidental double precision"},
    {"fast_divmod", "divisions replaced by multiply and shift"},
    {"fast_intrinsics", "fast approximate functions"},
    {"fast_math", "--use_fast_math"},
    {"fuse_pointwise", "launches fused into one"},
    {"grid_stride", "grid-stride loop"},
    {"index_32bit", "32-bit indices"},
    {"launch_bounds", "launch bounds for the compiler"},
    {"register_limit", "fewer registers per thread"},
    {"restrict", "__restrict__ pointers"},
    {"row_in_registers", "each row read once and kept in registers"},
    {"shape_specialization", "sizes as compile-time constants"},
    {"shared_padding", "padded shared memory"},
    {"shuffle_reduction", "reduction by warp shuffles"},
    {"simt_contraction", "register tiles in shared-memory blocks"},
    {"split_k", "the sum split over more blocks"},
    {"split_rows", "long rows split over several blocks"},
    {"tensor_core_mma", "tensor cores"},
    {"tf32_math", "TF32 tensor cores"},
    {"thread_coarsening", "several elements per thread"},
    {"tiled_transpose", "transpose through a shared-memory tile"},
    {"unroll", "unrolled loops"},
    {"vectorized_loads", "vector loads and stores"},
    {"warp_per_output", "many threads per output instead of one"},
    {"wgmma_pipeline", "Hopper tensor cores (wgmma) with a copy pipeline"},
});

/// Above it a request touches more sectors than 4-byte elements of neighbours need.
constexpr double kManySectors = 8;
constexpr double kWorthPercent = 2;  ///< of the cycles; below, a line does not matter
constexpr double kHotPercent = 20;
/// Shorter lines ("}", "return;") are found in any file.
constexpr std::size_t kTellingLine = 8;

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::optional<double> metric(const LineProfile& line, std::string_view name) {
  for (const auto& one : line.metrics) {
    if (one.name == name) return one.value;
  }
  return std::nullopt;
}

/// The line that the bottleneck is about; 0 = none stands out.
int line_of(const Step& given, const Bottleneck& bottleneck) {
  if (!given.verdict.profile) return 0;
  for (const auto& line : given.verdict.profile->lines) {
    // Samples of a GPU say where warps wait, and not how the line reads.
    const auto samples = metric(line, "warpmind__line_samples_pct");
    const double cycles = samples.value_or(metric(line, "warpmind__line_cycles_pct").value_or(0));
    const double sectors = metric(line, "warpmind__line_sectors_per_request").value_or(0);
    const double conflicts = metric(line, "warpmind__line_bank_conflicts").value_or(0);
    bool is_it = cycles >= kHotPercent;
    if (bottleneck.primary == BottleneckClass::uncoalesced_access) {
      is_it = cycles >= kWorthPercent && (samples || sectors > kManySectors);
    } else if (bottleneck.primary == BottleneckClass::shared_bank_conflicts) {
      is_it = cycles >= kWorthPercent && (samples || conflicts > 0);
    }
    if (is_it) return line.line;
  }
  return 0;
}

const DecidingMetric* decider(const Bottleneck& bottleneck, std::string_view part) {
  for (const auto& one : bottleneck.deciders) {
    if (one.name.find(part) != std::string::npos) return &one;
  }
  return nullptr;
}

/// Blocks of the launch that the bottleneck is about, on the workload that was timed.
std::optional<std::int64_t> blocks_of(const Task& task, const Step& given,
                                      const std::string& kernel) {
  if (!given.verdict.measurement) return std::nullopt;
  const auto& plan = given.candidate.kernel.plan;
  const auto launch = std::find_if(plan.launches.begin(), plan.launches.end(),
                                   [&](const Launch& one) { return one.kernel == kernel; });
  const auto workload = std::find_if(
      task.workloads.begin(), task.workloads.end(),
      [&](const Workload& one) { return one.name == given.verdict.measurement->workload; });
  if (launch == plan.launches.end() || workload == task.workloads.end()) return std::nullopt;
  const auto evaluated = evaluate_launch(*launch, plan, workload->sizes);
  if (!evaluated) return std::nullopt;
  return std::int64_t{evaluated->grid[0]} * evaluated->grid[1] * evaluated->grid[2];
}

/// "32 blocks for 132 SMs"; empty when the blocks are enough or not known.
std::string few_blocks(const Task& task, const Step& given, const Bottleneck& bottleneck) {
  const auto blocks = blocks_of(task, given, bottleneck.kernel);
  const int processors = given.verdict.measurement ? given.verdict.measurement->device.sm_count : 0;
  if (!blocks || processors <= 0 || *blocks >= processors) return {};
  return format_count(*blocks) + (*blocks == 1 ? " block for " : " blocks for ") +
         std::to_string(processors) + " SMs";
}

std::string percent(const DecidingMetric& one) { return format_percent_of(one.value / 100); }

std::string uncoalesced_words(const Bottleneck& b) {
  const std::string access = decider(b, "store") != nullptr ? "store" : "load";
  const auto* sectors = decider(b, "sectors");
  return "uncoalesced " + access + "s" +
         (sectors == nullptr
              ? std::string()
              : ": " + format_short(sectors->value) + " sectors per request, 4 would do");
}

std::string parallelism_words(const Bottleneck& b, const std::string& few) {
  if (!few.empty()) return "only " + few;
  const auto* share = decider(b, "threads_pct");
  return share == nullptr ? std::string("too little parallel work")
                          : "too few threads: " + percent(*share) + " of what the device can hold";
}

/// `name`, and what the deciding metric says of it.
std::string with_metric(const char* name, const DecidingMetric* one, const char* before,
                        const char* after) {
  if (one == nullptr) return name;
  const bool share = one->unit == "percent";
  return std::string(name) + ": " + before + (share ? percent(*one) : format_short(one->value)) +
         after;
}

std::string cause(const Bottleneck& b, const std::string& few) {
  const DecidingMetric* const first = b.deciders.empty() ? nullptr : b.deciders.data();
  switch (b.primary) {
    case BottleneckClass::uncoalesced_access: return uncoalesced_words(b);
    case BottleneckClass::low_parallelism: return parallelism_words(b, few);
    case BottleneckClass::memory_bandwidth:
      return with_metric("memory bandwidth", first, "DRAM is ", " busy");
    case BottleneckClass::memory_latency:
      return with_metric("memory latency", first, "warps wait ", " cycles for loads per issue");
    case BottleneckClass::shared_bank_conflicts:
      return with_metric("shared-memory bank conflicts", first, "", " per instruction");
    case BottleneckClass::compute_throughput:
      return with_metric("arithmetic", first, "the pipes are ", " busy");
    case BottleneckClass::tensor_cores_idle: return "a 16-bit product without tensor cores";
    case BottleneckClass::low_occupancy:
      return with_metric("low occupancy", first, "resources allow ", " of the warps");
    case BottleneckClass::register_spills:
      return with_metric("register spills", first, "", " bytes per thread");
    case BottleneckClass::thread_divergence:
      return with_metric("divergent warps", first, "", " of 32 threads are active");
    case BottleneckClass::synchronisation:
      if (decider(b, "atomics_pct") != nullptr) {
        return with_metric("atomics on one address", first, "their turns take ", " of the time");
      }
      return with_metric("barriers", first, "warps wait ", " cycles for them per issue");
    case BottleneckClass::launch_overhead:
      return first == nullptr ? "launch overhead"
                              : "launch overhead: " + format_time(first->value) +
                                    " per launch, hardly more than an empty one";
    case BottleneckClass::extra_traffic:
      return with_metric("extra traffic", first, "", " times the bytes that must move");
    case BottleneckClass::unknown: break;
  }
  return {};
}

std::string in_words(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string also_words(const Bottleneck& b, const std::string& few) {
  std::string text;
  for (const auto one : b.secondary) {
    const bool counted = one == BottleneckClass::low_parallelism && !few.empty();
    text += (text.empty() ? "" : ", ") + (counted ? "only " + few : in_words(name_of(one)));
  }
  return text;
}

/// Of a kernel from memory: the techniques that made it, "a+b" in its parameters.
std::string remembered_words(const Candidate& candidate) {
  std::string text = "a kernel found earlier";
  std::string_view names = candidate.parameters;
  for (bool first = true; !names.empty(); first = false) {
    const std::size_t end = std::min(names.find('+'), names.size());
    text += (first ? ": " : ", ") + technique_words(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return text;
}

}  // namespace

std::string place_of(const SourceFile& file, std::string_view source, int line) {
  if (line <= 0) return {};
  const auto lines = split_lines(source);
  const auto index = static_cast<std::size_t>(line) - 1;
  if (index >= lines.size()) return {};
  if (file.name.empty()) return "line " + std::to_string(line);
  const std::string name = clean_line(file.name) + ":";
  if (file.text == source) return name + std::to_string(line);
  const auto wanted = trimmed(lines[index]);
  if (wanted.size() < kTellingLine) return {};
  std::size_t found = 0;
  std::size_t number = 0;
  for (const auto other : split_lines(file.text)) {
    ++number;
    if (trimmed(other) != wanted) continue;
    if (found != 0) return {};
    found = number;
  }
  return found == 0 ? std::string() : name + std::to_string(found);
}

std::vector<std::string> reasons_of(const Task& task, const Step& given,
                                    const Bottleneck& bottleneck, const SourceFile& file) {
  std::vector<std::string> reasons;
  const std::string few = few_blocks(task, given, bottleneck);
  std::string main = cause(bottleneck, few);
  if (!main.empty()) {
    std::string place = place_of(file, given.candidate.kernel.source, line_of(given, bottleneck));
    if (place.empty() && given.candidate.kernel.plan.launches.size() > 1) {
      place = clean_line(bottleneck.kernel) + ":";
    }
    reasons.push_back((place.empty() ? "" : place + " ") + main);
  }
  if (auto also = also_words(bottleneck, few); !also.empty()) reasons.push_back(std::move(also));
  return reasons;
}

std::string technique_words(std::string_view technique) {
  const auto* const known = std::find_if(kTechniques.begin(), kTechniques.end(),
                                         [&](const Words& one) { return one.first == technique; });
  return known == kTechniques.end() ? in_words(clean_line(technique)) : std::string(known->second);
}

std::vector<std::string> changes_to(const Episode& episode, const Step& step) {
  std::vector<std::string> changes;
  const auto count = static_cast<std::int64_t>(episode.steps.size());
  const Step* at = &step;
  while (at->index > 0) {
    const auto& candidate = at->candidate;
    changes.push_back(candidate.technique == "remembered_kernel"
                          ? remembered_words(candidate)
                          : technique_words(candidate.technique));
    if (at->edited < 0 || at->edited >= at->index || at->edited >= count) break;
    at = &episode.steps[static_cast<std::size_t>(at->edited)];
  }
  std::reverse(changes.begin(), changes.end());
  return changes;
}

const Bottleneck* given_bottleneck(const Episode& episode) {
  for (const auto& step : episode.steps) {
    const bool known =
        step.before.primary != BottleneckClass::unknown || !step.before.explanation.empty();
    if (step.index > 0 && step.edited <= 0 && known) return &step.before;
  }
  return nullptr;
}

}  // namespace warpmind::clients
