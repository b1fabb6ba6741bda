#include "base/codec/json_guard.h"
#include "clients/cli/commands/commands.h"

namespace warpmind::clients {

ExitCode run_command(Session& session, const CancelOptions& options) {
  const auto job_id = full_job_id(options.job);
  if (!job_id) return report_error(session.console, job_id.error(), ExitCode::bad_input);
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto answer = client->cancel(*job_id);
  if (!answer) return report_call_error(session, *client, answer.error());
  if (session.console.json) {
    const nlohmann::json document{{"job_id", *job_id},
                                  {"state", std::string(name_of(answer->state))}};
    write_document(session.console, codec::dump_json(document));
    return ExitCode::ok;
  }
  session.console.out << *job_id
                      << (answer->state == JobState::running
                              ? " is being ended; what was measured so far is kept\n"
                              : " is cancelled\n")
                      << std::flush;
  return ExitCode::ok;
}

}  // namespace warpmind::clients
