#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/flops_report.h"

namespace warpmind::clients {
namespace {

/// Errors: not_found when there is neither file nor task folder.
Result<daemon::protocol::FlopsCountParams> params_of(const FlopsOptions& options) {
  daemon::protocol::FlopsCountParams params;
  params.device = options.device;
  params.workload = options.workload;
  std::error_code ec;
  std::string task = options.task;
  if (std::filesystem::is_regular_file(options.path, ec)) {
    params.file = absolute_path(options.path);
  } else if (task.empty()) {
    task = options.path;
  } else {
    return fail(Errc::not_found, options.path +
                                     " is no file; give a .cu, .ptx, .cubin or .fatbin "
                                     "file, or a task folder without --task");
  }
  if (!task.empty()) {
    WARPMIND_TRY(const auto directory, task_directory(task));
    params.directory = directory.string();
  }
  return params;
}

}  // namespace

ExitCode run(Session& session, const FlopsOptions& options) {
  using Result = daemon::protocol::FlopsCountResult;
  const auto params = params_of(options);
  if (!params) return report_error(session.console, params.error(), ExitCode::bad_input);
  return ask<Result>(
      session, "flops.count", daemon::protocol::encode(*params),
      [&session](const Result& reply) { return render_flops(reply, style_of(session.console)); });
}

}  // namespace warpmind::clients
