#include "agents/analysis/kernel_analyst.h"

#include "agents/diagnosis.h"
#include "agents/first_advice.h"
#include "agents/insight_advice.h"
#include "base/compiler_complaint.h"
#include "base/hash.h"
#include "base/kernel_name.h"
#include "base/model/metric_names.h"
#include "base/text.h"
#include "profilers/kernel_lab.h"

#include <algorithm>

namespace warpmind::agents {
namespace {

constexpr std::size_t kMostJudged = 32;  // verdicts that are kept

bool has_launches(const Task& task) {
  return !task.workloads.empty() && !task.kernel.plan.launches.empty();
}

AnalyzedKernel unbuilt(const SourceKernel& place, bool succeeded) {
  AnalyzedKernel function{place, {}, {}};
  function.note = !succeeded ? "the source does not build"
                  : place.is_template
                      ? "a template that the text does not instantiate: nothing was built for it"
                      : "the compiler made nothing of it: is it within #if, or static and unused?";
  return function;
}

/// Functions of the text with what was built of each; then those that only the binary has.
std::vector<AnalyzedKernel> join(const std::vector<SourceKernel>& places,
                                 const BuildReport& build) {
  std::vector<AnalyzedKernel> functions;
  std::vector<bool> taken(build.kernels.size());
  const auto take = [&](std::size_t i, const std::string& name, const SourceKernel& place) {
    AnalyzedKernel function{place, build.kernels[i], {}, true};
    function.name = name;
    functions.push_back(std::move(function));
    taken[i] = true;
  };
  std::vector<std::string> names;
  names.reserve(build.kernels.size());
  for (const auto& built : build.kernels) names.push_back(readable_kernel_name(built.kernel));
  for (const auto& place : places) {
    const std::size_t before = functions.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!taken[i] && plain_name(names[i]) == place.name) take(i, names[i], place);
    }
    if (functions.size() == before) functions.push_back(unbuilt(place, build.succeeded));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!taken[i]) take(i, names[i], {});
  }
  return functions;
}

/// Blocks and shared memory as the plan launches them.
void take_launches(const Profile& planned, std::vector<AnalyzedKernel>& functions) {
  for (auto& function : functions) {
    for (const auto& launch : planned.kernels) {
      if (launch.kernel != function.kernel) continue;
      const auto threads = launch.find(metric_names::kBlockThreads);
      if (!threads) continue;
      function.block_threads = static_cast<std::int64_t>(*threads);
      function.block_origin = BlockOrigin::launch;
      function.dynamic_shared_bytes =
          static_cast<std::int64_t>(launch.find(metric_names::kDynamicSharedBytes).value_or(0));
      break;
    }
  }
}

void set_fits(const DeviceSpec& device, std::vector<AnalyzedKernel>& functions) {
  for (auto& function : functions) {
    if (!function.built) continue;
    KernelFit& fit = function;
    fit =
        profilers::fit_of(function, function.block_threads, function.dynamic_shared_bytes, device);
    if (function.block_origin != BlockOrigin::assumed) continue;
    function.note = "no launch of it is known: occupancy is for blocks of " +
                    std::to_string(function.block_threads) + " threads";
  }
}

/// A verdict about one function alone: what diagnosis and retrieval look at without a plan.
Verdict verdict_about(const AnalyzedKernel& function, const std::optional<BuildReport>& build) {
  Verdict verdict;
  verdict.build = build;
  verdict.profile = Profile{};
  verdict.profile->kernels.push_back({function.name, 1, function.metrics});
  return verdict;
}

/// The launch state of each function, as the plan's diagnosis has it.
void share_states(const Verdict& verdict, KernelAnalysis& analysis) {
  const double total = verdict.measurement ? verdict.measurement->median_ns : 0;
  for (auto& function : analysis.kernels) {
    double share = 0;
    for (const auto& launch : verdict.profile->kernels) {
      if (launch.kernel == function.kernel) share += launch.time_share;
    }
    if (total > 0 && share > 0) function.predicted_ns = share * total;
    function.bottleneck = {};
    function.bottleneck.kernel = function.name;
    if (analysis.bottleneck.kernel == function.kernel) {
      function.bottleneck = analysis.bottleneck;
      continue;
    }
    for (const auto& launch : analysis.bottleneck.launches) {
      if (launch.kernel != function.kernel) continue;
      function.bottleneck.primary = launch.primary;
      function.bottleneck.confidence = launch.confidence;
      function.bottleneck.explanation = launch.kernel + ": " + std::string(name_of(launch.primary));
    }
  }
}

