#include "agents/diagnosis.h"

#include "agents/diagnosis_causes.h"
#include "base/best_library.h"
#include "base/limit.h"
#include "base/model/metric_names.h"
#include "base/model/verdict_reading.h"
#include "base/plan_evaluation.h"
#include "base/text.h"
#include "syntax/code_text.h"

#include <algorithm>

namespace warpmind::agents {
namespace {

const Workload* diagnosed_workload(const DiagnosisInput& input) {
  const auto& workloads = input.task.workloads;
  const std::string wanted = input.verdict.profile ? input.verdict.profile->workload : "";
  for (const auto& workload : workloads) {
    if (workload.name == wanted) return &workload;
  }
  for (const auto& workload : workloads) {
    if (workload.timed) return &workload;
  }
  return workloads.empty() ? nullptr : &workloads.front();
}

/// The launches in order: as profiled, or as the plan has them when nothing was.
std::vector<KernelProfile> launches_of(const DiagnosisInput& input) {
  if (input.verdict.profile && !input.verdict.profile->kernels.empty()) {
    return input.verdict.profile->kernels;
  }
  KernelProfile empty;
  if (!input.kernel.plan.launches.empty()) empty.kernel = input.kernel.plan.launches[0].kernel;
  return {empty};
}

void add_grid(const DiagnosisInput& input, const Workload& workload, std::size_t index,
              LaunchEvidence& evidence) {
  if (index >= input.kernel.plan.launches.size()) return;
  const auto launch =
      evaluate_launch(input.kernel.plan.launches[index], input.kernel.plan, workload.sizes);
  if (!launch) return;
  const double blocks = static_cast<double>(launch->grid[0]) * launch->grid[1] * launch->grid[2];
  const double block = static_cast<double>(launch->block[0]) * launch->block[1] * launch->block[2];
  evidence.blocks = blocks;
  evidence.threads = blocks * block;
}

/// From and to DRAM, by all launches; 0 = not counted.
double moved_by_plan(const std::vector<KernelProfile>& launches) {
  double moved = 0;
  for (const auto& launch : launches) {
    moved += launch.find(metric_names::kDramRead).value_or(0) +
             launch.find(metric_names::kDramWritten).value_or(0);
  }
  return moved;
}

/// The limit that `input` was measured with, else what the device table says.
Limit limit_of_plan(const DiagnosisInput& input, const Workload* workload) {
  if (input.verdict.measurement) {
    return limit_at(*input.verdict.measurement, input.task, input.device);
  }
  return workload == nullptr ? Limit{} : limit_of({input.task, *workload, input.device});
}

/// Bytes of the widest access that a thread may make: the widest element of an argument where the
/// source names no vector and casts no pointer.
int widest_access(const DiagnosisInput& input) {
  constexpr int kWidest = 16;
  const std::string source = syntax::without_comments(input.kernel.source);
  for (const std::string_view word : {"float2",
                                      "float3",
                                      "float4",
                                      "int2",
                                      "int3",
                                      "int4",
                                      "uint2",
                                      "uint4",
                                      "long2",
                                      "longlong2",
                                      "double2",
                                      "double4",
                                      "half2",
                                      "__half2",
                                      "bfloat162",
                                      "__nv_bfloat162",
                                      "char4",
                                      "uchar4",
                                      "short2",
                                      "short4",
                                      "reinterpret_cast",
                                      "asm",
                                      "memcpy"}) {
    if (syntax::contains_word(source, word)) return kWidest;
  }
  for (const std::string_view part : {"wm_", "*)", "cp.async", "wmma"}) {
    if (source.find(part) != std::string::npos) return kWidest;
  }
  int widest = 0;
  for (const auto& argument : input.task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    widest = std::max(widest, static_cast<int>(size_in_bytes(argument.dtype)));
  }
  return widest > 0 ? widest : kWidest;
}

LaunchEvidence evidence_of_launch(const DiagnosisInput& input,
                                  const std::vector<KernelProfile>& launches, std::size_t index) {
  const KernelProfile& launch = launches[index];
  const Workload* workload = diagnosed_workload(input);
  LaunchEvidence evidence{launch, input.task, input.device};
  if (input.verdict.profile) evidence.tier = input.verdict.profile->tier;
  evidence.modelled =
      std::any_of(launch.metrics.begin(), launch.metrics.end(),
                  [](const Metric& one) { return one.origin == MetricOrigin::modelled; });
  evidence.limit = limit_of_plan(input, workload);
  evidence.time_share = launches.size() == 1 ? 1.0 : launch.time_share;
  evidence.widest_access_bytes = widest_access(input);
  if (workload != nullptr) add_grid(input, *workload, index, evidence);
  const auto& measured = input.verdict.measurement;
  if (measured && workload != nullptr && measured->workload == workload->name) {
    evidence.plan_time_ns = measured->median_ns;
  }
  // Of what the plan needs a launch is taken to need its share of what the plan moves.
  const double moved = moved_by_plan(launches);
  if (evidence.limit.bytes > 0) {
    const double share =
        moved > 0 ? evidence.moved_bytes().value_or(0) / moved : evidence.time_share;
    evidence.needed_bytes = evidence.limit.bytes * share;
  }
  add_parts_of_time(evidence);
  return evidence;
}

/// "410 of 470 µs".
std::string stake_text(const Cause& cause, const std::optional<Measurement>& measured) {
  if (!measured || cause.at_stake_ns <= 0) {
    return "up to " + fixed(100 * cause.share, 0) + " % of the time";
  }
  const bool large = measured->median_ns >= 1e6;
  const double unit = large ? 1e6 : 1e3;
  return "up to " + significant(cause.at_stake_ns / unit, 3) + " of " +
         significant(measured->median_ns / unit, 3) + (large ? " ms" : " µs");
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

/// Causes that cost less than so much of the time are left to a second look.
constexpr double kWorthTelling = 0.08;
constexpr std::size_t kAlsoTold = 2;
/// Less is left than what two good kernels differ by.
constexpr double kNearLimit = 0.8;

std::string explain(const Bottleneck& bottleneck, const std::optional<Measurement>& measured) {
  std::string text;
  std::size_t told = 0;
  for (const auto& cause : bottleneck.causes) {
    if (told > kAlsoTold || (told > 0 && cause.share < kWorthTelling)) break;
    text += (told == 0   ? ""
             : told == 1 ? " Also: "
                         : "; ") +
            (told == 0 ? capitalised(cause.explanation) : cause.explanation);
    if (cause.which != BottleneckClass::at_limit) text += " (" + stake_text(cause, measured) + ")";
    if (told == 0) text += ".";
    ++told;
  }
  return told > 1 ? text + "." : text;
}

/// Nothing is worth a change: the limit is near, or DRAM is full of bytes that have to move.
void add_at_limit(const LaunchEvidence& evidence, std::vector<Cause>& causes) {
  if (evidence.limit_share() < kNearLimit) return;
  Cause done;
  done.which = BottleneckClass::at_limit;
  done.share = 1 - evidence.limit_share();
  done.at_stake_ns = done.share * evidence.plan_time_ns.value_or(0);
  done.confidence = evidence.limit.measured ? 0.9 : 0.7;
  done.explanation = "hardly anything is left to save";
  done.deciders = {
      {metric_names::kShareOfLimitPct, 100 * evidence.limit_share(), 100.0, "percent"}};
  causes.insert(causes.begin(), std::move(done));
}

/// Each launch by itself, when there are several.
std::vector<LaunchState> states_of(const std::vector<LaunchEvidence>& launches) {
  std::vector<LaunchState> states;
  if (launches.size() < 2) return states;
  for (const auto& launch : launches) {
    LaunchState state{launch.profile.kernel, launch.profile.time_share};
    const auto causes = causes_of(launch);
    const auto worst =
        std::max_element(causes.begin(), causes.end(),
                         [](const Cause& a, const Cause& b) { return a.share < b.share; });
    if (worst != causes.end()) {
      state.primary = worst->which;
      state.confidence = worst->confidence;
    }
    states.push_back(std::move(state));
  }
  return states;
}

std::string describe_unknown(const std::vector<LaunchEvidence>& launches) {
  const auto& kernel = launches.front().profile.kernel;
  const bool counted = std::any_of(launches.begin(), launches.end(),
                                   [](const LaunchEvidence& e) { return e.has_counters(); });
  return "Nothing is known of what limits " + kernel +
         (counted ? "." : ": no hardware counters were read.");
}

}  // namespace

Bottleneck diagnose(const DiagnosisInput& input) {
  const auto profiles = launches_of(input);
  std::vector<LaunchEvidence> launches;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    launches.push_back(evidence_of_launch(input, profiles, i));
  }
  Bottleneck bottleneck;
  bottleneck.kernel = largest_launch(profiles)->kernel;  // there always is one
  bottleneck.launches = states_of(launches);
  std::string share;
  const Limit& limit = launches.front().limit;
  const auto& measured = input.verdict.measurement;
  if (measured) {
    const auto reached = share_of_limit(limit, measured->median_ns);
    if (reached) bottleneck.headroom = 1 / *reached;
    share = describe_share(limit, measured->median_ns);
    if (times_best_library(measured->best_library, measured->median_ns)) {
      share += (share.empty() ? "" : ", ") +
               describe_best_library(measured->best_library, measured->median_ns);
    }
  }
  bottleneck.causes = causes_of_plan(launches);
  add_at_limit(launches.front(), bottleneck.causes);
  bottleneck.explanation =
      bottleneck.causes.empty() ? describe_unknown(launches) : explain(bottleneck, measured);
  if (!share.empty()) bottleneck.explanation += " " + capitalised(share) + ".";
  if (bottleneck.causes.empty()) return bottleneck;
  const Cause& first = bottleneck.causes.front();
  bottleneck.primary = first.which;
  bottleneck.confidence = first.confidence;
  bottleneck.deciders = first.deciders;
  if (!first.kernel.empty()) bottleneck.kernel = first.kernel;
  for (auto it = bottleneck.causes.begin() + 1; it != bottleneck.causes.end(); ++it) {
    if (it->share >= kWorthTelling) bottleneck.secondary.push_back(it->which);
  }
  return bottleneck;
}

}  // namespace warpmind::agents
