#include "clients/cli/program.h"

#include "clients/cli/command_line.h"
#include "clients/cli/commands/agent_commands.h"
#include "clients/cli/commands/daemon_commands.h"
#include "clients/cli/commands/episode_commands.h"
#include "clients/cli/commands/job_commands.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/commands/kernel_commands.h"
#include "clients/cli/commands/program_commands.h"
#include "clients/cli/commands/queue_commands.h"
#include "clients/cli/commands/skill_commands.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/session.h"

#include <string_view>
#include <variant>

namespace warpmind::clients {

ExitCode run_program(int argc, const char* const* argv, Console& console) {
  // A name that was found on PATH is found there again; another has to be typed as it was.
  if (argc > 0 && std::string_view(argv[0]).find('/') != std::string_view::npos) {
    console.program = argv[0];
  }
  const auto parsed = parse_command_line(argc, argv);
  if (!parsed) return report_error(console, parsed.error(), ExitCode::bad_input);
  if (const auto* help = std::get_if<HelpText>(&*parsed)) {
    console.out << help->text << std::flush;
    return ExitCode::ok;
  }
  const auto& invocation = std::get<Invocation>(*parsed);
  auto session = open_session(invocation.globals, console);
  if (!session) return report_error(console, session.error(), ExitCode::bad_input);
  return std::visit([&](const auto& options) { return run_command(*session, options); },
                    invocation.command);
}

}  // namespace warpmind::clients