void diagnose_alone(const AnalysisOrder& order, const BuildReport& build,
                    KernelAnalysis& analysis) {
  for (auto& function : analysis.kernels) {
    if (!function.built) continue;
    const Verdict verdict = verdict_about(function, build);
    function.bottleneck = diagnose({order.task, order.task.kernel, verdict, order.device});
    if (function.bottleneck.confidence > analysis.bottleneck.confidence) {
      analysis.bottleneck = function.bottleneck;
    }
  }
}

/// Of the plan and of each function, from its own bottleneck.
void add_advice(const AnalysisOrder& order, KernelAnalysis& analysis) {
  const Advice nothing_measured;
  const auto about = [&](const Bottleneck& bottleneck) {
    return advise_first(
        {order.task, order.task.kernel, bottleneck, nothing_measured, order.device});
  };
  analysis.advice = about(analysis.bottleneck);
  for (auto& function : analysis.kernels) {
    if (function.built) function.advice = about(function.bottleneck);
  }
}

DeviceIdentity identity_of(const DeviceSpec& device) {
  DeviceIdentity identity;
  identity.name = device.name;
  identity.compute_major = device.compute_major;
  identity.compute_minor = device.compute_minor;
  identity.sm_count = device.sm_count;
  return identity;
}

/// Hidden ranges as text: they are no part of a task's id.
std::string ranges_of(const Task& task) {
  return join_text(task.hidden, ",", [](const HiddenRange& range) {
    return range.size + ":" + std::to_string(range.low) + ":" + std::to_string(range.high) + ":" +
           std::to_string(range.multiple_of);
  });
}

}  // namespace

KernelAnalyst::KernelAnalyst(const config::Settings& settings, LabSource labs,
                             InsightSource insights)
    : settings_(settings), labs_(std::move(labs)), insights_(std::move(insights)) {}

Result<std::shared_ptr<profilers::KernelBuilder>> KernelAnalyst::builder() {
  const std::scoped_lock lock(mutex_);
  if (builder_) return builder_;
  WARPMIND_TRY(auto made, profilers::KernelBuilder::create(settings_));
  builder_ = std::move(made);
  return builder_;
}

Result<KernelAnalysis> KernelAnalyst::analyze(const AnalysisOrder& order,
                                              const std::stop_token& stop) {
  const Task& task = order.task;
  WARPMIND_TRY(const auto places, kernels_in(task.kernel.source));
  WARPMIND_TRY(const auto compiler, builder());
  WARPMIND_TRY(const auto build, compiler->build(task.kernel, order.device, stop));
  KernelAnalysis analysis;
  analysis.task = task.name;
  analysis.device = order.device.name;
  analysis.source_hash = to_hex(sha256(task.kernel.source));
  analysis.architecture = build.architecture;
  analysis.built = build.succeeded;
  analysis.diagnostics = build.diagnostics;
  analysis.kernels = join(places, build);
  if (!build.succeeded) {
    analysis.note = "does not build: " + first_error_line(build.diagnostics);
    return analysis;
  }
  Verdict verdict;
  verdict.build = build;
  if (has_launches(task)) {
    verdict.profile = profilers::planned_profile(task, build, order.device);
    take_launches(*verdict.profile, analysis.kernels);
  }
  set_fits(order.device, analysis.kernels);
  if (has_launches(task)) {
    if (order.predict) add_prediction(order, stop, verdict, analysis);
    analysis.bottleneck = diagnose({task, task.kernel, verdict, order.device});
    share_states(verdict, analysis);
    analysis.launches = verdict.profile->kernels;
  } else {
    analysis.note =
        "no launch of these kernels is known: no time was predicted, and bottlenecks are guessed "
        "from registers and shared memory alone; give a task folder (docs/tasks.md)";
    diagnose_alone(order, build, analysis);
  }
  if (stop.stop_requested()) return fail(Errc::cancelled, "the analysis was cancelled");
  add_advice(order, analysis);
  if (order.insights > 0) add_insights(order, verdict, analysis);
  return analysis;
}

