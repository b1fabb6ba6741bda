#include "profilers/admission/task_admissions.h"

#include "config/installation.h"
#include "profilers/judge_session.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/scratch_root.h"

#include <memory>
#include <utility>

namespace warpmind::profilers {
namespace {

/// Inputs drawn a workload: every control must fail on all of them.
constexpr std::int64_t kAdmissionSeeds = 10;
/// The same inputs each time: a task that was admitted once stays admitted. No candidate is near.
constexpr std::uint64_t kAdmissionSeed = 0x5EEDULL;
constexpr double kAdmissionSeconds = 300;

}  // namespace

Result<AdmissionReport> run_admission(const AdmissionPlace& place, const Task& task,
                                      const std::stop_token& stop) {
  if (task.reference.empty()) {
    AdmissionReport unseen;
    unseen.admitted = true;
    return unseen;
  }
  WARPMIND_TRY(const auto reference, place.toolchain.build_reference(task, stop));
  WARPMIND_TRY(auto judge,
               JudgeSession::start(place.sandbox, {place.judge_program, place.scratch_root,
                                                   reference, recorded_values_of(task)}));
  JudgeJob job;
  job.task = task;
  job.task.kernel = {};
  job.seeds = kAdmissionSeeds;
  job.fixed_seed = kAdmissionSeed;
  auto report = judge.admit(std::move(job), kAdmissionSeconds, stop);
  if (!report) {
    return fail(
        std::move(report).error().while_doing("trying the controls of task '" + task.name + "'"));
  }
  return report;
}

Result<AdmissionReport> run_admission(const config::Settings& settings, const Task& task,
                                      const std::stop_token& stop) {
  WARPMIND_TRY(const auto sandbox, make_sandbox(settings));
  WARPMIND_TRY(const auto toolchain, KernelToolchain::create(settings.toolchain, *sandbox));
  WARPMIND_TRY(const auto scratch, ScratchRoot::create(settings.lab.scratch_directory));
  WARPMIND_TRY(auto judge,
               config::find_own_program(settings.lab.judge, "warpmind-judge", "lab.judge"));
  return run_admission({*sandbox, toolchain, std::move(judge), scratch.path()}, task, stop);
}

Result<void> TaskAdmissions::require(const AdmissionPlace& place, const Task& task,
                                     const std::stop_token& stop) {
  const TaskId id = id_of(task);
  auto found = known_.find(id);
  if (found == known_.end()) {
    WARPMIND_TRY(auto report, run_admission(place, task, stop));
    found = known_.emplace(id, std::move(report)).first;
  }
  if (found->second.admitted) return {};
  return fail(Errc::invalid_argument, found->second.refusal);
}

}  // namespace warpmind::profilers
