#include "agents/benchmark/arms.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::benchmark {
namespace {

/// The product setting: everything, and episodes are kept.
MemoryRules product() {
  MemoryRules rules;
  rules.writes = true;
  return rules;
}

MemoryRules product_but(bool MemoryRules::*part) {
  MemoryRules rules = product();
  rules.*part = false;
  return rules;
}

std::array<Arm, 11> make_arms() {
  MemoryRules nothing;
  nothing.advice = false;
  MemoryRules docs;
  docs.statistics = false;
  MemoryRules grow = product_but(&MemoryRules::seed);
  MemoryRules again = grow;
  again.remembered = true;
  MemoryRules placebo = product();
  placebo.shuffled = true;
  using enum StartingBase;
  using enum StreamScope;
  return {{
      {kControl, "no memory", none, family, nothing},
      {"docs-only", "the seed pack; nothing is learned", fresh, family, docs},
      {"grow", "starts empty, written from task to task", fresh, all_tasks, grow},
      {"pretrained-frozen", "learned on the other families, no writes", pretrained, family, {}},
      {kProduct, "learned on the other families, and written", pretrained, family, product()},
      {"placebo", "the same base, asked about kernels of other tasks", pretrained, family, placebo},
      {"no-reflection", "statistics only, no insights", pretrained, family,
       product_but(&MemoryRules::insights)},
      {"no-stats", "insights only, no statistics", pretrained, family,
       product_but(&MemoryRules::statistics)},
      {"graph-off", "no order of techniques", pretrained, family, product_but(&MemoryRules::order)},
      {"no-negatives", "nothing of what did not help", pretrained, family,
       product_but(&MemoryRules::negatives)},
      {"same-again", "grow, each task a second time, its best kernel remembered", fresh, all_tasks,
       again, true},
  }};
}

const std::array<Arm, 11>& arms() {
  static const auto made = make_arms();
  return made;
}

constexpr std::array<PlannedComparison, 5> kPlanned{{
    {kProduct, kControl},
    {"pretrained-frozen", kControl},
    {kProduct, "placebo"},
    {kProduct, "no-reflection"},
    {kProduct, "no-stats"},
}};

}  // namespace

std::span<const Arm> all_arms() { return arms(); }

const Arm* find_arm(std::string_view name) {
  const auto found =
      std::find_if(arms().begin(), arms().end(), [&](const Arm& arm) { return arm.name == name; });
  return found == arms().end() ? nullptr : &*found;
}

std::span<const PlannedComparison> planned_comparisons() { return kPlanned; }

}  // namespace warpmind::agents::benchmark