Result<Verdict> KernelAnalyst::simulate(const AnalysisOrder& order, const std::stop_token& stop) {
  JobRequest request;
  request.provider = Provider::sim;
  request.device = order.device.key == settings_.lab.target ? "" : order.device.key;
  request.effort = Effort::quick;  // nothing is built upon it
  return judge_once(request, {order.task, order.task.kernel}, stop);
}

Result<Verdict> KernelAnalyst::judge_alone(const JobRequest& request, const Kernel& kernel,
                                           double baseline_error, const std::stop_token& stop) {
  profilers::JudgeOrder order{request.task, kernel};
  order.baseline_error = baseline_error;
  return judge_once(request, order, stop);
}

Result<Verdict> KernelAnalyst::judge_once(const JobRequest& request,
                                          const profilers::JudgeOrder& given,
                                          const std::stop_token& stop) {
  profilers::JudgeOrder order = given;
  order.effort = request.effort;
  const std::string key = to_hex(sha256(
      hash_input({name_of(request.provider), request.device, name_of(order.effort),
                  ranges_of(order.task), id_of(order.task).str(), id_of(order.kernel).str()})));
  {
    const std::scoped_lock lock(mutex_);
    const auto known = std::find_if(judged_.begin(), judged_.end(),
                                    [&](const Judged& one) { return one.first == key; });
    if (known != judged_.end()) return known->second;
  }
  WARPMIND_TRY(const auto lab, labs_(request));
  WARPMIND_TRY(auto verdict, lab->judge(order, stop));
  if (verdict.outcome == Outcome::blocked) return verdict;  // of the machine, and not for ever
  const std::scoped_lock lock(mutex_);
  judged_.emplace_front(key, verdict);
  if (judged_.size() > kMostJudged) judged_.pop_back();
  return verdict;
}

void KernelAnalyst::add_prediction(const AnalysisOrder& order, const std::stop_token& stop,
                                   Verdict& verdict, KernelAnalysis& analysis) {
  auto simulated = simulate(order, stop);
  if (!simulated) {
    analysis.note = "no time was predicted: " + simulated.error().message;
    return;
  }
  if (!simulated->measurement) {
    analysis.note = "no time was predicted: " + std::string(name_of(simulated->outcome)) + ": " +
                    simulated->reason;
  }
  analysis.predicted = simulated->measurement;
  analysis.findings = simulated->findings;
  if (simulated->profile) analysis.lines = simulated->profile->lines;
  if (simulated->profile && !simulated->profile->kernels.empty()) verdict = std::move(*simulated);
}

void KernelAnalyst::add_insights(const AnalysisOrder& order, const Verdict& verdict,
                                 KernelAnalysis& analysis) {
  const Advice advice;
  for (auto& function : analysis.kernels) {
    if (!function.built) continue;
    const Verdict alone =
        has_launches(order.task) ? verdict : verdict_about(function, verdict.build);
    const ProposalContext context{order.task, order.task.kernel, function.bottleneck, advice,
                                  order.device};
    auto query = situation_of(context, alone, identity_of(order.device));
    query.text += " " + function.name;
    if (!has_launches(order.task)) query.contracts.reset();
    query.limit = order.insights;
    auto answer = insights_(query);
    if (!answer) {
      analysis.insights_note = answer.error().message;
      return;
    }
    function.insights = std::move(answer->insights);
    if (analysis.insights_note.empty()) analysis.insights_note = std::move(answer->note);
  }
}

Result<Verdict> KernelAnalyst::time_library(const Task& task, bool again,
                                            const std::stop_token& stop) {
  JobRequest request;
  request.task = task;
  request.provider = Provider::gpu;
  WARPMIND_TRY(const auto lab, labs_(request));
  if (const auto device = lab->device(); !device) {
    return fail(Errc::unavailable, "libraries are timed on a GPU, and this daemon has none: " +
                                       device.error().message);
  }
  profilers::JudgeOrder order{task, task.kernel};
  order.library = again ? profilers::LibraryTiming::again : profilers::LibraryTiming::wanted;
  return lab->judge(order, stop);
}

}  // namespace warpmind::agents
