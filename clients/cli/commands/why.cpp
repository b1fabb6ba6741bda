#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/episode_why.h"

namespace warpmind::clients {

ExitCode run(Session& session, const WhyOptions& options) {
  using Result = daemon::protocol::EpisodeExplainResult;
  return ask<Result>(
      session, "episode.explain",
      daemon::protocol::encode(
          daemon::protocol::EpisodeExplainParams{options.episode, options.step}),
      [&session](const Result& reply) { return render_why(reply, style_of(session.console)); });
}

}  // namespace warpmind::clients
