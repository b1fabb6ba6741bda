#pragma once
/// \file
/// From the words of `queue add` to the tasks that it queues.

#include "base/clock.h"
#include "base/result.h"
#include "clients/cli/queue_options.h"
#include "daemon/protocol/queue_messages.h"

#include <string>
#include <vector>

namespace warpmind::clients {

/// In the order given; a folder of tasks and a pattern go by name. Errors: not_found when a path
/// leads to no task; invalid_argument for a line of a manifest, with its number.
[[nodiscard]] Result<std::vector<daemon::protocol::QueueAddParams>> queue_items(
    const QueueAddOptions& options, UnixMillis now);

/// "22:00" is the next time that the local clock shows it; "+90m" and "+2h" count from now.
/// Errors: invalid_argument naming `flag`.
[[nodiscard]] Result<std::int64_t> moment_of(const char* flag, const std::string& text,
                                             UnixMillis now);

}  // namespace warpmind::clients
