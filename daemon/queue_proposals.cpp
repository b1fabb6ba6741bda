#include "daemon/queue_proposals.h"

#include "base/job_names.h"
#include "base/log.h"
#include "base/text.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kRecent = 64;      // jobs that are looked at
constexpr std::size_t kMostAtOnce = 8;    // proposals of one look
constexpr std::size_t kMostWaiting = 32;  // proposals that nobody has decided on
constexpr std::int64_t kPriority = -50;   // below what people queue
constexpr const char* kUser = "daemon";

/// The measurement of the given kernel; null when nothing was measured.
const Measurement* measured(const Job& job) {
  if (job.state != JobState::done || !job.episode || job.episode->steps.empty()) return nullptr;
  const auto& measurement = job.episode->steps.front().verdict.measurement;
  return measurement && job.episode->provider == Provider::gpu ? &*measurement : nullptr;
}

double speedup(const Job& job) {
  const auto& best = job.episode->best_against_baseline;
  return best ? best->ratio : 1;
}

/// The same question once more, in the background, without the models that cost money.
JobRequest again(const Job& job) {
  JobRequest request = job.request;
  request.terms = {};
  request.terms.background = true;
  request.terms.user = kUser;
  request.terms.priority = kPriority;
  request.proposer = kBuiltinProposer;
  request.replay_file.clear();
  request.model.clear();
  request.seed = 0;
  return request;
}

/// What is new about the machine since `then`: kind, before, now. Empty kind = nothing.
struct Change {
  std::string kind;
  std::string before;
  std::string now;
};

Change change_since(const Measurement& then, const MachineNow& now) {
  if (then.device.name != now.device.name) return {"device", then.device.name, now.device.name};
  if (then.device.driver != now.device.driver) {
    return {"driver", then.device.driver, now.device.driver};
  }
  if (!now.toolkit.empty() && then.toolkit != now.toolkit) {
    return {"toolkit", then.toolkit, now.toolkit};
  }
  return {};
}

ProposedJob retune_of(const Job& job, const Change& change, const MachineNow& now) {
  ProposedJob made{again(job), {}};
  made.request.provider = Provider::gpu;
  made.request.provider_automatic = false;
  const std::string& task = job.request.task.name;
  made.proposal.subject =
      change.kind + ' ' + now.device.name + ' ' + change.now + ' ' + job.request.task.id.str();
  made.proposal.why = "the " + change.kind + " is " + change.now + " now; " + task +
                      " was last measured with " + change.before + " (" + job.id.str() + ", " +
                      fixed(speedup(job), 2) + "x)";
  return made;
}

std::string sides_of(const Insight& insight) {
  const auto for_it = std::count_if(insight.evidence.begin(), insight.evidence.end(),
                                    [](const EvidenceRef& one) { return one.supports; });
  const auto against = static_cast<std::ptrdiff_t>(insight.evidence.size()) - for_it;
  return std::to_string(for_it) + " for it, " + std::to_string(against) + " against it";
}

}  // namespace

std::vector<ProposedJob> retunes(const std::vector<Job>& recent, const MachineNow& now) {
  std::vector<std::pair<double, ProposedJob>> found;
  std::set<TaskId> seen;
  std::set<TaskId> current;  // measured with what there is now, whatever came later elsewhere
  for (const auto& job : recent) {
    const Measurement* const then = measured(job);
    if (then != nullptr && change_since(*then, now).kind.empty())
      current.insert(job.request.task.id);
  }
  for (const auto& job : recent) {
    const Measurement* const then = measured(job);
    if (then == nullptr || current.contains(job.request.task.id)) continue;
    if (!seen.insert(job.request.task.id).second) continue;
    found.emplace_back(speedup(job), retune_of(job, change_since(*then, now), now));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ProposedJob> jobs;
  jobs.reserve(found.size());
  for (auto& [gain, job] : found) jobs.push_back(std::move(job));
  return jobs;
}

std::vector<ProposedJob> tie_breaks(const std::vector<Insight>& contested,
                                    const std::vector<Job>& recent) {
  std::vector<ProposedJob> jobs;
  for (const auto& insight : contested) {
    std::map<TaskId, std::set<bool>> sides;
    for (const auto& one : insight.evidence) sides[one.task].insert(one.supports);
    const Job* best = nullptr;
    for (const auto& job : recent) {
      const auto found = sides.find(job.request.task.id);
      if (job.state != JobState::done || found == sides.end()) continue;
      const bool is_split = found->second.size() == 2;
      if (best == nullptr || (is_split && sides.at(best->request.task.id).size() < 2)) best = &job;
    }
    if (best == nullptr) continue;
    ProposedJob made{again(*best), {}};
    made.proposal.subject =
        "insight " + insight.id.str() + ' ' + std::to_string(insight.evidence.size());
    made.proposal.why = "the evidence of " + insight.id.str() + " (" +
                        insight.claim.substr(0, insight.claim.find('.')).substr(0, 80) +
                        ") contradicts itself: " + sides_of(insight) + "; " +
                        best->request.task.name + " can decide";
    jobs.push_back(std::move(made));
  }
  return jobs;
}

Result<std::size_t> QueueProposals::look() {
  std::size_t waiting = 0;
  for (const auto& line : parts_.scheduler.list()) waiting += line.proposed && line.held ? 1 : 0;
  if (waiting >= kMostWaiting) return std::size_t{0};
  WARPMIND_TRY(const auto recent, parts_.base.store().recent_jobs(kRecent));
  WARPMIND_TRY(const auto contested, parts_.base.insights().in_state(InsightState::contested));
  std::vector<ProposedJob> thoughts = tie_breaks(contested, recent);
  if (parts_.machine) {
    if (const auto now = parts_.machine()) {
      auto measured_anew = retunes(recent, *now);
      thoughts.insert(thoughts.begin(), std::make_move_iterator(measured_anew.begin()),
                      std::make_move_iterator(measured_anew.end()));
    }
  }
  std::size_t made = 0;
  for (const auto& thought : thoughts) {
    if (made == kMostAtOnce || waiting + made == kMostWaiting) break;
    if (parts_.scheduler.was_proposed(thought.proposal.subject)) continue;
    WARPMIND_CHECK(parts_.scheduler.propose(thought.request, thought.proposal, !parts_.runs));
    ++made;
  }
  return made;
}

}  // namespace warpmind::daemon
