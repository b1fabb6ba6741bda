#include "daemon/handlers/daemon_handlers.h"

#include "base/log.h"
#include "base/sequence.h"

#include <array>
#include <string_view>
#include <unistd.h>

namespace warpmind::daemon {

Handler<protocol::HelloParams, std::string> hello(const protocol::Greeting& greeting) {
  // Its list of methods makes it the longest answer that every client asks for: encoded once.
  return [answer = protocol::encode(greeting)](const protocol::HelloParams& params,
                                               RequestContext& context) -> Result<std::string> {
    if (params.protocol != protocol::kProtocolVersion) {
      return fail(Errc::conflict, "this daemon speaks protocol " +
                                      std::to_string(protocol::kProtocolVersion) +
                                      ", the client speaks " + std::to_string(params.protocol) +
                                      "; install the same version of both and restart the daemon");
    }
    log::debug("daemon", "client says hello",
               {{"connection", context.connection}, {"client", params.client.substr(0, 128)}});
    return answer;
  };
}

Handler<protocol::Empty, protocol::StatusResult> status(StatusSources sources) {
  return [s = std::move(sources)](const protocol::Empty& /*params*/,
                                  RequestContext& /*context*/) -> Result<protocol::StatusResult> {
    auto device = s.health.device();
    auto queue = s.scheduler.summary();
    protocol::StatusResult result;
    result.version = s.version;
    result.pid = ::getpid();
    result.uptime_s = std::chrono::duration<double>(s.clock.monotonic() - s.started).count();
    result.mode = std::move(device.mode);
    result.device = std::move(device.device);
    result.note = std::move(device.note);
    result.state_directory = s.settings.daemon.state_directory.string();
    result.queued = queue.queued;
    result.running = queue.running;
    result.connections = static_cast<std::int64_t>(s.connections.count());
    result.degraded = s.health.degraded();
    result.jobs = std::move(queue.jobs);
    for (const auto& lane : s.scheduler.lanes()) result.lanes.push_back(lane_text(lane));
    return result;
  };
}

namespace {

constexpr std::array<std::string_view, 4> kComponents{"agents", "daemon", "knowledge_base",
                                                      "profilers"};

protocol::LogLevelResult what_holds() {
  const auto levels = log::levels();
  protocol::LogLevelResult result;
  result.level = log::name_of(levels.general);
  for (const auto& [component, level] : levels.components) {
    result.components.emplace(component, log::name_of(level));
  }
  return result;
}

Result<protocol::LogLevelResult> set(const protocol::LogLevelParams& params, RequestContext&) {
  const bool known = params.component.empty() || contains(kComponents, params.component);
  if (!known) {
    return fail(Errc::invalid_argument,
                "'component' must be agents, daemon, knowledge_base or "
                "profilers, not '" +
                    params.component.substr(0, 32) + "'");
  }
  if (params.level.empty()) return what_holds();
  const auto level = log::level_named(params.level);
  if (!level) {
    return fail(Errc::invalid_argument, "'level' must be debug, info, warn or error, not '" +
                                            params.level.substr(0, 32) + "'");
  }
  // Before it holds: who reads the log should see why fewer lines come.
  log::warn("daemon", "the level of the log is changed",
            {{"to", params.level}, {"of", params.component.empty() ? "all" : params.component}});
  log::set_level(*level, params.component);
  return what_holds();
}

}  // namespace

Handler<protocol::LogLevelParams, protocol::LogLevelResult> log_set_level() { return set; }

Handler<protocol::Empty, protocol::LspAttachResult> lsp_attach(lsp::LspDoor& door) {
  return [&door](const protocol::Empty&, RequestContext& context) {
    // After the answer: what comes next is the editor's first message.
    context.after_reply = [&door, connection = context.connection] { door.attach(connection); };
    return Result<protocol::LspAttachResult>(protocol::LspAttachResult{});
  };
}

Handler<protocol::ShutdownParams, protocol::Empty> shutdown(
    std::function<void(protocol::ShutdownMode)> begin) {
  return [begin = std::move(begin)](const protocol::ShutdownParams& params,
                                    RequestContext& context) -> Result<protocol::Empty> {
    context.after_reply = [begin, mode = params.mode] { begin(mode); };
    return protocol::Empty{};
  };
}

}  // namespace warpmind::daemon
