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

protocol::EpisodeBriefResult reply_of(agents::Brief brief, double lease_s) {
  return {brief.job.str(),
          brief.episode.str(),
          brief.step,
          std::move(brief.kernel),
          brief.best_ratio,
          std::move(brief.bottleneck),
          std::move(brief.metrics),
          std::move(brief.advice),
          std::move(brief.device),
          std::move(brief.last.text),
          std::move(brief.contract),
          std::move(brief.forbidden),
          brief.evaluations_left,
          lease_s,
          std::move(brief.launches)};
}

agents::Submission submission_of(const protocol::EpisodeSubmitParams& params) {
  return {
      params.source,    params.plan,       params.build_flags, params.edits.value_or(-1),
      params.technique, params.parameters, params.rationale,   params.predicted_gain.value_or(1),
      params.author,    params.model};
}

Handler<protocol::EpisodeOpenParams, protocol::EpisodeBriefResult> open(const GuestAccess& access) {
  return [access](const protocol::EpisodeOpenParams& params,
                  RequestContext& /*context*/) -> Result<protocol::EpisodeBriefResult> {
    WARPMIND_TRY(auto* guests, served(access));
    WARPMIND_TRY(const auto request, request_for(params, access));
    WARPMIND_TRY(auto brief, guests->open(request));
    return reply_of(std::move(brief), guests->lease_seconds());
  };
}

Handler<protocol::EpisodeParams, protocol::EpisodeBriefResult> brief(const GuestAccess& access) {
  return [access](const protocol::EpisodeParams& params,
                  RequestContext& /*context*/) -> Result<protocol::EpisodeBriefResult> {
    WARPMIND_TRY(auto* guests, served(access));
    WARPMIND_TRY(auto brief, guests->brief(JobId(params.job_id)));
    return reply_of(std::move(brief), guests->lease_seconds());
  };
}

Handler<protocol::EpisodeSubmitParams, protocol::EpisodeSubmitResult> submit(
    const GuestAccess& access) {
  return [access](const protocol::EpisodeSubmitParams& params,
                  RequestContext& /*context*/) -> Result<protocol::EpisodeSubmitResult> {
    WARPMIND_TRY(auto* guests, served(access));
    WARPMIND_TRY(auto feedback, guests->submit(JobId(params.job_id), submission_of(params)));
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
