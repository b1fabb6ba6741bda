#include "daemon/scheduler/night_queue.h"

#include "base/model/spent_arithmetic.h"
#include "base/text.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpmind::daemon {
namespace {

/// What is left of a limit; nullopt when there is none. Not below 0.
template <class Number>
std::optional<Number> left(Number limit, Number used) {
  if (limit <= 0) return std::nullopt;
  return std::max<Number>(limit - used, 0);
}

/// `wanted`, or what is left if that is less; 0 asks for no limit. What was `kept` of earlier
/// starts is not spent again.
template <class Number>
Number capped(Number wanted, Number kept, std::optional<Number> rest) {
  if (!rest) return wanted;
  if (wanted <= 0) return kept + *rest;
  return kept + std::min(std::max<Number>(wanted - kept, 0), *rest);
}

Budget cap(Budget budget, const Spent& kept, const Spent& limit, const Spent& used) {
  budget.evaluations =
      capped(budget.evaluations, kept.evaluations, left(limit.evaluations, used.evaluations));
  budget.seconds = capped(budget.seconds, kept.seconds, left(limit.seconds, used.seconds));
  budget.gpu_seconds =
      capped(budget.gpu_seconds, kept.gpu_seconds, left(limit.gpu_seconds, used.gpu_seconds));
  budget.tokens = capped(budget.tokens, kept.tokens, left(limit.tokens, used.tokens));
  budget.micro_usd =
      capped(budget.micro_usd, kept.micro_usd, left(limit.micro_usd, used.micro_usd));
  return budget;
}

/// What a start may add to the ledger.
Spent reservation(const Budget& budget, const Spent& kept) {
  const auto rest = [](auto granted, auto before) {
    return std::max<decltype(granted)>(granted - before, 0);
  };
  return {rest(budget.evaluations, kept.evaluations), rest(budget.seconds, kept.seconds),
          rest(budget.gpu_seconds, kept.gpu_seconds), rest(budget.tokens, kept.tokens),
          rest(budget.micro_usd, kept.micro_usd)};
}

/// "3600 s of device time", or empty while something is left of every limit.
std::string reached(const Spent& limit, const Spent& used) {
  if (left(limit.evaluations, used.evaluations) == 0) {
    return std::to_string(limit.evaluations) + " candidates";
  }
  if (left(limit.seconds, used.seconds) == 0) return fixed(limit.seconds, 0) + " s of work";
  if (left(limit.gpu_seconds, used.gpu_seconds) == 0) {
    return fixed(limit.gpu_seconds, 0) + " s of device time";
  }
  if (left(limit.tokens, used.tokens) == 0) return std::to_string(limit.tokens) + " tokens";
  if (left(limit.micro_usd, used.micro_usd) == 0) {
    return fixed(static_cast<double>(limit.micro_usd) * 1e-6, 2) + " USD";
  }
  return {};
}

/// Its time has not come, or it rests after an error.
bool waits_for_time(const WaitingJob& job, const Moment& now) {
  return (job.terms.not_before && now.wall < *job.terms.not_before) ||
         (job.again && now.steady < *job.again);
}

}  // namespace

Result<void> NightQueue::set_rules(const knowledge_base::QueueRules& rules) {
  WARPMIND_TRY(quiet_, parse_hours(rules.quiet_hours));
  rules_ = rules;
  return {};
}

void NightQueue::charge(const std::string& night, const std::string& user, const Spent& spent) {
  if (night < night_) return;
  if (night > night_) ledger_.clear();
  night_ = night;
  ledger_[user] += spent;
}

void NightQueue::put(WaitingJob job) {
  const JobId id = job.id;
  waiting_.insert_or_assign(id, std::move(job));
}

