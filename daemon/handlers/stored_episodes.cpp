#include "daemon/handlers/stored_episodes.h"

#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"

#include <algorithm>
#include <charconv>

namespace warpmind::daemon {
namespace {

using knowledge_base::KnowledgeStore;

constexpr std::size_t kDigits = 10;

std::string numbered(std::string_view prefix, std::int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(prefix) + std::string(kDigits - std::min(kDigits, digits.size()), '0') +
         digits;
}

Result<std::int64_t> number_in(const std::string& id) {
  const std::string_view text = id;
  const bool prefixed = text.starts_with("e-") || text.starts_with("j-");
  const std::string_view digits = prefixed ? text.substr(2) : text;
  std::int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!digits.empty() && digits.size() <= kDigits && read.ec == std::errc{} &&
      read.ptr == digits.data() + digits.size() && number > 0) {
    return number;
  }
  return fail(Errc::invalid_argument,
              quoted_name(id) + " is no episode; write 7, e-0000000007, j-0000000007 or last");
}

/// 0 = there are none.
Result<std::int64_t> newest_job(const KnowledgeStore& store) {
  WARPMIND_TRY(const auto newest, store.recent_records(1));
  if (newest.empty()) return std::int64_t{0};
  return number_in(newest.front().id.str());
}

Result<Job> last_job(const KnowledgeStore& store) {
  WARPMIND_TRY(const std::int64_t newest, newest_job(store));
  for (std::int64_t number = newest; number > 0; --number) {
    WARPMIND_TRY(auto job, store.find_job(JobId(numbered("j-", number))));
    if (job && job->episode) return std::move(*job);
  }
  return fail(Errc::not_found, "the base holds no episode yet; `warpmind optimize DIR` makes one");
}

/// The steps that a job has taken so far, when it goes on; the store keeps them after each one.
Result<std::optional<Episode>> unfinished_episode(const KnowledgeStore& store, const Job& job,
                                                  std::int64_t number) {
  if (job.state != JobState::queued && job.state != JobState::running) {
    return std::optional<Episode>();
  }
  WARPMIND_TRY(auto draft, store.find_draft(EpisodeId(numbered("e-", number))));
  if (!draft || draft->episode.steps.empty()) return std::optional<Episode>();
  return std::optional<Episode>(std::move(draft->episode));
}

std::string why_without(const Job& job) {
  switch (job.state) {
    case JobState::queued:
    case JobState::running: return " has not judged its given kernel yet";
    case JobState::failed: return " failed before the baseline was judged: " + job.error;
    default: return " ended before the baseline was judged";
  }
}

}  // namespace

Result<Job> job_with_episode(const KnowledgeStore& store, const std::string& id) {
  if (id == "last") return last_job(store);
  WARPMIND_TRY(const std::int64_t number, number_in(id));
  WARPMIND_TRY(auto job, store.find_job(JobId(numbered("j-", number))));
  if (job && job->episode) return std::move(*job);
  if (job) {
    WARPMIND_TRY(job->episode, unfinished_episode(store, *job, number));
    if (job->episode) return std::move(*job);
  }
  // An episode is numbered as its job, but may be there without it.
  WARPMIND_TRY(auto episode, store.find_episode(EpisodeId(numbered("e-", number))));
  if (episode) {
    Job alone;
    alone.state = JobState::done;
    alone.episode = std::move(episode);
    return alone;
  }
  if (!job) return fail(Errc::not_found, "there is no episode or job " + quoted_name(id));
  return fail(Errc::conflict, job->id.str() + why_without(*job) + "; it has no episode");
}

Result<void> visit_episodes(const KnowledgeStore& store, const VisitJob& visit) {
  WARPMIND_TRY(const std::int64_t newest, newest_job(store));
  for (std::int64_t number = 1; number <= newest; ++number) {
    WARPMIND_TRY(auto job, store.find_job(JobId(numbered("j-", number))));
    if (job && job->episode) WARPMIND_CHECK(visit(number, std::move(*job)));
  }
  return {};
}

Result<std::vector<Exchange>> exchanges_of(const KnowledgeStore& store, const Episode& episode,
                                           std::size_t position) {
  // An older build kept them in the step.
  const auto& own = episode.steps[position].exchanges;
  if (!own.empty()) return own;
  return store.find_exchanges(episode.id, position);
}

}  // namespace warpmind::daemon
