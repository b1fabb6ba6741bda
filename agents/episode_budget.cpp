#include "agents/episode_budget.h"

#include "base/text.h"

#include <algorithm>

namespace warpmind::agents {

double device_seconds(const Verdict& verdict, Provider provider) {
  if (provider != Provider::gpu) return 0;
  double seconds = 0;
  for (const auto& stage : verdict.stages) {
    switch (stage.stage) {
      case Stage::static_checks:
      case Stage::build:
      case Stage::simulation:
      case Stage::library: break;  // about the task, not about a kernel
      default: seconds += stage.seconds;
    }
  }
  return seconds;
}

void EpisodeBudget::judged(double device_seconds) {
  ++evaluations_;
  device_seconds_ += device_seconds;
  candidate_seconds_ += device_seconds;
}

double EpisodeBudget::expected_device_seconds() const {
  // Before the first candidate, what the baseline took.
  return evaluations_ == 0 ? device_seconds_
                           : candidate_seconds_ / static_cast<double>(evaluations_);
}

std::string EpisodeBudget::refusal(std::int64_t under_way) const {
  if (under_way >= evaluations_left()) {
    return "the budget of " + std::to_string(budget_.evaluations) + " candidates is spent";
  }
  const std::chrono::duration<double> passed = clock_.monotonic() - start_;
  if (passed.count() + before_.seconds >= budget_.seconds) {
    return "the budget of " + fixed(budget_.seconds, 0) + " s is spent";
  }
  const double used = before_.gpu_seconds + device_seconds_;
  const double device = used + static_cast<double>(under_way + 1) * expected_device_seconds();
  if (budget_.gpu_seconds > 0 && device > budget_.gpu_seconds) {
    return "one more candidate would exceed the budget of " + fixed(budget_.gpu_seconds, 1) +
           " s of device time (" + fixed(used, 1) + " s are spent)";
  }
  if (budget_.tokens > 0 && before_.tokens + spending_.tokens() >= budget_.tokens) {
    return "the budget of " + std::to_string(budget_.tokens) + " tokens is spent";
  }
  if (budget_.micro_usd > 0 && before_.micro_usd + spending_.micro_usd >= budget_.micro_usd) {
    return "the budget of " + fixed(static_cast<double>(budget_.micro_usd) * 1e-6, 2) +
           " USD is spent";
  }
  return {};
}

}  // namespace warpmind::agents
