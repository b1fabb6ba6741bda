#pragma once
/// \file
/// Starts warpmindd in the background when nobody answers, and waits until it does.

#include "base/result.h"
#include "clients/daemon_client.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::clients {

struct LaunchOrder {
  std::filesystem::path executable;    ///< of warpmindd; empty = find_daemon()
  std::vector<std::string> arguments;  ///< `--config`, `--set`, …
  std::filesystem::path socket;        ///< where it will listen
  Milliseconds patience{10'000};       ///< until it answers
  int interrupt = -1;                  ///< descriptor that becomes readable when the user wants out
};

/// warpmindd beside this program, else on PATH. Errors: not_found with the way out.
[[nodiscard]] Result<std::filesystem::path> find_daemon();

/// Starts the daemon detached (own session, standard streams closed) and connects as soon as it
/// listens. It stays when this process ends. When two clients start one at the same time, both
/// get the daemon that won.
/// Errors: unavailable with the daemon's own sentence when it ended instead; timeout; cancelled;
/// as DaemonClient::connect().
[[nodiscard]] Result<DaemonClient> start_daemon(const LaunchOrder& order);

/// The sentence for a person in what a daemon wrote before it ended: its last line that starts
/// with "warpmindd: ", without that; else its last line.
[[nodiscard]] std::string last_sentence(std::string_view standard_error);

}  // namespace warpmind::clients