std::optional<WaitingJob> NightQueue::take(const JobId& id) {
  auto node = waiting_.extract(id);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

const WaitingJob* NightQueue::find(const JobId& id) const {
  const auto found = waiting_.find(id);
  return found == waiting_.end() ? nullptr : &found->second;
}

const WaitingJob* NightQueue::leased(const JobId& id) const {
  const auto found = leased_.find(id);
  return found == leased_.end() ? nullptr : &found->second.job;
}

bool NightQueue::before(const WaitingJob& a, const WaitingJob& b) const {
  if (a.terms.background != b.terms.background) return b.terms.background;
  if (a.terms.priority != b.terms.priority) return a.terms.priority > b.terms.priority;
  if (!a.terms.background) return a.id < b.id;
  // What has kept steps goes on before anything new begins, as it would have without a restart.
  const auto begun = [](const WaitingJob& job) { return job.kept != Spent{}; };
  if (begun(a) != begun(b)) return begun(a);
  const auto share = [this](const WaitingJob& job) {
    const auto found = ledger_.find(job.terms.user);
    return found == ledger_.end() ? 0.0 : found->second.seconds;
  };
  return std::tuple(share(a), -a.worth.value, a.id) < std::tuple(share(b), -b.worth.value, b.id);
}

std::optional<Lease> NightQueue::claim(const Moment& now, Claimable which, const LaneSkills& lane) {
  const WaitingJob* best = nullptr;
  for (const auto& [id, job] : waiting_) {
    if (which == Claimable::awaited_jobs && job.terms.background) continue;
    if (!lane.take(job.provider)) continue;
    if (best != nullptr && !before(job, *best)) continue;
    if (obstacle(job, now).empty()) best = &job;
  }
  if (best == nullptr) return std::nullopt;
  Leased leased;
  leased.job = *take(best->id);
  const WaitingJob& job = leased.job;
  const bool background = job.terms.background;
  // What it cost in an earlier night moves along with it, before anything more is granted.
  if (background && job.terms.night != now.night) charge(now.night, job.terms.user, job.spent);
  leased.lease = {job.id, job.epoch + 1, grant(job, now), background ? now.night : std::string()};
  leased.ends = now.steady + kLeaseTime;
  if (background) leased.reserved = reservation(leased.lease.granted, job.kept);
  Lease lease = leased.lease;
  leased_.insert_or_assign(lease.id, std::move(leased));
  return lease;
}

void NightQueue::unclaim(const JobId& id) {
  auto node = leased_.extract(id);
  if (node.empty()) return;
  WaitingJob& job = node.mapped().job;
  const std::string& night = node.mapped().lease.night;
  if (job.terms.background && job.terms.night != night && night == night_) {
    ledger_[job.terms.user] -= job.spent;
  }
  put(std::move(job));
}

void NightQueue::renew(const JobId& id, const Moment& now) {
  const auto found = leased_.find(id);
  if (found != leased_.end()) found->second.ends = now.steady + kLeaseTime;
}

bool NightQueue::settle(const JobId& id, std::int64_t epoch, const Spent& cost) {
  const auto found = leased_.find(id);
  if (found == leased_.end() || found->second.lease.epoch != epoch) return false;
  const Leased& leased = found->second;
  if (leased.job.terms.background) charge(leased.lease.night, leased.job.terms.user, cost);
  leased_.erase(found);
  return true;
}

void NightQueue::ended(const JobId& id, JobState state) {
  for (auto& [other, job] : waiting_) {
    if (job.unfinished.erase(id) == 0 || state == JobState::done) continue;
    job.doomed = id.str() + ", which it comes after, is " + std::string(name_of(state));
  }
}

std::vector<Passing> NightQueue::tick(const Moment& now) {
  std::vector<Passing> passed;
  for (const auto& [id, job] : waiting_) {
    if (!job.doomed.empty()) {
      passed.push_back({Passing::Kind::doomed, id, job.epoch, job.doomed});
    } else if (job.terms.deadline && *job.terms.deadline < now.wall) {
      passed.push_back(
          {Passing::Kind::late, id, job.epoch, "its deadline passed before it was begun"});
    }
  }
  for (const auto& passing : passed) waiting_.erase(passing.id);
  for (auto at = leased_.begin(); at != leased_.end();) {
    if (at->second.ends > now.steady) {
      ++at;
      continue;
    }
    passed.push_back({Passing::Kind::lease_lost, at->first, at->second.lease.epoch,
                      "no sign of life for " + std::to_string(kLeaseTime.count()) + " s",
                      at->second.lease.night, at->second.job.spent});
    at = leased_.erase(at);
  }
  return passed;
}

bool NightQueue::quiet(const Moment& now) const { return quiet_ && quiet_->contain(now.minute); }

Spent NightQueue::spent(const std::string& night) const {
  Spent sum;
  if (night == night_) {
    for (const auto& [user, spent] : ledger_) sum += spent;
  }
  for (const auto& [id, leased] : leased_) {
    if (leased.lease.night == night) sum += leased.reserved;
  }
  return sum;
}

Spent NightQueue::spent(const std::string& night, const std::string& user) const {
  Spent sum;
  if (const auto found = ledger_.find(user); night == night_ && found != ledger_.end()) {
    sum = found->second;
  }
  for (const auto& [id, leased] : leased_) {
    if (leased.lease.night == night && leased.job.terms.user == user) sum += leased.reserved;
  }
  return sum;
}

std::string NightQueue::spent_up(const WaitingJob& job, const Moment& now) const {
  const std::string all = reached(rules_.night, spent(now.night));
  if (!all.empty()) return "the night has spent or reserved its " + all;
  const std::string own = reached(rules_.user, spent(now.night, job.terms.user));
  if (!own.empty()) return job.terms.user + " has spent or reserved " + own + " of this night";
  return {};
}

Budget NightQueue::grant(const WaitingJob& job, const Moment& now) const {
  if (!job.terms.background) return job.budget;
  return cap(cap(job.budget, job.kept, rules_.night, spent(now.night)), job.kept, rules_.user,
             spent(now.night, job.terms.user));
}

std::string NightQueue::obstacle(const WaitingJob& job, const Moment& now) const {
  if (!job.doomed.empty()) return job.doomed;
  if (job.held) return "it is paused: `warpmind queue resume " + job.id.str() + "`";
  if (!job.unfinished.empty()) return "it comes after " + job.unfinished.begin()->str();
  if (job.terms.not_before && now.wall < *job.terms.not_before) {
    return "it may start at " + local_clock(*job.terms.not_before, now.wall);
  }
  if (job.again && now.steady < *job.again) return "it failed a moment ago and is tried again soon";
  if (!job.terms.background) return {};
  if (quiet(now)) return "these are quiet hours (" + rules_.quiet_hours + ")";
  return spent_up(job, now);
}

std::int64_t NightQueue::waiting_for_time(const Moment& now) const {
  return std::count_if(waiting_.begin(), waiting_.end(),
                       [&now](const auto& entry) { return waits_for_time(entry.second, now); });
}

std::string NightQueue::why(const JobId& id, const Moment& now) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return {};
  const WaitingJob& job = found->second;
  if (std::string reason = obstacle(job, now); !reason.empty()) return reason;
  const WaitingJob* next = &job;
  std::int64_t better = 0;
  for (const auto& [other, candidate] : waiting_) {
    if (!before(candidate, job) || !obstacle(candidate, now).empty()) continue;
    ++better;
    if (next == &job || before(candidate, *next)) next = &candidate;
  }
  if (better == 0) return "it is next";
  return std::to_string(better) + (better == 1 ? " job comes" : " jobs come") +
         " before it, first " + next->id.str();
}

std::vector<const WaitingJob*> NightQueue::order(const Moment& now) const {
  std::vector<std::pair<bool, const WaitingJob*>> ranked;
  ranked.reserve(waiting_.size());
  for (const auto& [id, job] : waiting_) ranked.emplace_back(!obstacle(job, now).empty(), &job);
  std::sort(ranked.begin(), ranked.end(), [this](const auto& a, const auto& b) {
    return a.first != b.first ? b.first : before(*a.second, *b.second);
  });
  std::vector<const WaitingJob*> jobs;
  jobs.reserve(ranked.size());
  for (const auto& [blocked, job] : ranked) jobs.push_back(job);
  return jobs;
}

std::int64_t NightQueue::ahead_of(const JobId& id) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return 0;
  return std::count_if(waiting_.begin(), waiting_.end(),
                       [&](const auto& entry) { return before(entry.second, found->second); });
}

}  // namespace warpmind::daemon
