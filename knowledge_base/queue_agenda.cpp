#include "knowledge_base/queue_agenda.h"

#include "base/codec/model_json.h"
#include "knowledge_base/job_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/sealed_json.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// A job, its record here and its place in the log.
std::int64_t bytes_of(const JobRequest& request) {
  constexpr std::int64_t kRecords = std::int64_t{64} * 1024;
  return kRecords + 2 * static_cast<std::int64_t>(request.task.kernel.source.size() +
                                                  request.task.reference.size());
}

template <class T, class Decode>
Result<std::vector<T>> scanned(OpenBase& base, const std::string& prefix, const Decode& decode) {
  return base.read([&](const Database& database, const std::string&) -> Result<std::vector<T>> {
    std::vector<T> found;
    const Database::Range range{Family::budgets, prefix, ScanOrder::ascending};
    WARPMIND_CHECK(
        database.scan(range, [&](std::string_view, std::string_view value) -> Result<bool> {
          WARPMIND_TRY(auto one, decode(value));
          found.push_back(std::move(one));
          return true;
        }));
    return found;
  });
}

Result<void> put_series(ChangeSet& change, const JobSeries& series) {
  WARPMIND_TRY(auto bytes, encode_series(series));
  change.put(Family::budgets, series_key(number_of(series.first).value_or(0)), std::move(bytes));
  change.describe("series", {series.first.str(), series.current.str()});
  return {};
}

}  // namespace

Result<std::string> encode_series(const JobSeries& series) {
  return seal({{"first", series.first},
               {"every", series.every},
               {"request", series.request},
               {"current", series.current}},
              "series of jobs");
}

Result<JobSeries> decode_series(std::string_view bytes) {
  WARPMIND_TRY(const auto record, open_json(bytes, "series of jobs"));
  JobSeries series;
  WARPMIND_TRY(series.first, member(record, "first", series.first));
  WARPMIND_TRY(series.every, member(record, "every", series.every));
  WARPMIND_TRY(series.request, member(record, "request", series.request));
  WARPMIND_TRY(series.current, member(record, "current", series.current));
  return series;
}

Result<std::string> encode_proposal(const JobProposal& proposal) {
  return seal({{"subject", proposal.subject}, {"why", proposal.why}, {"job", proposal.job}},
              "proposal of a job");
}

Result<JobProposal> decode_proposal(std::string_view bytes) {
  WARPMIND_TRY(const auto record, open_json(bytes, "proposal of a job"));
  JobProposal proposal;
  WARPMIND_TRY(proposal.subject, member(record, "subject", proposal.subject));
  WARPMIND_TRY(proposal.why, member(record, "why", proposal.why));
  WARPMIND_TRY(proposal.job, member(record, "job", proposal.job));
  return proposal;
}

Result<Job> QueueAgenda::begin_series(const JobRequest& request, const std::string& every,
                                      UnixMillis now) {
  Job job;
  WARPMIND_CHECK(base_.write(bytes_of(request), [&](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(job, add_job(change, request, now));
    return put_series(change, {job.id, every, request, job.id});
  }));
  return job;
}

Result<Job> QueueAgenda::continue_series(const JobSeries& series, UnixMillis due, UnixMillis now) {
  Job job;
  WARPMIND_CHECK(base_.write(bytes_of(series.request), [&](ChangeSet& change) -> Result<void> {
    const std::string key = series_key(number_of(series.first).value_or(0));
    WARPMIND_TRY(const auto bytes, change.get(Family::budgets, key));
    if (!bytes) return fail(Errc::not_found, "the series " + series.first.str() + " has ended");
    WARPMIND_TRY(auto stored, decode_series(*bytes));
    if (stored.current != series.current) {
      return fail(Errc::conflict,
                  "the series " + series.first.str() + " has gone on to " + stored.current.str());
    }
    JobRequest request = stored.request;
    request.terms.not_before = due;
    WARPMIND_TRY(job, add_job(change, request, now));
    stored.current = job.id;
    return put_series(change, stored);
  }));
  return job;
}

Result<void> QueueAgenda::end_series(const JobId& first) {
  constexpr std::int64_t kBytes = 1024;
  return base_.write(kBytes, [&first](ChangeSet& change) -> Result<void> {
    change.erase(Family::budgets, series_key(number_of(first).value_or(0)));
    change.describe("series", {first.str()});
    return {};
  });
}

Result<std::vector<JobSeries>> QueueAgenda::series() const {
  return scanned<JobSeries>(base_, series_prefix(), decode_series);
}

Result<Job> QueueAgenda::propose(const JobRequest& request, const JobProposal& proposal, bool held,
                                 UnixMillis now) {
  Job job;
  const auto make = [&](ChangeSet& change) -> Result<void> {
    const std::string key = proposal_key(proposal.subject);
    WARPMIND_TRY(const auto known, change.get(Family::budgets, key));
    if (known) return fail(Errc::conflict, "it was proposed before: " + proposal.subject);
    WARPMIND_TRY(job, add_job(change, request, now));
    job.held = held;
    if (held) WARPMIND_CHECK(update_job(change, job));
    JobProposal made = proposal;
    made.job = job.id;
    WARPMIND_TRY(auto bytes, encode_proposal(made));
    change.put(Family::budgets, key, std::move(bytes));
    change.describe("proposal", {job.id.str()});
    return {};
  };
  WARPMIND_CHECK(base_.write(bytes_of(request), make));
  return job;
}

Result<std::vector<JobProposal>> QueueAgenda::proposals() const {
  return scanned<JobProposal>(base_, proposal_prefix(), decode_proposal);
}

}  // namespace warpmind::knowledge_base
