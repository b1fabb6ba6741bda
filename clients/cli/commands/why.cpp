#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/episode_why.h"
#include "clients/cli/report/launch_table.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/record_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

ExitCode show_profile(Session& session, const WhyOptions& options) {
  using Result = protocol::EpisodeProfileResult;
  return ask(session, protocol::kEpisodeProfile,
             protocol::EpisodeProfileParams{options.episode, options.step, options.against},
             [&](const Result& reply) {
               return render_profile(reply, options.metrics, style_of(session.console));
             });
}

}  // namespace

ExitCode run_command(Session& session, const WhyOptions& options) {
  if (options.profile) return show_profile(session, options);
  using Result = protocol::EpisodeExplainResult;
  return ask(
      session, protocol::kEpisodeExplain,
      protocol::EpisodeExplainParams{options.episode, options.step},
      [&session](const Result& reply) { return render_why(reply, style_of(session.console)); });
}

}  // namespace warpmind::clients
