#include "clients/cli/report/plain_words.h"

#include "base/launch_profile.h"
#include "base/model/metric_names.h"
#include "base/text.h"
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

constexpr double kWorthPercent = 2;  ///< of the cycles; below, a line does not matter
constexpr double kHotPercent = 20;
/// Shorter lines ("}", "return;") are found in any file.
constexpr std::size_t kTellingLine = 8;

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
    const auto samples = metric(line, metric_names::kLineSamplesPct);
    const double cycles = samples.value_or(metric(line, metric_names::kLineCyclesPct).value_or(0));
    const bool is_uncoalesced = line_sectors(line).value_or(LineSectors{}).is_uncoalesced();
    const double conflicts = metric(line, metric_names::kLineBankConflicts).value_or(0);
    bool is_it = cycles >= kHotPercent;
    if (bottleneck.primary == BottleneckClass::uncoalesced_access) {
      is_it = cycles >= kWorthPercent && (samples || is_uncoalesced);
    } else if (bottleneck.primary == BottleneckClass::shared_bank_conflicts) {
      is_it = cycles >= kWorthPercent && (samples || conflicts > 0);
    }
    if (is_it) return line.line;
  }
  return 0;
}

/// Causes that cost less of the time are not worth a sentence.
constexpr double kWorthShare = 0.08;
constexpr std::size_t kAlsoTold = 2;

/// Records of older builds know the class alone.
std::string main_words(const Bottleneck& b) {
  if (b.primary == BottleneckClass::unknown) return {};
  if (b.causes.empty()) return name_in_words(name_of(b.primary));
  const Cause& first = b.causes.front();
  const std::string said = clean_line(first.explanation);
  return first.which == BottleneckClass::at_limit
             ? said
             : said + " (up to " + format_percent_of(first.share) + " of the time)";
}

std::string also_words(const Bottleneck& b) {
  std::string text;
  if (b.causes.empty()) {
    for (const auto one : b.secondary) {
      text += (text.empty() ? "" : ", ") + name_in_words(name_of(one));
    }
    return text;
  }
  for (std::size_t i = 1; i < b.causes.size() && i <= kAlsoTold; ++i) {
    if (b.causes[i].share < kWorthShare) break;
    text += (text.empty() ? "" : "; ") + clean_line(b.causes[i].explanation);
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
  const auto wanted = trim_text(lines[index], " \t\r");
  if (wanted.size() < kTellingLine) return {};
  std::size_t found = 0;
  std::size_t number = 0;
  for (const auto other : split_lines(file.text)) {
    ++number;
    if (trim_text(other, " \t\r") != wanted) continue;
    if (found != 0) return {};
    found = number;
  }
  return found == 0 ? std::string() : name + std::to_string(found);
}

Table cause_table(const Bottleneck& bottleneck) {
  Table table({Align::left, Align::right, Align::right, Align::right});
  if (bottleneck.causes.empty()) return table;
  table.add({"cause", "at stake", "of the time", "confidence"});
  for (const auto& one : bottleneck.causes) {
    table.add({name_in_words(name_of(one.which)),
               one.at_stake_ns > 0 ? format_time(one.at_stake_ns) : "",
               format_percent_of(one.share), format_percent_of(one.confidence)});
  }
  return table;
}

std::vector<std::string> reasons_of(const Step& given, const Bottleneck& bottleneck,
                                    const SourceFile& file) {
  std::vector<std::string> reasons;
  const std::string main = main_words(bottleneck);
  if (!main.empty()) {
    std::string place = place_of(file, given.candidate.kernel.source, line_of(given, bottleneck));
    if (place.empty() && given.candidate.kernel.plan.launches.size() > 1) {
      place = clean_line(bottleneck.kernel) + ":";
    }
    reasons.push_back((place.empty() ? "" : place + " ") + main);
  }
  if (auto also = also_words(bottleneck); !also.empty()) reasons.push_back(std::move(also));
  return reasons;
}

std::string technique_words(std::string_view technique) {
  const auto* const known = std::find_if(kTechniques.begin(), kTechniques.end(),
                                         [&](const Words& one) { return one.first == technique; });
  return known == kTechniques.end() ? name_in_words(clean_line(technique))
                                    : std::string(known->second);
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
