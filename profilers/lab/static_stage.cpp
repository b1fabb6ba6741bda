/// \file
/// Stage static: sizes, forbidden constructs, and a launch plan that every workload can evaluate.

#include "profilers/lab/host_variables.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/staged_judging.h"
#include "profilers/lab/static_checks.h"

#include <string>
#include <utility>

namespace warpmind::profilers {

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
