#include "profilers/lab/staged_judging.h"

#include "profilers/lab/run_case.h"

#include <algorithm>
#include <utility>

namespace warpmind::profilers {
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

bool StagedJudging::stop_with(Stage stage, StageFailure failure) {
  verdict_.outcome = failure.outcome;
  verdict_.reason = failure.reason;
  verdict_.stages.push_back({stage, end_of_stage(), false, std::move(failure.reason)});
  return false;
}

const Workload& StagedJudging::primary() const { return *timed_workloads(order_.task).front(); }

}  // namespace warpmind::profilers
