#include "profilers/lab/profiling.h"

#include "base/model/metric_names.h"
#include "base/plan_evaluation.h"
#include "base/text.h"
#include "profilers/lab/run_case.h"
#include "profilers/toolchain/occupancy.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

constexpr double kProfileSeconds = 120;  // 59 passes a launch, each replayed from saved memory
constexpr double kSamplingSeconds = 60;
constexpr double kPassesPerCounter = 1.2;
/// Of the device, in all passes: a kernel of more than 80 ms gets fewer counters.
constexpr double kCounterDeviceSeconds = 5;

const KernelResources* find_resources(const BuildReport& build, std::string_view kernel) {
  const auto found =
      std::find_if(build.kernels.begin(), build.kernels.end(),
                   [&](const KernelResources& resources) { return resources.kernel == kernel; });
  return found == build.kernels.end() ? nullptr : &*found;
}

std::int64_t product(const std::array<std::uint32_t, 3>& extents) {
  return std::int64_t{extents[0]} * extents[1] * extents[2];
}

void share_equally(Profile& profile) {
  for (auto& kernel : profile.kernels) {
    kernel.time_share = 1.0 / static_cast<double>(profile.kernels.size());
  }
}

/// In a process of its own: CUPTI serves one profiler at a time.
Result<RunnerAnswer> run_profile(Judging& judging, const BuiltKernel& candidate,
                                 const Workload& workload, RunnerJob job, double seconds) {
  WARPMIND_TRY(auto runner, judging.pool.take(judging.stop));
  WARPMIND_CHECK(runner.add_binary(candidate.binary, "candidate"));
  WARPMIND_TRY(const auto cases, prepare_cases(judging, runner, workload, 1, CaseUse::run_only));
  RunCase one;
  one.id = cases.front().id;
  WARPMIND_TRY(one.candidate,
               make_program(judging.task, *candidate.kernel, workload, "bin/candidate"));
  WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, cases.front()));
  job.mode = JobMode::profile;
  job.cases.push_back(std::move(one));
  judging.pool.settle(judging.stop);
  WARPMIND_TRY(auto answer, runner.run_job(job, seconds, judging.stop));
  runner.finish();
  return answer;
}

/// What the runner read, or why nothing was.
void take_report(const RunnerAnswer& answer, std::size_t left_out, double run_ns,
                 Profile& profile) {
  if (!answer.report) {
    profile.note = "no hardware counters: " + answer.reason;
  } else if (answer.report->counters_refused) {
    profile.note = "no hardware counters: " + answer.report->counters_note;
  } else if (!answer.report->ok || answer.report->kernels.empty()) {
    profile.note = "no hardware counters: " + (answer.report->error.empty()
                                                   ? std::string("the profiler saw no kernel")
                                                   : answer.report->error);
  } else {
    merge_counters(profile, *answer.report);
    profile.caches = CacheState::warm;  // each pass finds what the one before it left
    if (left_out > 0) {
      profile.note = "left out: " + std::to_string(left_out) + " of " +
                     std::to_string(counter_names().size()) + " counters, one run takes " +
                     fixed(run_ns / 1e6, 0) + " ms";
    }
  }
}

}  // namespace

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> names = {
      metric_names::kTime,
      metric_names::kCyclesElapsed,
      metric_names::kSmPct,
      metric_names::kMemoryPct,
      metric_names::kDramRead,
      metric_names::kDramWritten,
      metric_names::kDramPct,
      metric_names::kL2SectorsRead,
      metric_names::kLoadSectors,
      metric_names::kLoadRequests,
      metric_names::kStoreSectors,
      metric_names::kStoreRequests,
      metric_names::kBankConflicts,
      metric_names::kWarpsActivePct,
      metric_names::kInstructions,
      metric_names::kLanes,
      metric_names::kStalledLongScoreboard,
      metric_names::kStalledBarrier,
      metric_names::kStalledMathPipeThrottle,
      metric_names::kTensorPct,
      metric_names::kIssuePct,
      metric_names::kCyclesActive,
      metric_names::kCyclesActiveMost,
      metric_names::kL2AtomicPct,
      metric_names::kAtomicRequests,
      metric_names::kReductionRequests,
      metric_names::kLocalLoadSectors,
      metric_names::kLocalStoreSectors,
      metric_names::kSharedWavefronts,
      metric_names::kSharedAtomicWavefronts,
      metric_names::kAtomicBankConflicts,
      metric_names::kL1Pct,
      metric_names::kL2Pct,
      metric_names::kL2SectorsWritten,
      metric_names::kSpecialPct,
      metric_names::kFmaPct,
      metric_names::kAluPct,
      metric_names::kFp64Pct,
      metric_names::kStalledShortScoreboard,
      metric_names::kStalledLgThrottle,
      metric_names::kStalledMioThrottle,
      metric_names::kStalledWait,
      metric_names::kStalledMembar,
      metric_names::kStalledNotSelected,
      metric_names::kStalledBranchResolving,
      metric_names::kFmaThreadInstructions,
      metric_names::kL1Hits,
      metric_names::kL2Hits,
  };
  return names;
}

