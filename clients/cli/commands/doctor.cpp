#include "clients/captured_process.h"
#include "clients/cli/commands/commands.h"
#include "clients/cli/report/doctor_report.h"
#include "clients/daemon_launcher.h"

namespace warpmind::clients {
namespace {

/// What `warpmindd --doctor --json` printed.
Result<std::string> examine(const Session& session) {
  WARPMIND_TRY(const auto daemon, find_daemon());
  std::vector<std::string> words{daemon.string(), "--doctor", "--json"};
  const auto arguments = daemon_arguments(session);
  words.insert(words.end(), arguments.begin(), arguments.end());
  WARPMIND_TRY(auto captured, run_captured(words, {}));
  if (!captured.output.empty()) return std::move(captured.output);
  return fail(Errc::external_failure, "`warpmindd --doctor` ended with exit code " +
                                          std::to_string(captured.exit_code) +
                                          " and found nothing");
}

}  // namespace

ExitCode run_command(Session& session, const DoctorOptions& /*options*/) {
  const auto output = examine(session);
  if (!output) return report_error(session.console, output.error(), ExitCode::daemon);
  const auto findings = parse_findings(*output);
  if (!findings) return report_error(session.console, findings.error(), ExitCode::daemon);
  if (session.console.json) {
    write_document(session.console, findings->document);
  } else {
    session.console.out << render_findings(*findings, session.console.paint,
                                           session.console.columns)
                        << std::flush;
  }
  return findings->usable() ? ExitCode::ok : ExitCode::environment;
}

}  // namespace warpmind::clients
