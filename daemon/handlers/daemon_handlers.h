#pragma once
/// \file
/// The daemon itself: `hello`, `status`, `log.set_level`, `lsp.attach`, `shutdown`. What
/// handlers capture must outlive the dispatcher.

#include "base/clock.h"
#include "config/settings.h"
#include "daemon/health_board.h"
#include "daemon/lsp/lsp_door.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/log_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "daemon/scheduler/scheduler.h"

#include <chrono>
#include <functional>
#include <string>

namespace warpmind::daemon {

/// What `status` reads; nothing of it blocks.
struct StatusSources {
  const Scheduler& scheduler;
  const HealthBoard& health;
  const Connections& connections;
  const config::Settings& settings;
  const Clock& clock;
  std::chrono::steady_clock::time_point started;
  std::string version;
};

[[nodiscard]] Handler<protocol::HelloParams, std::string> hello(const protocol::Greeting& greeting);
[[nodiscard]] Handler<protocol::Empty, protocol::StatusResult> status(StatusSources sources);
[[nodiscard]] Handler<protocol::LogLevelParams, protocol::LogLevelResult> log_set_level();
/// `door` must outlive the dispatcher.
[[nodiscard]] Handler<protocol::Empty, protocol::LspAttachResult> lsp_attach(lsp::LspDoor& door);
/// `begin` is called on the io thread after the answer is on its way.
[[nodiscard]] Handler<protocol::ShutdownParams, protocol::Empty> shutdown(
    std::function<void(protocol::ShutdownMode)> begin);

}  // namespace warpmind::daemon
