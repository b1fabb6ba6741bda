#include "clients/cli/command_help.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {

std::string examples(std::initializer_list<std::string_view> lines) {
  std::string text = "Examples:";
  for (const auto line : lines) text += "\n  warpmind " + std::string(line);
  return text;
}

CLI::App* add_group(CLI::App& parent, const char* name, const char* what) {
  CLI::App* app = parent.add_subcommand(name, what);
  app->fallthrough();
  return app;
}

CLI::App* add_command(CLI::App& parent, const char* name, const char* what,
                      std::initializer_list<std::string_view> lines) {
  CLI::App* app = add_group(parent, name, what);
  app->footer(examples(lines) + "\n\n" + kExitCodes);
  return app;
}

}  // namespace warpmind::clients
