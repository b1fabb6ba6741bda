#include "daemon/queue_worth.h"

#include "base/text.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_store.h"

#include <algorithm>
#include <cmath>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::minutes kFresh{10};
constexpr std::size_t kMostKnown = 10'000;

/// Seconds that the job may take: of the device where that is limited, else of work.
double cost_of(const Budget& budget) {
  const double seconds = budget.gpu_seconds > 0 ? budget.gpu_seconds : budget.seconds;
  return std::max(seconds, 1.0);
}

}  // namespace

QueueWorth::Outlook QueueWorth::ask(const JobRequest& request) {
  Outlook outlook;
  outlook.asked = clock_.monotonic();
  if (techniques_.empty()) {
    const auto cards = base_.insights().techniques();
    if (!cards) {
      outlook.refused = cards.error().message;
      return outlook;
    }
    for (const auto& card : *cards) techniques_.push_back(card.name);
  }
  const DeviceIdentity anywhere;
  const auto advice = base_.store().recall(
      {request.task, BottleneckClass::unknown, anywhere, request.provider, techniques_});
  if (!advice) {
    outlook.refused = advice.error().message;
    return outlook;
  }
  outlook.episodes = advice->episodes_seen;
  for (const auto& technique : advice->techniques) {
    if (technique.gain_high <= outlook.gain) continue;
    outlook.gain = technique.gain_high;
    outlook.likely = technique.predicted_gain;
    outlook.technique = technique.technique;
  }
  return outlook;
}

QueueWorth::Outlook QueueWorth::outlook(const JobRequest& request) {
  const std::string key = request.task.id.str() + ' ' + std::string(name_of(request.provider));
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(key);
  if (found != known_.end() && clock_.monotonic() - found->second.asked < kFresh) {
    return found->second;
  }
  if (known_.size() >= kMostKnown) known_.clear();
  return known_[key] = ask(request);
}

JobWorth QueueWorth::expected_worth(const JobRequest& request) {
  const Outlook known = outlook(request);
  if (!known.refused.empty()) return {0, "the base could not be asked: " + known.refused};
  // A task that was worked on has less left; one that comes back is asked for more often.
  const double headroom = 1.0 / static_cast<double>(1 + known.episodes);
  const double frequency = 1 + std::log(static_cast<double>(1 + known.episodes));
  const double cost = cost_of(request.budget);
  JobWorth worth;
  worth.value = 1000 * std::log(known.gain) * headroom * frequency / cost;
  worth.why = fixed(worth.value, 3) + " per 1000 s: " +
              (known.technique.empty() ? std::string("no technique is known to gain here")
                                       : known.technique + " may gain " + fixed(known.gain, 2) +
                                             "x (likely " + fixed(known.likely, 2) + "x)") +
              ", headroom " + fixed(headroom, 2) + " after " + std::to_string(known.episodes) +
              " episodes of this task, frequency " + fixed(frequency, 2) + ", cost " +
              fixed(cost, 0) + " s";
  return worth;
}

}  // namespace warpmind::daemon
