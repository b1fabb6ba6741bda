#include "profilers/lab/staged_judging.h"

#include "base/text.h"
#include "profilers/lab/new_spills.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/static_checks.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

std::string first_error_line(const std::string& diagnostics) {
  const std::size_t at = diagnostics.find("error");
  const std::size_t before = at == std::string::npos ? at : diagnostics.rfind('\n', at);
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  return diagnostics.substr(start,
                            std::min<std::size_t>(diagnostics.find('\n', start) - start, 300));
}

}  // namespace

StagedJudging::StagedJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop)
    : parts_(parts),
      order_(order),
      stop_(std::move(stop)),
      stage_start_(std::chrono::steady_clock::now()),
      spec_(parts.target) {
  candidate_.kernel = &order.kernel;
}

bool StagedJudging::pass(Stage stage, std::string detail) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  verdict_.stages.push_back({stage, seconds, true, std::move(detail)});
  stage_start_ = now;
  if (order_.on_stage) order_.on_stage(verdict_.stages.back());
  return true;
}

bool StagedJudging::stop_with(Stage stage, StageFailure failure) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  verdict_.outcome = failure.outcome;
  verdict_.reason = failure.reason;
  verdict_.stages.push_back({stage, seconds, false, std::move(failure.reason)});
  if (order_.on_stage) order_.on_stage(verdict_.stages.back());
  return false;
}

StagedJudging::Continue StagedJudging::check_source() {
  if (order_.task.workloads.empty()) {
    return fail(Errc::invalid_argument, "task '" + order_.task.name + "' has no workloads");
  }
  if (auto finding = check_statically(order_.kernel)) {
    return stop_with(Stage::static_checks, {finding->outcome, std::move(finding->reason)});
  }
  for (const auto& workload : order_.task.workloads) {
    const auto program = make_program(order_.task, order_.kernel, workload, "");
    if (!program) {
      return stop_with(Stage::static_checks,
                       {Outcome::build_failed, "launch plan on workload '" + workload.name +
                                                   "': " + program.error().message});
    }
  }
  return pass(Stage::static_checks, "");
}

std::optional<std::string> StagedJudging::find_missing_kernel() const {
  if (order_.kernel.tier != Tier::a) return std::nullopt;
  for (const auto& launch : order_.kernel.plan.launches) {
    const auto& built = verdict_.build->kernels;
    const bool known = std::any_of(built.begin(), built.end(), [&](const KernelResources& k) {
      return k.kernel == launch.kernel;
    });
    if (!known) {
      return "the launch plan names '" + launch.kernel +
             "', but the source defines no such __global__ function; declare it extern \"C\"";
    }
  }
  return std::nullopt;
}

StagedJudging::Continue StagedJudging::build() {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(order_.kernel, architecture, stop_));
  verdict_.build = std::move(built.report);
  candidate_.binary = std::move(built.binary);
  if (!verdict_.build->succeeded) {
    return stop_with(Stage::build,
                     {Outcome::build_failed,
                      "does not build: " + first_error_line(verdict_.build->diagnostics)});
  }
  if (auto missing = find_missing_kernel()) {
    return stop_with(Stage::build, {Outcome::build_failed, std::move(*missing)});
  }
  verdict_.profile = static_profile(order_.task, order_.kernel, *verdict_.build, primary(), spec_);
  WARPMIND_TRY(auto spills, find_new_spills());
  if (spills) return stop_with(Stage::build, {Outcome::build_failed, std::move(*spills)});
  pass(Stage::build, architecture + (verdict_.build->from_cache ? ", from the cache" : ""));
  return true;
}

Result<std::optional<std::string>> StagedJudging::find_new_spills() {
  const bool gated = order_.refuse_new_spills && parts_.settings.lab.spill_gate;
  if (!gated || order_.incumbent == nullptr || !spills(*verdict_.build)) {
    return std::optional<std::string>();
  }
  WARPMIND_TRY([[maybe_unused]] const auto built, build_incumbent());  // mostly from the cache
  return describe_new_spills(*verdict_.build, incumbent_build_);
}

StagedJudging::Continue StagedJudging::start_judge() {
  std::filesystem::path reference;
  if (!order_.task.reference.empty()) {
    WARPMIND_TRY(reference, parts_.toolchain.build_reference(order_.task, stop_));
  }
  if (!identity_) {
    verdict_.profile->note = "static analysis only: " + verdict_.reason;
    return stop_with(Stage::tiny_oracle, {Outcome::blocked, verdict_.reason});
  }
  WARPMIND_TRY(auto judge, JudgeSession::start(parts_.sandbox, {parts_.judge_program,
                                                                parts_.scratch.path(), reference}));
  judging_.emplace(Judging{parts_.settings.lab, parts_.pool, parts_.sandbox, parts_.scratch,
                           order_.task, std::move(judge), spec_, stop_});
  if (order_.task.reference.empty()) {
    WARPMIND_TRY(judging_->given, build_given());
  }
  return true;
}

Result<std::unique_ptr<GivenKernel>> StagedJudging::build_given() {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  const Kernel& given = order_.task.kernel;
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(given, architecture, stop_));
  if (!built.report.succeeded) {
    return fail(Errc::invalid_argument,
                "the task has no reference and its given kernel does not build: " +
                    first_error_line(built.report.diagnostics));
  }
  return std::make_unique<GivenKernel>(order_.task, parts_.settings.lab, std::move(built.binary),
                                       order_.kernel == given, start_given_);
}

StagedJudging::Continue StagedJudging::run_oracle_stage(Stage stage, WorkerSession& runner,
                                                        const BuiltKernel& candidate,
                                                        std::vector<const Workload*> workloads,
                                                        std::int64_t seeds) {
  const OracleOrder order{std::move(workloads), seeds, order_.baseline_error};
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate, order));
  if (end.correctness.cases > 0) verdict_.correctness = end.correctness;
  if (end.failure) return stop_with(stage, std::move(*end.failure));
  return pass(stage, std::to_string(end.correctness.cases) + " cases, " +
                         std::to_string(end.correctness.elements) + " elements, worst error " +
                         fixed(end.correctness.worst_error_ratio, 3) + " of the tolerance");
}

Result<BuiltKernel> StagedJudging::build_incumbent() {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(*order_.incumbent, architecture, stop_));
  if (!built.report.succeeded) {
    return fail(Errc::external_failure,
                "the incumbent no longer builds: " + first_error_line(built.report.diagnostics));
  }
  incumbent_build_ = std::move(built.report);
  return BuiltKernel{order_.incumbent, std::move(built.binary)};
}

const Workload& StagedJudging::primary() const { return *timed_workloads(order_.task).front(); }

}  // namespace warpmind::profilers
