#include "daemon/handlers/guest_handlers.h"

#include "base/job_names.h"
#include "daemon/handlers/job_request.h"
#include "daemon/protocol/guest_messages.h"

#include <utility>

namespace warpmind::daemon {
namespace {

constexpr double kWeek = 7.0 * 24 * 3600;  // s

Result<agents::ExternalEpisodes*> served(const GuestAccess& access) {
  if (access.guests != nullptr) return access.guests;
  return fail(Errc::unavailable, "this daemon serves no external episodes");
}

Result<JobRequest> request_for(const protocol::EpisodeOpenParams& params,
                               const GuestAccess& access) {
  protocol::JobOptions submit;
  submit.evaluations = params.evaluations;
  submit.seconds = params.seconds.value_or(kWeek);
  submit.provider = params.provider;
  submit.device = params.device;
  submit.gpu_seconds = params.gpu_seconds;
  submit.effort = params.effort;
  submit.proposer = kExternalProposer;
  submit.policy = "greedy";
  WARPMIND_TRY(auto request,
               job_request_of(params.directory, submit, access.settings, access.machine));
  if (request.provider_automatic && access.machine().mode != "gpu")
    request.provider = Provider::sim;
  return request;
}

Handler<protocol::EpisodeOpenParams, EpisodeBrief> open(const GuestAccess& access) {
  return [access](const protocol::EpisodeOpenParams& params,
                  RequestContext& /*context*/) -> Result<EpisodeBrief> {
    WARPMIND_TRY(auto* guests, served(access));
    WARPMIND_TRY(const auto request, request_for(params, access));
    return guests->open(request);
  };
}

Handler<protocol::EpisodeParams, EpisodeBrief> brief(const GuestAccess& access) {
  return [access](const protocol::EpisodeParams& params,
                  RequestContext& /*context*/) -> Result<EpisodeBrief> {
    WARPMIND_TRY(auto* guests, served(access));
    return guests->brief(JobId(params.job_id));
  };
}

Handler<protocol::EpisodeSubmitParams, protocol::EpisodeSubmitResult> submit(
    const GuestAccess& access) {
  return [access](const protocol::EpisodeSubmitParams& params,
                  RequestContext& /*context*/) -> Result<protocol::EpisodeSubmitResult> {
    WARPMIND_TRY(auto* guests, served(access));
    WARPMIND_TRY(auto feedback, guests->submit(JobId(params.job_id), params));
    return protocol::EpisodeSubmitResult{params.job_id,
                                         feedback.step,
                                         std::move(feedback.judged.verdict),
                                         feedback.judged.promotion,
                                         std::move(feedback.judged.gradient),
                                         feedback.accepted,
                                         feedback.known};
  };
}

Handler<protocol::EpisodeCloseParams, protocol::EpisodeCloseResult> close(
    const GuestAccess& access) {
  return [access](const protocol::EpisodeCloseParams& params,
                  RequestContext& /*context*/) -> Result<protocol::EpisodeCloseResult> {
    WARPMIND_TRY(auto* guests, served(access));
    const std::string why = params.reason.empty() ? "closed by its author" : params.reason;
    WARPMIND_TRY(const auto episode, guests->close(JobId(params.job_id), why));
    return protocol::EpisodeCloseResult{params.job_id,
                                        episode.id.str(),
                                        episode.outcome,
                                        episode.summary,
                                        static_cast<std::int64_t>(episode.steps.size()) - 1,
                                        episode.best_step};
  };
}

}  // namespace

void add_guest_methods(Dispatcher& dispatcher, const GuestAccess& access) {
  using enum Execution;
  dispatcher.add(protocol::kEpisodeOpen, guest, open(access));
  dispatcher.add(protocol::kEpisodeBrief, guest, brief(access));
  dispatcher.add(protocol::kEpisodeSubmit, guest, submit(access));
  dispatcher.add(protocol::kEpisodeClose, guest, close(access));
}

}  // namespace warpmind::daemon
