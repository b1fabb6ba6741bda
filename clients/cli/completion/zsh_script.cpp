#include "clients/cli/completion/zsh_script.h"

#include "base/text.h"
#include "clients/cli/completion/completion_words.h"

#include <string_view>

namespace warpmind::clients {
namespace {

constexpr std::string_view kHead = R"sh(#compdef warpmind
# zsh completion for warpmind, printed by `warpmind completion zsh`.

_warpmind_jobs() {
  compadd -- ${(f)"$(@JOBS@)"}
}

_warpmind_episodes() {
  compadd -- last
  _warpmind_jobs
}

_warpmind_techniques() {
  compadd -- ${(f)"$(@TECHNIQUES@)"}
}
)sh";

constexpr std::string_view kTail = R"sh(
if [[ $funcstack[1] == _warpmind ]]; then
  _warpmind "$@"
else
  compdef _warpmind warpmind
fi
)sh";

/// Inside single quotes, and without a meaning for _arguments.
std::string quoted(std::string text) {
  text = replace_text(std::move(text), "\\", "\\\\");
  for (const char* special : {"[", "]", ":"}) {
    text = replace_text(std::move(text), special, std::string("\\") + special);
  }
  return replace_text(std::move(text), "'", "'\\''");
}

/// What offers the values.
std::string action(const OptionDescription& option) {
  switch (option.kind) {
    case ValueKind::file:
    case ValueKind::path: return "_files";
    case ValueKind::folder: return "_files -/";
    case ValueKind::task: return "_files -g \"*.cu\"";
    case ValueKind::job: return "_warpmind_jobs";
    case ValueKind::episode: return "_warpmind_episodes";
    case ValueKind::technique: return "_warpmind_techniques";
    case ValueKind::none:
    case ValueKind::text:
    case ValueKind::device: break;
  }
  const auto words = value_words(option);
  return words.empty() ? " " : "(" + join_text(words, " ") + ")";
}

std::string argument_spec(const OptionDescription& argument) {
  const std::string colons = argument.repeatable ? "*:" : argument.required ? ":" : "::";
  return "'" + colons + quoted(argument.names.front()) + ":" + action(argument) + "'";
}

std::string option_specs(const OptionDescription& option) {
  std::string text;
  for (const auto& name : option.names) {
    text += (text.empty() ? "" : " ") + std::string("'") + (option.repeatable ? "*" : "") + name;
    const bool takes_value = option.kind != ValueKind::none;
    text += (takes_value ? "=[" : "[") + quoted(option.text) + "]";
    if (takes_value) text += ":" + quoted(option.value) + ":" + action(option);
    text += "'";
  }
  return text;
}

std::string function_name(const CommandDescription& command) {
  if (command.path.empty()) return "_warpmind";
  return "_warpmind_" + replace_text(replace_text(command.path, " ", "_"), "-", "_");
}

/// Offers the commands of a group, then leaves it to the one that was typed.
std::string group_body(const CommandDescription& command) {
  std::string text =
      "    '1: :->command' \\\n    '*::: :->rest' && return\n"
      "  case $state in\n    command)\n      local -a commands=(\n";
  for (const auto& each : command.commands) {
    text += "        '" + each.name + ":" + quoted(each.text) + "'\n";
  }
  text +=
      "      )\n      _describe -t commands command commands ;;\n"
      "    rest)\n      words=($line[1] \"${words[@]}\")\n      ((CURRENT += 1))\n"
      "      case $line[1] in\n";
  for (const auto& each : command.commands) {
    text += "        " + each.name + ") " + function_name(each) + " ;;\n";
  }
  return text + "      esac ;;\n  esac\n";
}

std::string function_of(const CommandDescription& command, const CommandDescription& program) {
  std::string text = "\n" + function_name(command) + "() {\n";
  if (command.gives_words_away) return text + "  _files\n}\n";
  text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n  _arguments -C \\\n";
  if (&command != &program) {
    for (const auto& option : command.options) text += "    " + option_specs(option) + " \\\n";
  }
  for (const auto& option : program.options) text += "    " + option_specs(option) + " \\\n";
  text += "    '--help[Print help]'";
  for (const auto& argument : command.arguments) text += " \\\n    " + argument_spec(argument);
  if (command.commands.empty()) return text + "\n}\n";
  return text + " \\\n" + group_body(command) + "}\n";
}

}  // namespace

std::string zsh_script(const CommandDescription& program) {
  std::string text = replace_text(replace_text(std::string(kHead), "@JOBS@", kListJobs),
                                  "@TECHNIQUES@", kListTechniques);
  for (const auto* command : every_command(program)) text += function_of(*command, program);
  return text + std::string(kTail);
}

}  // namespace warpmind::clients
