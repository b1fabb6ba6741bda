#include "clients/cli/submission.h"

#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/queue_messages.h"

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

std::string queued_line(DaemonClient& client, const protocol::TaskSubmitResult& submitted) {
  if (submitted.ahead <= 0) return "queued";
  const std::string count = std::to_string(submitted.ahead);
  std::string plain = "queued behind " + count + (submitted.ahead == 1 ? " job" : " jobs");
  const auto list = client.call(protocol::kQueueList, {1});
  if (!list || list->jobs.empty() || list->jobs.front().job_id == submitted.job_id) return plain;
  const auto& first = list->jobs.front();
  return "queued behind " + first.job_id + " (" + first.task + ")" +
         (submitted.ahead > 1 ? " and " + std::to_string(submitted.ahead - 1) + " more" : "");
}

}  // namespace

std::string provider_for(const std::string& provider, const std::string& device) {
  return device.empty() || provider == "gpu" ? provider : "sim";
}

protocol::ProgressParams queued_progress(DaemonClient& client,
                                         const protocol::TaskSubmitResult& submitted) {
  protocol::ProgressParams progress;
  progress.job_id = submitted.job_id;
  progress.state = JobState::queued;
  progress.line = queued_line(client, submitted);
  return progress;
}

Result<protocol::JobOptions> sendable_options(protocol::JobOptions options) {
  options.provider = provider_for(options.provider, options.device);
  options.model = absolute_model(options.model);
  std::error_code ec;
  if (!options.fixture_directory.empty()) {
    const auto fixtures =
        std::filesystem::absolute(options.fixture_directory, ec).lexically_normal();
    if (!std::filesystem::is_directory(fixtures, ec)) {
      return fail(Errc::not_found,
                  "--fixtures " + options.fixture_directory + ": there is no such directory");
    }
    options.fixture_directory = fixtures.string();
  }
  if (options.replay_file.empty()) return options;
  const auto replay = std::filesystem::absolute(options.replay_file, ec).lexically_normal();
  if (!std::filesystem::is_regular_file(replay, ec)) {
    return fail(Errc::not_found, "--replay " + options.replay_file + ": there is no such file");
  }
  options.replay_file = replay.string();
  return options;
}

Result<protocol::TaskSubmitParams> submission(const OptimizeOptions& options,
                                              const std::filesystem::path& directory) {
  WARPMIND_TRY(auto sendable, sendable_options(static_cast<const protocol::JobOptions&>(options)));
  return protocol::TaskSubmitParams{std::move(sendable), directory.string(), !options.detach};
}

}  // namespace warpmind::clients
