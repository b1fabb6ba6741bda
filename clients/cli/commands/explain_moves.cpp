#include "base/file.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/moves_report.h"
#include "daemon/protocol/kernel_messages.h"

namespace warpmind::clients {
namespace {

constexpr std::size_t kMostSource = std::size_t{4} << 20U;  // bytes

/// Errors: not_found when there is neither folder nor file, invalid_argument for a file too large.
Result<daemon::protocol::MovesExplainParams> params_of(const ExplainMovesOptions& options) {
  daemon::protocol::MovesExplainParams params;
  params.device = options.device;
  params.technique = options.technique;
  params.parameters = options.parameters;
  std::error_code ec;
  if (std::filesystem::is_regular_file(options.path, ec)) {
    WARPMIND_TRY(params.source, read_file(options.path, kMostSource));
    if (params.source.empty()) return fail(Errc::invalid_argument, options.path + " is empty");
    return params;
  }
  WARPMIND_TRY(const auto directory, task_directory(options.path));
  params.directory = directory.string();
  return params;
}

}  // namespace

ExitCode run_command(Session& session, const ExplainMovesOptions& options) {
  using Result = daemon::protocol::MovesExplainResult;
  const auto params = params_of(options);
  if (!params) return report_error(session.console, params.error(), ExitCode::bad_input);
  const bool with_diffs = options.diff || !options.technique.empty();
  return ask(session, daemon::protocol::kMovesExplain, *params,
             [&session, with_diffs](const Result& reply) {
               return render_moves(reply, with_diffs, style_of(session.console));
             });
}

}  // namespace warpmind::clients
