#include "base/log.h"
#include "base/sequence.h"
#include "daemon/handlers/log_handlers.h"

#include <array>
#include <string_view>

namespace warpmind::daemon {
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

}  // namespace warpmind::daemon
