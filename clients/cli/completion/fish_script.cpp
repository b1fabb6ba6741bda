#include "clients/cli/completion/fish_script.h"

#include "base/text.h"
#include "clients/cli/completion/completion_words.h"

#include <string_view>

namespace warpmind::clients {
namespace {

constexpr std::string_view kHead =
    R"sh(# fish completion for warpmind, printed by `warpmind completion fish`.

function __warpmind_jobs
    @JOBS@
end

function __warpmind_techniques
    @TECHNIQUES@
end

# Whether the command that was typed so far is exactly $argv[1].
function __warpmind_at
    set -l path
    for token in (commandline -opc)[2..-1]
        set -l longer (string join ' ' -- $path $token)
        if contains -- $longer $__warpmind_commands
            set path $longer
        end
    end
    test "$path" = "$argv[1]"
end

complete -c warpmind -f
)sh";

/// A word in single quotes.
std::string quoted(std::string text) {
  text = replace_text(std::move(text), "\\", "\\\\");
  return "'" + replace_text(std::move(text), "'", "\\'") + "'";
}

/// What offers the values, as flags of `complete`.
std::string values(const OptionDescription& option) {
  const auto words = value_words(option);
  const std::string known = words.empty() ? "" : " -a " + quoted(join_text(words, " "));
  switch (option.kind) {
    case ValueKind::file:
    case ValueKind::path:
    case ValueKind::task: return " -F" + known;
    case ValueKind::folder: return " -f -a '(__fish_complete_directories)'";
    case ValueKind::job: return " -f -a '(__warpmind_jobs)'";
    case ValueKind::episode: return " -f -a 'last (__warpmind_jobs)'";
    case ValueKind::technique: return " -f -a '(__warpmind_techniques)'";
    case ValueKind::none:
    case ValueKind::text:
    case ValueKind::device: break;
  }
  return " -f" + known;
}

std::string lines_of(const CommandDescription& command, bool is_program) {
  const std::string at =
      "complete -c warpmind -n " + quoted("__warpmind_at " + quoted(command.path));
  std::string text;
  for (const auto& below : command.commands) {
    text += at + " -a " + below.name + " -d " + quoted(below.text) + "\n";
  }
  for (const auto& argument : command.arguments) {
    text += at + values(argument) + "\n";
  }
  for (const auto& option : command.options) {
    for (const auto& name : option.names) {
      text += (is_program ? "complete -c warpmind" : at) + " -l " + name.substr(2);
      if (option.kind != ValueKind::none) text += " -r" + values(option);
      text += " -d " + quoted(option.text) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string fish_script(const CommandDescription& program) {
  std::string text = replace_text(replace_text(std::string(kHead), "@JOBS@", kListJobs),
                                  "@TECHNIQUES@", kListTechniques);
  std::string known = "set -g __warpmind_commands";
  std::string lines;
  for (const auto* command : every_command(program)) {
    if (command != &program) known += " \\\n    " + quoted(command->path);
    lines += lines_of(*command, command == &program);
  }
  return text + known + "\n\n" + lines + "complete -c warpmind -l help -d 'Print help'\n";
}

}  // namespace warpmind::clients