std::string unit_of_counter(std::string_view name) {
  if (name.find("time_duration") != std::string_view::npos) return "ns";
  if (name.find("pct") != std::string_view::npos) return "percent";
  if (name.ends_with(".ratio")) return "ratio";
  if (name.find("bytes") != std::string_view::npos) return "bytes";
  return "count";
}

Profile static_profile(const Task& task, const Kernel& kernel, const BuildReport& build,
                       const Workload& workload, const DeviceSpec& device) {
  Profile profile;
  profile.tier = ProfileTier::t0;
  profile.workload = workload.name;
  const auto program = make_program(task, kernel, workload, "");
  if (kernel.tier == Tier::a && program) {
    for (const auto& launch : program->launches) {
      const KernelResources* resources = find_resources(build, launch.kernel);
      if (resources == nullptr) continue;
      profile.kernels.push_back({launch.kernel, 1,
                                 static_metrics({*resources, launch.shared_bytes,
                                                 product(launch.block), product(launch.grid)},
                                                device)});
    }
  } else {
    for (const auto& resources : build.kernels) {
      profile.kernels.push_back(
          {resources.kernel, 1, static_metrics({resources, 0, 0, 0}, device)});
    }
  }
  share_equally(profile);
  return profile;
}

std::vector<Metric> limit_metrics(double time_ns, const Limit& limit) {
  const double seconds = time_ns * 1e-9;
  std::vector<Metric> metrics{{metric_names::kPlanTime, time_ns, "ns"}};
  if (limit.ns > 0) {
    metrics.push_back({"warpmind__limit_time_ns", limit.ns, "ns"});
    metrics.push_back({"warpmind__headroom_ratio", time_ns / limit.ns, "ratio"});
  }
  if (const auto share = share_of_limit(limit, time_ns)) {
    metrics.push_back({metric_names::kShareOfLimitPct, 100 * *share, "percent"});
  }
  const auto add_rate = [&](const char* rate, const char* unit, double work, const char* share,
                            double giga_per_second) {
    if (work <= 0 || giga_per_second <= 0) return;
    metrics.push_back({rate, work / seconds, unit});
    metrics.push_back({share, 100 * work / giga_per_second / time_ns, "percent"});
  };
  add_rate(metric_names::kBytesPerSecond, "bytes/s", limit.bytes, metric_names::kBandwidthPct,
           limit.bandwidth_gb_s);
  add_rate(metric_names::kFlopsPerSecond, "flops/s", limit.flops, metric_names::kFlopsPct,
           limit.peak_gflops);
  return metrics;
}

