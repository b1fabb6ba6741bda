#include "daemon/command_line.h"

#include "config/command_line_text.h"

#include <CLI/CLI.hpp>

namespace warpmind::daemon {

std::variant<Arguments, UsageExit> parse_command_line(int argc, const char* const* argv) {
  CLI::App app{
      "warpmindd: makes CUDA kernels faster and remembers what worked. `warpmind` is its client.",
      "warpmindd"};
  Arguments arguments;
  std::string socket;
  bool allow_root = false;
  bool foreground = false;
  bool version = false;
  bool protocol = false;
  bool doctor = false;
  bool evaluations = false;
  app.add_option("--config", arguments.config, "Settings file (TOML)");
  app.add_option("--set", arguments.overrides, "One setting, name=value; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--socket", socket, "Where to listen (daemon.socket)");
  app.add_flag("--foreground", foreground, "Stay in the foreground; the only way there is");
  app.add_flag("--allow-root", allow_root, "Run although the user is root (daemon.allow_root)");
  auto* const one_shot = app.add_option_group("instead of serving");
  one_shot->add_flag("--version", version, "Print the version");
  one_shot->add_flag("--print-protocol", protocol, "Print the methods of the wire as Markdown");
  one_shot
      ->add_option("--print-types", arguments.types,
                   "Print the types of these methods, default all, in typescript or python")
      ->type_name("LANGUAGE METHOD")
      ->expected(1, -1);
  one_shot->add_flag("--doctor", doctor, "Say what works on this machine and how to fix the rest");
  one_shot->add_flag("--serve-evaluations", evaluations,
                     "Judge kernels for daemons on other hosts (queue.nats), and nothing else");
  one_shot->require_option(0, 1);
  app.add_flag("--json", arguments.json, "With --doctor: print JSON");
  app.footer(
      "Exit codes: 0 ended as asked; 1 a running job did not stop in time; 2 usage or settings; "
      "3 another daemon runs; 4 this machine lacks something.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return UsageExit{0, app.help()};
  } catch (const CLI::ParseError& e) {
    return UsageExit{
        2, "warpmindd: " + config::command_line_text(e.what()) + "; see warpmindd --help\n"};
  }
  if (!socket.empty()) arguments.overrides.push_back("daemon.socket=" + socket);
  if (allow_root) arguments.overrides.emplace_back("daemon.allow_root=true");
  if (version) arguments.action = Action::print_version;
  if (protocol) arguments.action = Action::print_protocol;
  if (!arguments.types.empty()) arguments.action = Action::print_types;
  if (doctor) arguments.action = Action::doctor;
  if (evaluations) arguments.action = Action::serve_evaluations;
  return arguments;
}

}  // namespace warpmind::daemon
