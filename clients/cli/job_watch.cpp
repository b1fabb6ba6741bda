#include "clients/cli/job_watch.h"

namespace warpmind::clients {

Result<JobState> JobWatch::follow() {
  client_.on_tick(std::chrono::seconds(1), [this] { display_.tick(); });
  auto end = to_the_end();
  client_.on_tick(kNoTimeout, {});
  return end;
}

Result<JobState> JobWatch::to_the_end() {
  while (true) {
    auto end = client_.wait_for_end(job_);
    if (end || end.error().code != Errc::cancelled) return explained(std::move(end));
    interrupts_.drain();
    if (asked_) return left();
    asked_ = true;
    display_.note("warpmind: cancelling " + job_ +
                  "; what was measured so far is kept (Ctrl-C again leaves at once)");
    const auto answer = client_.cancel(job_);
    if (answer && answer->state == JobState::cancelled) return JobState::cancelled;
    if (answer || answer.error().code == Errc::conflict) continue;  // it ends, or has ended
    if (answer.error().code == Errc::cancelled) return left();
    return explained(fail(answer.error()));
  }
}

tl::unexpected<Error> JobWatch::left() const {
  return fail(Errc::cancelled, "left while " + job_ +
                                   " is still being ended; look at it later with `warpmind "
                                   "result " +
                                   job_ + "`");
}

Result<JobState> JobWatch::explained(Result<JobState> end) const {
  if (end) return end;
  return fail(with_the_way_back(std::move(end).error(), client_, job_));
}

Error with_the_way_back(Error error, const DaemonClient& client, const std::string& job) {
  if (client.connected()) return error;
  error.message += "; " + job + " is kept and goes on when a daemon runs: `warpmind attach " + job +
                   "` follows it";
  return error;
}

}  // namespace warpmind::clients
