#include "knowledge_base/job_records.h"

#include "knowledge_base/fault_points.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/lease_fence.h"
#include "knowledge_base/record_codec.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

Error no_such_job(const JobId& id) { return {Errc::not_found, "there is no job " + id.str()}; }

}  // namespace

Result<Job> add_job(ChangeSet& change, const JobRequest& request, UnixMillis now) {
  const std::int64_t number = change.state().next_job++;
  StoredJob stored;
  stored.job.id = job_id(number);
  stored.job.request = request;
  stored.job.submitted = now;
  WARPMIND_TRY(auto bytes, encode_job(stored));
  change.add(Family::jobs, job_key(number), std::move(bytes));
  WARPMIND_TRY(auto mark, encode_number(number));
  change.put(Family::jobs, unfinished_job_key(number), std::move(mark));
  change.describe("job_added", {stored.job.id.str()});
  return std::move(stored.job);
}

Result<StoredJob> load_job(const ChangeSet& change, const JobId& id) {
  const auto number = number_of(id);
  if (!number) return fail(no_such_job(id));
  WARPMIND_TRY(const auto bytes, change.get(Family::jobs, job_key(*number)));
  if (!bytes) return fail(no_such_job(id));
  return decode_job(*bytes);
}

Result<void> save_draft(ChangeSet& change, const Draft& draft) {
  const auto number = number_of(draft.episode.id);
  if (!number) {
    return fail(Errc::not_found, "there is no job of episode " + draft.episode.id.str());
  }
  WARPMIND_TRY(auto stored, load_job(change, job_id(*number)));
  WARPMIND_CHECK(require_draft_lease(stored.job, draft));
  WARPMIND_TRY(auto bytes, encode_draft(draft));
  change.put(Family::jobs, draft_key(*number), std::move(bytes));
  if (stored.job.spent != draft.job_spent) {
    stored.job.spent = draft.job_spent;
    WARPMIND_CHECK(save_job(change, stored));
  }
  change.describe("draft", {stored.job.id.str()});
  return {};
}

Result<void> save_job(ChangeSet& change, const StoredJob& stored) {
  const auto number = number_of(stored.job.id);
  if (!number) return fail(no_such_job(stored.job.id));
  WARPMIND_TRY(auto bytes, encode_job(stored));
  change.put(Family::jobs, job_key(*number), std::move(bytes));
  if (is_unfinished(stored.job.state)) {
    WARPMIND_TRY(auto mark, encode_number(*number));
    change.put(Family::jobs, unfinished_job_key(*number), std::move(mark));
  } else if (!fault::seeded(SeededBug::ended_job_left_unfinished)) {
    change.erase(Family::jobs, unfinished_job_key(*number));
    change.erase(Family::jobs, draft_key(*number));
  }
  return {};
}

Result<void> update_job(ChangeSet& change, const Job& job) {
  WARPMIND_TRY(auto stored, load_job(change, job.id));
  if (!fault::seeded(SeededBug::unfenced_commit)) {
    WARPMIND_CHECK(require_newest_lease(stored.job, job));
  }
  WARPMIND_CHECK(require_no_result(job, stored.episode.has_value()));
  const auto number = number_of(job.id);
  const std::string before = std::exchange(stored.job.request.terms, job.request.terms).night;
  const std::string& night = job.request.terms.night;
  if (before != night) {
    if (!before.empty()) change.erase(Family::jobs, night_job_key(before, *number));
    if (!night.empty()) change.put(Family::jobs, night_job_key(night, *number), {});
  }
  take_bookkeeping(stored.job, job);
  WARPMIND_CHECK(save_job(change, stored));
  change.describe("job_updated", {job.id.str(), std::string(warpmind::name_of(job.state))});
  return {};
}

}  // namespace warpmind::knowledge_base
