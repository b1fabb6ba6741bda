#include "base/codec/json_guard.h"
#include "clients/cli/commands/commands.h"
#include "clients/cli/report/daemon_reports.h"

namespace warpmind::clients {

ExitCode run_command(Session& session, const ConfigShowOptions& options) {
  const auto settings = config::render_settings(session.loaded);
  if (!session.console.json) {
    const bool origin = options.origin;
    session.console.out << render_settings(settings, session.loaded.file.string(), origin)
                        << std::flush;
    return ExitCode::ok;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& setting : settings) {
    nlohmann::json row{{"name", setting.name},
                       {"value", setting.value},
                       {"unit", setting.unit},
                       {"document", setting.document}};
    if (options.origin) row["origin"] = setting.origin;
    rows.push_back(std::move(row));
  }
  const nlohmann::json document{{"file", session.loaded.file.string()}, {"settings", rows}};
  write_document(session.console, codec::dump_json(document));
  return ExitCode::ok;
}

}  // namespace warpmind::clients