void add_timed_metrics(Profile& profile, double time_ns, const Limit& limit) {
  const auto metrics = limit_metrics(time_ns, limit);
  for (auto& kernel : profile.kernels) {
    kernel.metrics.insert(kernel.metrics.end(), metrics.begin(), metrics.end());
  }
  profile.tier = ProfileTier::t1;
}

void merge_counters(Profile& profile, const RunnerReport& report) {
  double total_ns = 0;
  for (const auto& kernel : report.kernels)
    total_ns += kernel.find(metric_names::kTime).value_or(0);
  // A plan's launches are the same list; a host function's are known only now.
  const bool same =
      std::equal(report.kernels.begin(), report.kernels.end(), profile.kernels.begin(),
                 profile.kernels.end(), [](const KernelProfile& a, const KernelProfile& b) {
                   return a.kernel.empty() || a.kernel == b.kernel;
                 });
  std::vector<KernelProfile> kernels;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    KernelProfile merged = report.kernels[i];
    for (auto& metric : merged.metrics) {
      if (metric.unit.empty()) metric.unit = unit_of_counter(metric.name);
    }
    const double ns = merged.find(metric_names::kTime).value_or(0);
    merged.time_share =
        total_ns > 0 ? ns / total_ns : 1.0 / static_cast<double>(report.kernels.size());
    auto known =
        same ? profile.kernels.begin() + static_cast<std::ptrdiff_t>(i)
             : std::find_if(profile.kernels.begin(), profile.kernels.end(),
                            [&](const KernelProfile& k) { return k.kernel == merged.kernel; });
    if (known != profile.kernels.end()) {
      if (merged.kernel.empty()) merged.kernel = known->kernel;
      merged.metrics.insert(merged.metrics.end(), known->metrics.begin(), known->metrics.end());
    }
    kernels.push_back(std::move(merged));
  }
  profile.kernels = std::move(kernels);
  profile.absent = report.absent;
  profile.tier = ProfileTier::t2;
}

std::size_t affordable_counters(double run_ns) {
  const double passes = kCounterDeviceSeconds * 1e9 / std::max(run_ns, 1.0);
  const auto all = static_cast<double>(counter_names().size());
  return static_cast<std::size_t>(std::clamp(passes / kPassesPerCounter, 0.0, all));
}

Result<void> add_counters(Judging& judging, const BuiltKernel& candidate, const Workload& workload,
                          double run_ns, Profile& profile) {
  if (!judging.settings.counters) {
    profile.note = "hardware counters are switched off (lab.counters = false)";
    return {};
  }
  const std::size_t affordable = affordable_counters(run_ns);
  const std::size_t left_out = counter_names().size() - affordable;
  if (affordable == 0) {
    profile.note = "left out: hardware counters, one run takes " + fixed(run_ns / 1e9, 1) + " s";
    return {};
  }
  RunnerJob job;
  job.metrics.assign(counter_names().begin(),
                     counter_names().begin() + static_cast<std::ptrdiff_t>(affordable));
  WARPMIND_TRY(const auto answer,
               run_profile(judging, candidate, workload, std::move(job), kProfileSeconds));
  take_report(answer, left_out, run_ns, profile);
  return {};
}

Result<void> add_lines(Judging& judging, const BuiltKernel& candidate, const Workload& workload,
                       Profile& profile) {
  if (profile.tier != ProfileTier::t2 || candidate.kernel->tier != Tier::a) return {};
  RunnerJob job;
  job.sample_lines = true;
  WARPMIND_TRY(const auto answer,
               run_profile(judging, candidate, workload, std::move(job), kSamplingSeconds));
  std::string why = answer.reason;
  if (answer.report) {
    profile.lines = answer.report->lines;
    why = answer.report->ok ? answer.report->lines_note : answer.report->error;
  }
  if (!profile.lines.empty() || why.empty()) return {};
  profile.note += (profile.note.empty() ? "no lines: " : "; no lines: ") + why;
  return {};
}

}  // namespace warpmind::profilers
