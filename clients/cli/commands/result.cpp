#include "clients/cli/commands/commands.h"
#include "clients/cli/job_delivery.h"

namespace warpmind::clients {

ExitCode run_command(Session& session, const ResultOptions& options) {
  const auto job_id = full_job_id(options.job);
  if (!job_id) return report_error(session.console, job_id.error(), ExitCode::bad_input);
  const auto writable = check_output_file(options.output_file);
  if (!writable) return report_error(session.console, writable.error(), ExitCode::bad_input);
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto result = client->result(*job_id);
  if (!result) return report_call_error(session, *client, result.error());
  return deliver_job(session, result->job, {options.output_file, {}, options.verbose});
}

}  // namespace warpmind::clients
