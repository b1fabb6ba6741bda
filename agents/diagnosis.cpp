#include "agents/diagnosis.h"

#include "agents/diagnosis_rules.h"
#include "base/best_library.h"
#include "base/limit.h"
#include "base/model/verdict_reading.h"
#include "base/plan_evaluation.h"
#include "base/text.h"

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

/// What the plan needs at least in bytes, and what it took.
void add_plan_facts(const DiagnosisInput& input, const Workload& workload,
                    LaunchEvidence& evidence) {
  const auto bytes = evaluate(input.task.cost.bytes, workload.sizes);
  if (bytes) evidence.compulsory_bytes = static_cast<double>(*bytes);
  if (input.verdict.measurement && input.verdict.measurement->workload == workload.name) {
    evidence.plan_time_ns = input.verdict.measurement->median_ns;
  }
}

std::string explain(const Bottleneck& bottleneck, const std::string& share) {
  std::string text = bottleneck.kernel + ": " + std::string(name_of(bottleneck.primary));
  for (const auto& decider : bottleneck.deciders) {
    text += (&decider == &bottleneck.deciders.front() ? " because " : ", ") + decider.name + " = " +
            significant(decider.value) + " " + decider.unit + " (threshold " +
            significant(decider.threshold) + ")";
  }
  for (const auto& launch : bottleneck.launches) {
    text += (&launch == &bottleneck.launches.front() ? "; by launch: " : ", ") + launch.kernel +
            " " + significant(100 * launch.time_share) + " % " +
            std::string(name_of(launch.primary));
  }
  return share.empty() ? text : text + "; " + share;
}

/// Bytes of the widest access that a thread may make: the widest element of an argument where the
/// source names no vector and casts no pointer.
int widest_access(const DiagnosisInput& input) {
  constexpr int kWidest = 16;
  for (const std::string_view word :
       {"float2",    "float3",           "float4",  "int2",  "int3",      "int4",  "long2",
        "longlong2", "double2",          "double4", "half2", "bfloat162", "char4", "short2",
        "short4",    "reinterpret_cast", "wm_",     "*)",    "cp.async",  "asm",   "memcpy"}) {
    if (input.kernel.source.find(word) != std::string::npos) return kWidest;
  }
  int widest = 0;
  for (const auto& argument : input.task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    widest = std::max(widest, static_cast<int>(size_in_bytes(argument.dtype)));
  }
  return widest > 0 ? widest : kWidest;
}

/// What the rules say of one launch.
LaunchEvidence evidence_of_launch(const DiagnosisInput& input, const KernelProfile& launch,
                                  std::size_t index) {
  LaunchEvidence evidence{launch, input.task, input.device, {}, {}, {}, {}, 1};
  evidence.launches = std::max<std::size_t>(input.kernel.plan.launches.size(), 1);
  evidence.widest_access_bytes = widest_access(input);
  if (const Workload* workload = diagnosed_workload(input)) {
    add_grid(input, *workload, index, evidence);
    add_plan_facts(input, *workload, evidence);
  }
  return evidence;
}

/// Each launch by itself, when there are several.
std::vector<LaunchState> states_of(const DiagnosisInput& input,
                                   const std::vector<KernelProfile>& launches) {
  std::vector<LaunchState> states;
  if (launches.size() < 2) return states;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    LaunchState state{launches[i].kernel, launches[i].time_share};
    const auto findings = apply_rules(evidence_of_launch(input, launches[i], i));
    if (!findings.empty()) {
      state.primary = findings.front().which;
      state.confidence = findings.front().confidence;
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace

Bottleneck diagnose(const DiagnosisInput& input) {
  const auto launches = launches_of(input);
  const KernelProfile& launch = *largest_launch(launches);  // there always is one
  const auto index = static_cast<std::size_t>(&launch - launches.data());
  const LaunchEvidence evidence = evidence_of_launch(input, launch, index);

  Bottleneck bottleneck;
  bottleneck.kernel = launch.kernel;
  bottleneck.launches = states_of(input, launches);
  std::string share;
  if (const auto& measured = input.verdict.measurement) {
    const Limit limit = limit_at(*measured, input.task, input.device);
    const auto reached = share_of_limit(limit, measured->median_ns);
    if (reached) bottleneck.headroom = 1 / *reached;
    share = describe_share(limit, measured->median_ns);
    if (times_best_library(measured->best_library, measured->median_ns)) {
      share += (share.empty() ? "" : ", ") +
               describe_best_library(measured->best_library, measured->median_ns);
    }
  }
  const auto findings = apply_rules(evidence);
  if (findings.empty()) {
    bottleneck.explanation = launch.kernel + ": no rule fired on the metrics at hand";
    return bottleneck;
  }
  bottleneck.primary = findings.front().which;
  bottleneck.confidence = findings.front().confidence;
  bottleneck.deciders = findings.front().deciders;
  for (auto it = findings.begin() + 1; it != findings.end(); ++it) {
    bottleneck.secondary.push_back(it->which);
  }
  bottleneck.explanation = explain(bottleneck, share);
  return bottleneck;
}

}  // namespace warpmind::agents
