#include "daemon/handlers/job_request.h"

#include "base/job_names.h"
#include "base/sequence.h"
#include "base/text.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kMostEvaluations = 100'000;

/// Errors: invalid_argument with all of `words`, unless `word` is one of them.
template <std::size_t N>
Result<void> check_word(const char* parameter, const std::string& word,
                        const std::array<std::string_view, N>& words) {
  if (contains(words, word)) return {};
  return fail(Errc::invalid_argument, std::string("'") + parameter + "' must be " +
                                          join_choices(words) + ", not '" + word.substr(0, 64) +
                                          "'");
}

Result<void> set_provider(const protocol::JobOptions& options, const config::Settings& settings,
                          JobRequest& request) {
  const std::string& name = options.provider.empty() ? settings.lab.provider : options.provider;
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

Result<Budget> budget_of(const protocol::JobOptions& options, const config::Settings& settings) {
  Budget budget;
  budget.evaluations = options.evaluations.value_or(settings.episode.evaluations);
  budget.seconds = options.seconds.value_or(settings.episode.seconds);
  if (budget.evaluations < 0 || budget.evaluations > kMostEvaluations) {
    return fail(Errc::invalid_argument, "'evaluations' must be from 0 to " +
                                            std::to_string(kMostEvaluations) + ", not " +
                                            std::to_string(budget.evaluations));
  }
  budget.tokens = options.tokens.value_or(settings.episode.tokens);
  budget.micro_usd = std::llround(options.usd.value_or(settings.episode.usd) * 1e6);
  budget.gpu_seconds = options.gpu_seconds.value_or(0);
  return budget;
}

Result<void> check_proposer(const JobRequest& request) {
  WARPMIND_CHECK(check_word("proposer", request.proposer, kProposerNames));
  if (request.proposer != kReplayProposer) return {};
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

/// The options that the request has as they were given; what is absent comes from the settings.
Result<void> keep_options(const protocol::JobOptions& options, const config::Settings& settings,
                          JobRequest& request) {
  static_cast<KeptOptions&>(request) = static_cast<const KeptOptions&>(options);
  if (request.proposer.empty()) request.proposer = kBuiltinProposer;
  if (request.fixture_directory.empty()) {
    request.fixture_directory = settings.lab.fixture_directory.string();
  }
  if (request.policy.empty()) request.policy = settings.episode.policy;
  if (!request.workers) request.workers = settings.episode.workers;
  if (!request.seed) request.seed = 0;
  WARPMIND_CHECK(check_proposer(request));
  WARPMIND_CHECK(check_word("policy", request.policy, kPolicyNames));
  if (options.model.empty() || request.proposer == kModelProposer) return {};
  return fail(Errc::invalid_argument,
              "'model' is for the proposer 'llm', not '" + request.proposer + "'");
}

Result<Effort> effort_of(const protocol::JobOptions& options, const config::Settings& settings) {
  const std::string& name = options.effort.empty() ? settings.lab.effort : options.effort;
  if (const auto effort = parse_enum<Effort>(name)) return *effort;
  return fail(Errc::invalid_argument, "'effort' must be one of " + all_names_of<Effort>() +
                                          ", not '" + name.substr(0, 64) + "'");
}

}  // namespace

Result<config::LoadedTask> load_named_task(const std::string& directory) {
  const std::filesystem::path path(directory);
  if (path.is_absolute()) return config::load_task(path);
  return fail(Errc::invalid_argument,
              "'directory' must be an absolute path, not '" + directory.substr(0, 256) + "'");
}

Result<JobRequest> request_without_task(const protocol::JobOptions& options,
                                        const config::Settings& settings,
                                        const MachineView& machine) {
  WARPMIND_CHECK(check_options(options, OptionNames::members));
  JobRequest request;
  WARPMIND_CHECK(set_provider(options, settings, request));
  WARPMIND_TRY(request.budget, budget_of(options, settings));
  WARPMIND_CHECK(keep_options(options, settings, request));
  WARPMIND_TRY(request.effort, effort_of(options, settings));
  WARPMIND_CHECK(check_admission(options, request, settings, machine));
  return request;
}

Result<JobRequest> job_request_of(const std::string& directory, const protocol::JobOptions& options,
                                  const config::Settings& settings, const MachineView& machine) {
  WARPMIND_TRY(JobRequest request, request_without_task(options, settings, machine));
  WARPMIND_TRY(auto loaded, load_named_task(directory));
  request.task = std::move(loaded.task);
  return request;
}

}  // namespace warpmind::daemon
