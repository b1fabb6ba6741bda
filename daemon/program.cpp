#include "daemon/program.h"

#include "base/log.h"
#include "daemon/command_line.h"
#include "daemon/protocol/error_codec.h"
#include "daemon/protocol/method_table.h"
#include "daemon/protocol/wire_types.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::daemon {
namespace {

constexpr const char* kVersion = WARPMIND_VERSION;

int report(const Error& error) {
  std::cerr << "warpmindd: " << error.message << '\n';
  log::flush();
  return exit_code_of(error.code);
}

int run_action(const Program& program, const Arguments& arguments) {
  if (arguments.action == Action::print_version) {
    std::cout << "warpmindd " << kVersion << '\n';
    return 0;
  }
  if (arguments.action == Action::print_protocol) {
    std::cout << protocol::render_methods() << "\n### Error codes\n"
              << protocol::render_error_table();
    return 0;
  }
  if (arguments.action == Action::print_types) {
    const std::vector<std::string> methods(arguments.types.begin() + 1, arguments.types.end());
    const auto types = protocol::render_types(arguments.types.front(), methods);
    if (!types) return report(types.error());
    std::cout << *types;
    return 0;
  }
  config::SettingsSources sources;
  if (arguments.config) sources.file = *arguments.config;
  sources.environment = config::capture_environment();
  sources.overrides = arguments.overrides;
  std::error_code ignored;
  sources.working_directory = std::filesystem::current_path(ignored);
  const auto loaded = config::load_settings(sources);
  if (!loaded) return report(loaded.error());
  if (arguments.action == Action::doctor) {
    const auto text = program.doctor(loaded->settings, arguments.json);
    if (!text) return report(text.error());
    std::cout << *text;
    return 0;
  }
  if (arguments.action == Action::serve_evaluations && program.serve_evaluations) {
    const auto ended = program.serve_evaluations(loaded->settings, kVersion);
    return ended ? 0 : report(ended.error());
  }
  const auto served = serve(*loaded, program.make_engine, kVersion);
  return served ? 0 : report(served.error());
}

}  // namespace

int run_program(const Program& program, int argc, const char* const* argv) {
  const auto parsed = parse_command_line(argc, argv);
  if (const auto* usage = std::get_if<UsageExit>(&parsed)) {
    (usage->code == 0 ? std::cout : std::cerr) << usage->text;
    return usage->code;
  }
  return run_action(program, std::get<Arguments>(parsed));
}

}  // namespace warpmind::daemon
