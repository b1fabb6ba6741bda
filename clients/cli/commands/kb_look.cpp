#include "base/file.h"
#include "base/text.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/technique_report.h"
#include "daemon/protocol/knowledge_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
constexpr std::size_t kKernelBytes = std::size_t{1024} * 1024;

Result<protocol::KbSearchParams> search_params(Session& session, const KbSearchOptions& options) {
  protocol::KbSearchParams params;
  params.text = join_text(options.words, " ");
  params.bottlenecks = options.bottlenecks;
  params.operator_family = options.operator_family;
  params.dtypes = options.dtypes;
  params.device = options.device;
  if (!options.capability.empty()) {
    WARPMIND_TRY(params.capability, parse_capability(options.capability));
  }
  if (!options.kernel_file.empty()) {
    WARPMIND_TRY(params.kernel, read_input(session.console, options.kernel_file, kKernelBytes));
  }
  params.techniques = options.techniques;
  params.spaces = options.spaces;
  if (!options.contracts.empty()) params.contracts = options.contracts;
  params.limit = options.limit;
  params.all = options.all;
  return params;
}

}  // namespace

ExitCode run_command(Session& session, const KbSearchOptions& options) {
  const auto params = search_params(session, options);
  if (!params) {
    return report_error(session.console, params.error(),
                        exit_code_for(Origin::input, params.error().code));
  }
  return ask(session, protocol::kKbSearch, *params, [&session](const auto& reply) {
    return render_search(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbShowOptions& options) {
  return ask(session, protocol::kKbShow, protocol::KbShowParams{options.id},
             [&session](const auto& reply) {
               const Style style = style_of(session.console);
               if (reply.technique) return render_technique(*reply.technique, style);
               return render_insight(reply.insight.value_or(Insight{}), style);
             });
}

ExitCode run_command(Session& session, const KbWhyOptions& options) {
  return ask(
      session, protocol::kKbWhy, protocol::KbInsightParams{options.id},
      [&session](const auto& reply) { return render_why(reply, style_of(session.console)); });
}

ExitCode run_command(Session& session, const KbHistoryOptions& options) {
  return ask(session, protocol::kKbHistory, protocol::KbHistoryParams{options.id, options.as_of},
             [&session, &options](const auto& reply) {
               const Style style = style_of(session.console);
               if (options.blame) return render_blame(reply, style);
               if (reply.insight) return render_insight(*reply.insight, style);
               return render_history(reply, style);
             });
}

}  // namespace warpmind::clients
