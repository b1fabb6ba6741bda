#include "knowledge_base/lease_fence.h"

#include <string>

namespace warpmind::knowledge_base {

Result<void> require_newest_lease(const Job& stored, const Job& job) {
  if (job.epoch >= stored.epoch) return {};
  return fail(Errc::conflict, job.id.str() + " was taken over: the lease " +
                                  std::to_string(job.epoch) + " is older than " +
                                  std::to_string(stored.epoch));
}

Result<void> require_no_result(const Job& job, bool has_episode) {
  if (!has_episode) return {};
  return fail(Errc::conflict, job.id.str() + " has ended with an episode, which stays");
}

Result<void> require_lease(const Job& stored, const Job& job) {
  WARPMIND_CHECK(require_newest_lease(stored, job));
  if (stored.state == JobState::running) return {};
  if (stored.state == JobState::queued) {
    if (stored.epoch == 0) return {};
    return fail(Errc::conflict, job.id.str() + " is queued again: the lease " +
                                    std::to_string(job.epoch) + " was given back");
  }
  return fail(Errc::conflict,
              "job " + job.id.str() + " has ended: " + std::string(name_of(stored.state)));
}

Result<void> require_draft_lease(const Job& stored, const Draft& draft) {
  if (stored.state != JobState::queued && stored.state != JobState::running) {
    return fail(Errc::conflict,
                stored.id.str() + " has ended: " + std::string(name_of(stored.state)));
  }
  if (draft.epoch == stored.epoch) return {};
  return fail(Errc::conflict, stored.id.str() + " was taken over: the draft bears the lease " +
                                  std::to_string(draft.epoch) + ", the newest is " +
                                  std::to_string(stored.epoch));
}

void take_bookkeeping(Job& stored, const Job& job) {
  stored.state = job.state;
  stored.attempts = job.attempts;
  stored.error = job.error;
  stored.epoch = job.epoch;
  stored.held = job.held;
  stored.dead = job.dead;
  stored.history = job.history;
  stored.spent = job.spent;
}

}  // namespace warpmind::knowledge_base
