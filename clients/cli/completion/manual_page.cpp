#include "clients/cli/completion/manual_page.h"

#include "base/text.h"
#include "clients/cli/command_help.h"
#include "clients/cli/completion/completion_words.h"

namespace warpmind::clients {
namespace {

/// Text of a line of its own, with nothing that roff reads as its own.
std::string plain(std::string text) {
  text = replace_text(std::move(text), "\\", "\\e");
  text = replace_text(std::move(text), "-", "\\-");
  text = replace_text(std::move(text), "…", "...");
  return text.starts_with('.') || text.starts_with('\'') ? "\\&" + text : text;
}

/// A quoted argument of a macro.
std::string argument(std::string text) {
  return "\"" + replace_text(plain(std::move(text)), "\"", "\\(dq") + "\"";
}

std::string term(const std::string& name, const std::string& text) {
  return ".TP\n.B " + argument(name) + "\n" + plain(text) + "\n";
}

std::string terms(const std::vector<OptionDescription>& options) {
  std::string text;
  for (const auto& option : options) {
    text += term(option.names.front().starts_with('-') ? flag_text(option) : option.names.front(),
                 text_with_default(option));
  }
  return text;
}

std::string example_line(const std::string& example) { return plain("warpmind " + example); }

std::string examples_text(const std::vector<std::string>& examples) {
  if (examples.empty()) return {};
  return ".PP\nExamples:\n.PP\n.nf\n" + join_lines(examples, example_line) + ".fi\n";
}

std::string section(const CommandDescription& command) {
  return ".SS " + argument("warpmind " + usage_of(command)) + "\n" + plain(command.text) + ".\n" +
         terms(command.arguments) + terms(command.options) + examples_text(command.examples);
}

}  // namespace

std::string manual_page(const CommandDescription& program, std::string_view version) {
  std::string text = ".TH WARPMIND 1 \"\" \"warpmind " + std::string(version) +
                     "\" \"User Commands\"\n.SH NAME\nwarpmind \\- make CUDA kernels faster\n"
                     ".SH SYNOPSIS\n.B warpmind\n.I COMMAND\n[ARGUMENTS] [FLAGS]\n"
                     ".SH DESCRIPTION\n" +
                     plain(program.text) + "\n" +
                     plain("warpmind asks the daemon warpmindd, and starts it when none runs.") +
                     "\n";
  text += ".SH FLAGS OF EVERY COMMAND\n" + terms(program.options) + term("--help", "Print help");
  text += ".SH COMMANDS\n";
  for (const auto* command : every_command(program)) {
    if (command->commands.empty() || !command->arguments.empty() || !command->needs_command) {
      text += section(*command);
    }
  }
  text += ".SH EXIT STATUS\n" + plain(replace_text(kExitCodes, "\n", " ")) + "\n";
  text += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours when it is set.\n.TP\n.B WARPMIND_*\n" +
          plain(
              "Settings: WARPMIND_DAEMON_SOCKET is daemon.socket, as `warpmind config show` "
              "lists them.") +
          "\n";
  return text + ".SH EXAMPLES\n.nf\n" + join_lines(program.examples, example_line) + ".fi\n";
}

}  // namespace warpmind::clients
