/// Stage build: the candidate, and what it is compared with.
/// Stages tiny_oracle, full_oracle and hidden_oracle, whoever runs the kernel.
/// Stage static: sizes, forbidden constructs, and a launch plan that every workload can evaluate.
#include "profilers/lab/staged_judging.h"

#include "base/compiler_complaint.h"
#include "base/model/device.h"
#include "base/text.h"
#include "profilers/lab/given_work.h"
#include "profilers/lab/hidden_oracle.h"
#include "profilers/lab/host_variables.h"
#include "profilers/lab/new_spills.h"
#include "profilers/lab/oracle.h"
#include "profilers/lab/prediction_seed.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/relation_oracle.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/static_checks.h"
#include "profilers/lab/verification.h"

#include <algorithm>
#include <string>
#include <utility>

namespace warpmind::profilers {
namespace {

/// Inputs of a recorded task whose content was made up: "to, starts". What a program keeps in them
/// are indices and lengths more often than not.
std::string invented_integers(const Task& task) {
  std::string names;
  for (const Argument& argument : task.arguments) {
    const std::vector<Distribution> drawn = {Distribution::index_range};
    if (!is_input(argument) || argument.distributions != drawn || argument.low != 0 ||
        argument.high != 1) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names;
}

/// Recorded integers that cases get in another order than the program's.
std::string reordered_integers(const Task& task) {
  std::string names;
  for (const Argument& argument : task.arguments) {
    if (!argument.recorded || argument.recorded->values.empty() || !argument.recorded->reorder) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names;
}

}  // namespace

StagedJudging::StagedJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop)
    : parts_(parts),
      order_(order),
      stop_(std::move(stop)),
      plan_(plan_for(order.effort, parts.settings.lab)),
      stage_start_(std::chrono::steady_clock::now()),
      spec_(parts.target) {
  if (const auto& use = parts_.pool.place().use) waited_ = use->waited();
  candidate_.kernel = &order.kernel;
  verdict_.effort = order.effort;
}

double StagedJudging::end_of_stage() {
  const auto now = std::chrono::steady_clock::now();
  auto took = now - std::exchange(stage_start_, now);
  if (const auto& use = parts_.pool.place().use) {
    const auto waited = use->waited();
    took -= std::min(took, waited - std::exchange(waited_, waited));
  }
  return std::chrono::duration<double>(took).count();
}

void StagedJudging::begin(Stage stage) const {
  if (order_.on_stage) order_.on_stage(stage);
}

bool StagedJudging::pass(Stage stage, std::string detail) {
  verdict_.stages.push_back({stage, end_of_stage(), true, std::move(detail)});
  return true;
}

bool StagedJudging::judges_own_reference() const {
  return order_.incumbent == nullptr && order_.task.reference.empty() &&
         order_.kernel == order_.task.kernel;
}

StageFailure StagedJudging::without_accusation(StageFailure failure) const {
  const bool is_accusation = failure.outcome == Outcome::wrong ||
                             failure.outcome == Outcome::crashed ||
                             failure.outcome == Outcome::timed_out;
  const std::string invented = invented_integers(order_.task);
  const std::string reordered = reordered_integers(order_.task);
  if (!is_accusation || !judges_own_reference()) return failure;
  if (invented.empty() && !reordered.empty()) {
    return {Outcome::unjudgeable, "with its recorded integers (" + reordered +
                                      "), which some cases have in another order, " +
                                      failure.reason +
                                      "; reorder = false in [argument.recorded] keeps the order"};
  }
  if (invented.empty()) return failure;
  return {Outcome::unjudgeable, "its integers (" + invented +
                                    ") are drawn from 0 and 1, since the program's own are not on "
                                    "record; with those, " +
                                    failure.reason};
}

bool StagedJudging::stop_with(Stage stage, StageFailure failure) {
  failure = without_accusation(std::move(failure));
  verdict_.outcome = failure.outcome;
  verdict_.reason = failure.reason;
  verdict_.stages.push_back({stage, end_of_stage(), false, std::move(failure.reason)});
  return false;
}

Result<const CountedWork*> StagedJudging::given_work() {
  if (!needs_count(order_.task)) return nullptr;
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  const std::string key = order_.task.id.str() + " " + primary().name + " " + architecture;
  const auto known = parts_.given_work.find(key);
  if (known != parts_.given_work.end()) return &known->second;
  const Kernel& given = order_.task.kernel;
  WARPMIND_TRY(const auto built, parts_.toolchain.build_kernel(given, architecture, stop_));
  CountedWork work{.unknown = "the given kernel does not build"};
  if (built.report.succeeded) work = count_given_work(order_.task, primary(), built.binary);
  return &parts_.given_work.insert_or_assign(key, std::move(work)).first->second;
}

Result<Limit> StagedJudging::limit() {
  WARPMIND_TRY(const CountedWork* const counted, given_work());
  return limit_of({order_.task, primary(), spec_, floors_, counted});
}

const Workload& StagedJudging::primary() const { return *timed_workloads(order_.task).front(); }

namespace {

/// Of the given kernel, where a candidate differs from it by more than any kernel may.
constexpr std::uint32_t kPerturbedBuilds = 3;

}  // namespace

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

Result<std::string> StagedJudging::digest_candidate() {
  if (check_statically(order_.kernel)) return std::string();
  begin(Stage::build);
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(order_.kernel, architecture, stop_));
  return std::move(built.report.machine_code);
}

StagedJudging::Continue StagedJudging::build() {
  begin(Stage::build);
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

Result<std::unique_ptr<GivenKernel>> StagedJudging::build_given() {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  const Kernel& given = order_.task.kernel;
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(given, architecture, stop_));
  if (!built.report.succeeded) {
    return fail(Errc::invalid_argument,
                "the task has no reference and its given kernel does not build: " +
                    first_error_line(built.report.diagnostics));
  }
  auto build_perturbed = [this, binary = built.binary, architecture = built.report.architecture](
                             PerturbedPart part) -> Result<std::vector<std::filesystem::path>> {
    std::vector<std::filesystem::path> builds;
    if (order_.task.kernel.tier != Tier::a) return builds;
    PtxChange change;
    change.strains = part == PerturbedPart::strained;
    for (change.seed = 1; change.seed <= kPerturbedBuilds; ++change.seed) {
      WARPMIND_TRY(auto one, parts_.toolchain.build_perturbed(binary, architecture, change, stop_));
      if (one.report.succeeded) builds.push_back(std::move(one.binary));
    }
    return builds;
  };
  return std::make_unique<GivenKernel>(order_.task, parts_.settings.lab, std::move(built.binary),
                                       order_.kernel == given, start_given_,
                                       std::move(build_perturbed));
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
  WARPMIND_TRY(auto judge,
               JudgeSession::start(parts_.sandbox, {parts_.judge_program, parts_.scratch.path(),
                                                    reference, recorded_values_of(order_.task)}));
  judging_.emplace(Judging{parts_.settings.lab, parts_.pool, parts_.sandbox, parts_.scratch,
                           order_.task, std::move(judge), spec_, stop_});
  judging_->processes = parts_.processes;
  judging_->prediction_secret = prediction_secret_file(parts_.settings.toolchain.cache_directory);
  if (order_.task.reference.empty()) {
    WARPMIND_TRY(judging_->given, build_given());
  }
  return true;
}

std::string StagedJudging::describe_oracle(const Correctness& correctness) {
  return std::to_string(correctness.cases) + " cases, " + std::to_string(correctness.elements) +
         " elements, worst error " + fixed(correctness.worst_error_ratio, 3) + " of the tolerance";
}

std::string StagedJudging::after_left_out(const std::string& left_out, const std::string& detail) {
  if (left_out.empty()) return detail;
  left_something_out_ = true;
  return "left out: " + left_out + "; " + detail;
}

StagedJudging::Continue StagedJudging::run_tiny_oracle(WorkerSession& runner) {
  begin(Stage::tiny_oracle);
  const OracleOrder order{
      {&smallest_workload(order_.task)}, 1, order_.baseline_error, 0, plan_.runs};
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
  if (end.correctness.cases > 0) verdict_.correctness = end.correctness;
  if (end.failure) return stop_with(Stage::tiny_oracle, std::move(*end.failure));
  return pass(Stage::tiny_oracle, describe_oracle(end.correctness));
}

StagedJudging::Continue StagedJudging::run_full_oracle(WorkerSession& runner,
                                                       std::vector<const Workload*> workloads) {
  begin(Stage::full_oracle);
  OracleOrder order{std::move(workloads), plan_.seeds,        order_.baseline_error, 0,
                    plan_.runs,           plan_.stage_seconds};
  if (order_.effort != Effort::quick) order.inputs = InputChoice::every;
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
  if (end.correctness.cases > 0) verdict_.correctness = end.correctness;
  if (end.failure) return stop_with(Stage::full_oracle, std::move(*end.failure));
  std::string detail = after_left_out(end.left_out, describe_oracle(end.correctness));
  WARPMIND_TRY(auto related, check_runs_among_themselves(runner));
  if (related.failure) {
    verdict_.correctness->passed = false;
    verdict_.correctness->worst_case = related.correctness.worst_case;
    return stop_with(Stage::full_oracle, std::move(*related.failure));
  }
  if (related.correctness.cases > 0) {
    detail += "; " + std::to_string(related.correctness.cases) + " groups of runs agree";
  }
  return pass(Stage::full_oracle, std::move(detail));
}

Result<OracleEnd> StagedJudging::check_runs_among_themselves(WorkerSession& runner) {
  OracleEnd none;
  if (plan_.relation_groups == 0) return none;
  RelationOrder order;
  order.groups = plan_.relation_groups;
  order.baseline_error = order_.baseline_error;
  order.workloads = plan_.relations_everywhere
                        ? small_workloads(order_.task)
                        : std::vector<const Workload*>{&smallest_workload(order_.task)};
  if (!order_.task.contract.deterministic) {
    WARPMIND_TRY(auto repeated, run_repetitions(*judging_, runner, candidate_, order));
    if (repeated.failure || order_.task.relations.empty()) return repeated;
  }
  return run_relations(*judging_, runner, candidate_, order);
}

StagedJudging::Continue StagedJudging::run_hidden_stage(const StartRunner& start) {
  if (plan_.hidden_workloads == 0) return true;
  begin(Stage::hidden_oracle);
  WARPMIND_TRY(auto runner, start());
  const HiddenOrder order{
      plan_.hidden_workloads,
      {{}, plan_.hidden_seeds, order_.baseline_error, 0, plan_.runs, plan_.stage_seconds},
      order_.kernel == order_.task.kernel};
  WARPMIND_TRY(auto end, run_hidden_oracle(*judging_, runner, candidate_, order));
  runner.finish();
  if (end.correctness.cases > 0) merge(*verdict_.correctness, end.correctness);
  if (end.failure) {
    verdict_.correctness->passed = false;
    return stop_with(Stage::hidden_oracle, std::move(*end.failure));
  }
  const std::string cases = std::to_string(end.correctness.cases) + " cases";
  return pass(
      Stage::hidden_oracle,
      after_left_out(end.left_out, order_.task.hidden.empty()
                                       ? cases + " with new seeds; the task names no hidden ranges"
                                       : cases + " of hidden shapes"));
}

StagedJudging::Continue StagedJudging::check_source() {
  begin(Stage::static_checks);
  if (order_.task.workloads.empty()) {
    return fail(Errc::invalid_argument, "task '" + order_.task.name + "' has no workloads");
  }
  WARPMIND_CHECK(parts_.admissions.require(
      {parts_.sandbox, parts_.toolchain, parts_.judge_program, parts_.scratch.path()}, order_.task,
      stop_));
  if (auto finding = check_statically(order_.kernel)) {
    return stop_with(Stage::static_checks, {finding->outcome, std::move(finding->reason)});
  }
  if (judges_own_reference() && order_.kernel.tier == Tier::a) {
    if (const auto variable = find_host_variable(order_.kernel.source)) {
      return stop_with(Stage::static_checks,
                       {Outcome::unjudgeable,
                        "the program's host code fills '" + *variable +
                            "', and a task launches kernels without it: pass its content as an "
                            "argument, or give it an initial value"});
    }
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

}  // namespace warpmind::profilers
