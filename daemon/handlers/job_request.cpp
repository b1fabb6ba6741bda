#include "daemon/handlers/job_request.h"

#include "base/job_names.h"
#include "base/sequence.h"
#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kMostEvaluations = 100'000;
constexpr double kLongest = 7.0 * 24 * 3600;  // s
constexpr std::int64_t kMostWorkers = 64;
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr double kMostUsd = 1e6;

/// Errors: invalid_argument with all of `words`, unless `word` is one of them.
template <std::size_t N>
Result<void> check_word(const char* parameter, const std::string& word,
                        const std::array<std::string_view, N>& words) {
  if (contains(words, word)) return {};
  return fail(Errc::invalid_argument, std::string("'") + parameter + "' must be " +
                                          join_choices(words) + ", not '" + word.substr(0, 64) +
                                          "'");
}

/// Errors: invalid_argument outside 0 … `most`; NaN is outside.
Result<double> amount(const char* parameter, double value, double most) {
  if (value >= 0 && value <= most) return value;
  return fail(Errc::invalid_argument, std::string("'") + parameter +
                                          "' must be at least 0 and at most " + fixed(most, 0) +
                                          ", not " + fixed(value, 3));
}

Result<void> set_provider(const protocol::JobOptions& options, const config::Settings& settings,
                          JobRequest& request) {
  const std::string& name = options.provider.empty() ? settings.lab.provider : options.provider;
  request.device = options.device;
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
  if (!(budget.seconds > 0 && budget.seconds <= kLongest)) {
    return fail(Errc::invalid_argument,
                "'seconds' must be above 0 and at most 604800 (a week), not " +
                    std::to_string(budget.seconds));
  }
  WARPMIND_TRY(budget.tokens,
               within("tokens", options.tokens.value_or(settings.episode.tokens), 0, kMostTokens));
  WARPMIND_TRY(const double usd,
               amount("usd", options.usd.value_or(settings.episode.usd), kMostUsd));
  budget.micro_usd = std::llround(usd * 1e6);
  WARPMIND_TRY(budget.gpu_seconds,
               amount("gpu_seconds", options.gpu_seconds.value_or(0), kLongest));
  return budget;
}

Result<void> set_search(const protocol::JobOptions& options, const config::Settings& settings,
                        JobRequest& request) {
  request.policy = options.policy.empty() ? settings.episode.policy : options.policy;
  WARPMIND_CHECK(check_word("policy", request.policy, kPolicyNames));
  WARPMIND_TRY(
      request.workers,
      within("workers", options.workers.value_or(settings.episode.workers), 1, kMostWorkers));
  WARPMIND_TRY(const std::int64_t seed, within("seed", options.seed.value_or(0), 0, INT64_MAX));
  request.seed = static_cast<std::uint64_t>(seed);
  if (!options.model.empty() && request.proposer != kModelProposer) {
    return fail(Errc::invalid_argument,
                "'model' is for the proposer 'llm', not '" + request.proposer + "'");
  }
  request.model = options.model;
  return {};
}

Result<Effort> effort_of(const protocol::JobOptions& options, const config::Settings& settings) {
  const std::string& name = options.effort.empty() ? settings.lab.effort : options.effort;
  if (const auto effort = parse_enum<Effort>(name)) return *effort;
  return fail(Errc::invalid_argument, "'effort' must be one of " + all_names_of<Effort>() +
                                          ", not '" + name.substr(0, 64) + "'");
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
  JobRequest request;
  WARPMIND_CHECK(set_provider(options, settings, request));
  WARPMIND_TRY(request.budget, budget_of(options, settings));
  request.proposer = options.proposer.empty() ? std::string(kBuiltinProposer) : options.proposer;
  request.replay_file = options.replay_file;
  request.fixture_directory = options.fixture_directory.empty()
                                  ? settings.lab.fixture_directory.string()
                                  : options.fixture_directory;
  WARPMIND_CHECK(check_proposer(request));
  WARPMIND_CHECK(set_search(options, settings, request));
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
