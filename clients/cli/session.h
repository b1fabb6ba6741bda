#pragma once
/// \file
/// What every command starts from: flags, settings, console, and the way to the daemon.

#include "base/result.h"
#include "clients/cli/command_line.h"
#include "clients/cli/console.h"
#include "clients/daemon_client.h"
#include "config/settings_loader.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::clients {

/// `console` must outlive it.
struct Session {
  GlobalOptions globals;
  Console& console;
  config::LoadedSettings loaded;
  int interrupt = -1;  ///< set by a command that watches for Ctrl-C

  [[nodiscard]] const std::filesystem::path& socket() const {
    return loaded.settings.daemon.socket;
  }
};

/// Loads the settings; `--socket` is the strongest source of daemon.socket.
[[nodiscard]] Result<Session> open_session(const GlobalOptions& globals, Console& console);

enum class WhenAbsent { start, refuse };

/// Connects to the daemon, and starts one when none runs and both `when_absent` and the flags
/// allow it. Every error is of origin connection.
[[nodiscard]] Result<DaemonClient> connect_daemon(const Session& session, WhenAbsent when_absent);

/// The flags of a daemon that is started for this session: `--config`, `--set`.
[[nodiscard]] std::vector<std::string> daemon_arguments(const Session& session);

/// Reports an error of a call: what the daemon answered, or the connection's when that is gone.
ExitCode report_call_error(Session& session, const DaemonClient& client, const Error& error);

/// Errors of the connection, before there is one to ask.
ExitCode report_no_daemon(Session& session, const Error& error);

/// The task folder, absolute. Errors: not_found when it is no folder or has no task.toml.
[[nodiscard]] Result<std::filesystem::path> task_directory(const std::string& text);

}  // namespace warpmind::clients
