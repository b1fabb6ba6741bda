#pragma once
/// \file
/// The flags of `optimize` as the request that the daemon gets.

#include "clients/cli/command_line.h"
#include "clients/daemon_client.h"
#include "daemon/protocol/messages.h"

#include <filesystem>
#include <string>

namespace warpmind::clients {

/// As the daemon reads them: paths are absolute, a device alone is predicted for. Errors: not_found
/// for a recording or a file of candidates that is not there.
[[nodiscard]] Result<daemon::protocol::JobOptions> sendable_options(
    daemon::protocol::JobOptions options);

/// For the task in `directory`, which is absolute. Errors: as sendable_options().
[[nodiscard]] Result<daemon::protocol::TaskSubmitParams> submission(
    const OptimizeOptions& options, const std::filesystem::path& directory);

/// The provider that the flags --provider and --device mean: a device alone is predicted for.
[[nodiscard]] std::string provider_for(const std::string& provider, const std::string& device);

/// "queued", or "queued behind j-0000000003 (row_softmax_f16) and 1 more": asks the daemon then.
[[nodiscard]] daemon::protocol::ProgressParams queued_progress(
    DaemonClient& client, const daemon::protocol::TaskSubmitResult& submitted);

}  // namespace warpmind::clients
