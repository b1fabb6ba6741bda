#include "clients/cli/submission.h"

#include "base/model/job.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// The daemon may have another working folder than the files of a "rules:FILE" are named from.
std::string absolute_model(const std::string& model) {
  for (const std::string_view kind : {"rules:", "replay:"}) {
    if (!model.starts_with(kind)) continue;
    std::error_code ec;
    const auto file = std::filesystem::absolute(model.substr(kind.size()), ec).lexically_normal();
    return std::string(kind) + file.string();
  }
  return model;
}

}  // namespace

std::string provider_for(const std::string& provider, const std::string& device) {
  return device.empty() || provider == "gpu" ? provider : "sim";
}

/// What was asked of the search, for the first line of progress: "queued, policy mcgs, 2 workers".
std::string queued_line(const OptimizeOptions& options) {
  std::string line(name_of(JobState::queued));
  if (!options.policy.empty()) line += ", policy " + options.policy;
  if (options.workers && *options.workers > 1) {
    line += ", " + std::to_string(*options.workers) + " workers";
  }
  if (!options.proposer.empty()) line += ", proposer " + options.proposer;
  return line;
}

Result<protocol::TaskSubmitParams> submission(const OptimizeOptions& options,
                                              const std::filesystem::path& directory) {
  protocol::TaskSubmitParams params{.directory = directory.string(),
                                    .evaluations = options.evaluations,
                                    .seconds = options.seconds,
                                    .provider = provider_for(options.provider, options.device),
                                    .proposer = options.proposer,
                                    .replay_file = {},
                                    .fixture_directory = {},
                                    .device = options.device,
                                    .watch = !options.detach,
                                    .policy = options.policy,
                                    .workers = options.workers,
                                    .seed = options.seed,
                                    .model = {},
                                    .tokens = options.tokens,
                                    .usd = options.usd,
                                    .gpu_seconds = options.gpu_seconds,
                                    .effort = options.effort};
  params.model = absolute_model(options.model);
  std::error_code ec;
  if (!options.fixture_directory.empty()) {
    const auto fixtures =
        std::filesystem::absolute(options.fixture_directory, ec).lexically_normal();
    if (!std::filesystem::is_directory(fixtures, ec)) {
      return fail(Errc::not_found,
                  "--fixtures " + options.fixture_directory + ": there is no such directory");
    }
    params.fixture_directory = fixtures.string();
  }
  if (options.replay_file.empty()) return params;
  const auto replay = std::filesystem::absolute(options.replay_file, ec).lexically_normal();
  if (!std::filesystem::is_regular_file(replay, ec)) {
    return fail(Errc::not_found, "--replay " + options.replay_file + ": there is no such file");
  }
  params.replay_file = replay.string();
  return params;
}

}  // namespace warpmind::clients
