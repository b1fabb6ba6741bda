#include "config/task_file.h"
#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kMostEvaluations = 100'000;
constexpr double kLongest = 7.0 * 24 * 3600;  // s

Result<void> set_provider(const protocol::TaskSubmitParams& params,
                          const config::Settings& settings, JobRequest& request) {
  const std::string& name = params.provider.empty() ? settings.lab.provider : params.provider;
  request.device = params.device;
  if (name == "auto") {
    request.provider = Provider::gpu;
    request.provider_automatic = true;
    return {};
  }
  const auto provider = parse_enum<Provider>(name);
  if (!provider) {
    return fail(Errc::invalid_argument, "'provider' must be auto or one of " +
                                            all_names_of<Provider>() + ", not '" +
                                            name.substr(0, 64) + "'");
  }
  request.provider = *provider;
  return {};
}

Result<Budget> budget_of(const protocol::TaskSubmitParams& params,
                         const config::Settings& settings) {
  Budget budget;
  budget.evaluations = params.evaluations.value_or(settings.episode.evaluations);
  budget.seconds = params.seconds.value_or(settings.episode.seconds);
  if (budget.evaluations < 0 || budget.evaluations > kMostEvaluations) {
    return fail(Errc::invalid_argument, "'evaluations' must be from 0 to " +
                                            std::to_string(kMostEvaluations) + ", not " +
                                            std::to_string(budget.evaluations));
  }
  if (!(budget.seconds > 0 && budget.seconds <= kLongest)) {
    return fail(Errc::invalid_argument,
                "'seconds' must be above 0 and at most 604800 (a week), not " +
                    std::to_string(budget.seconds));
  }
  return budget;
}

Result<void> check_proposer(const JobRequest& request) {
  if (request.proposer == "builtin") return {};
  if (request.proposer != "replay") {
    return fail(Errc::invalid_argument, "'proposer' must be 'builtin' or 'replay', not '" +
                                            request.proposer.substr(0, 64) + "'");
  }
  const std::filesystem::path file(request.replay_file);
  std::error_code ec;
  if (!file.is_absolute() || !std::filesystem::is_regular_file(file, ec)) {
    return fail(Errc::invalid_argument,
                "the proposer 'replay' needs 'replay_file': the absolute path of a file of "
                "candidates, not '" +
                    request.replay_file.substr(0, 256) + "'");
  }
  return {};
}

Result<JobRequest> request_of(const protocol::TaskSubmitParams& params,
                              const config::Settings& settings) {
  const std::filesystem::path directory(params.directory);
  if (!directory.is_absolute()) {
    return fail(Errc::invalid_argument, "'directory' must be an absolute path, not '" +
                                            params.directory.substr(0, 256) + "'");
  }
  JobRequest request;
  WARPMIND_CHECK(set_provider(params, settings, request));
  WARPMIND_TRY(request.budget, budget_of(params, settings));
  request.proposer = params.proposer.empty() ? "builtin" : params.proposer;
  request.replay_file = params.replay_file;
  request.fixture_directory = params.fixture_directory.empty()
                                  ? settings.lab.fixture_directory.string()
                                  : params.fixture_directory;
  WARPMIND_CHECK(check_proposer(request));
  WARPMIND_TRY(auto loaded, config::load_task(directory));
  request.task = std::move(loaded.task);
  return request;
}

}  // namespace

Handler<protocol::TaskSubmitParams, protocol::TaskSubmitResult> task_submit(
    Scheduler& scheduler, Subscriptions& subscriptions, const config::Settings& settings) {
  return [&](const protocol::TaskSubmitParams& params,
             RequestContext& context) -> Result<protocol::TaskSubmitResult> {
    WARPMIND_TRY(const JobRequest request, request_of(params, settings));
    if (context.stop.stop_requested()) return fail(Errc::cancelled, "the request was cancelled");
    WARPMIND_TRY(const Submitted submitted, scheduler.submit(request));
    if (params.watch) {
      JobEvent accepted;
      accepted.progress.job_id = submitted.id.str();
      accepted.progress.state = JobState::queued;
      accepted.progress.steps = request.budget.evaluations;
      accepted.progress.line = "queued";
      context.after_reply = [&subscriptions, connection = context.connection, id = submitted.id,
                             accepted] { subscriptions.watch(connection, id, accepted); };
    }
    return protocol::TaskSubmitResult{submitted.id.str(), submitted.ahead};
  };
}

}  // namespace warpmind::daemon
