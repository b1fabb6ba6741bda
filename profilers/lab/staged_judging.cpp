#include "profilers/lab/staged_judging.h"

#include "profilers/lab/run_case.h"

#include <utility>

namespace warpmind::profilers {
StagedJudging::StagedJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop)
    : parts_(parts),
      order_(order),
      stop_(std::move(stop)),
      plan_(plan_for(order.effort, parts.settings.lab)),
      stage_start_(std::chrono::steady_clock::now()),
      spec_(parts.target) {
  candidate_.kernel = &order.kernel;
  verdict_.effort = order.effort;
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

const Workload& StagedJudging::primary() const { return *timed_workloads(order_.task).front(); }

}  // namespace warpmind::profilers
