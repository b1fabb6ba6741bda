#include "clients/cli/completion/bash_script.h"

#include "base/text.h"
#include "clients/cli/completion/completion_words.h"

#include <map>
#include <string_view>

namespace warpmind::clients {
namespace {

constexpr std::string_view kHead =
    R"sh(# bash completion for warpmind, printed by `warpmind completion bash`.

_warpmind_jobs() {
  @JOBS@
}

_warpmind_techniques() {
  @TECHNIQUES@
}
)sh";

constexpr std::string_view kTail = R"sh(
# Sets COMPREPLY to what `kind` and `words` allow in the place of `word`.
_warpmind_values() {
  case "$kind" in
    job) words="$words $(_warpmind_jobs)" ;;
    episode) words="last $(_warpmind_jobs)" ;;
    technique) words="$words $(_warpmind_techniques)" ;;
    file|path|folder|task) compopt -o filenames 2> /dev/null ;;
  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    case "$kind" in
      file|path) compgen -f -- "$word" ;;
      folder) compgen -d -- "$word" ;;
      task) compgen -d -- "$word"; compgen -f -X '!*.cu' -- "$word" ;;
    esac)
}

_warpmind() {
  local word="${COMP_WORDS[COMP_CWORD]}" command='' kind='' words='' pending='' argument=1 each i
  local -a typed=()
  COMPREPLY=()
  if [[ "$word" == '=' ]]; then word=''; fi
  # bash splits words at '=': the value of --flag=value, or the rest of NAME=VALUE.
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ "${COMP_WORDS[i]}" != '=' ]]; then
      typed+=("${COMP_WORDS[i]}")
    elif [[ "${COMP_WORDS[i-1]}" != --* ]]; then
      ((++i))
    fi
  done
  for each in "${typed[@]}"; do
    if [[ -n "$pending" ]]; then
      pending=''
    elif [[ "$each" == -* ]]; then
      _warpmind_flag "$command" "$each"
      if [[ -n "$kind" ]]; then pending="$each"; fi
    else
      _warpmind_follows "$command"
      if [[ " $words " == *" $each "* ]]; then
        command="${command:+$command }$each"
      else
        ((++argument))
      fi
    fi
  done
  if [[ -n "$pending" ]]; then
    _warpmind_flag "$command" "$pending"
    _warpmind_values
    return
  fi
  if [[ "$word" != -* ]]; then
    _warpmind_argument "$command" "$argument"
    if [[ -n "$kind" ]]; then
      _warpmind_values
      return
    fi
  fi
  _warpmind_follows "$command"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _warpmind warpmind
)sh";

std::string_view kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::none: return "";
    case ValueKind::file: return "file";
    case ValueKind::folder: return "folder";
    case ValueKind::task: return "task";
    case ValueKind::path: return "path";
    case ValueKind::job: return "job";
    case ValueKind::episode: return "episode";
    case ValueKind::technique: return "technique";
    case ValueKind::text:
    case ValueKind::device: break;
  }
  return "words";
}

/// A function that sets `kind` and `words` by "COMMAND WORD".
class CaseFunction {
 public:
  CaseFunction(std::string name, std::string comment)
      : text_("\n# " + std::move(comment) + "\n" + std::move(name) +
              "() {\n  kind='' words=''\n  case \"$1 $2\" in\n") {}

  void add(const std::string& pattern, const OptionDescription& option) {
    const std::string words = join_text(value_words(option), " ");
    const std::string sets = "kind=" + std::string(kind_name(option.kind)) +
                             (words.empty() ? "" : " words='" + words + "'");
    auto& patterns = patterns_[sets];
    patterns += (patterns.empty() ? "" : "|\\\n    ") + pattern;
  }

  [[nodiscard]] std::string text() const {
    std::string text = text_;
    for (const auto& [sets, patterns] : patterns_) {
      text.append("    ").append(patterns).append(")\n      ").append(sets).append(" ;;\n");
    }
    return text + "  esac\n}\n";
  }

 private:
  std::string text_;
  std::map<std::string, std::string> patterns_;  ///< by what they set
};

/// Commands and flags that can follow each command.
std::string follows(const CommandDescription& program) {
  std::string text =
      "\n# Sets `words`: the commands and flags that can follow command $1.\n"
      "_warpmind_follows() {\n  case \"$1\" in\n";
  std::vector<std::string> globals{"--help"};
  for (const auto& option : program.options) {
    if (option.names.front() != "--version") globals.push_back(option.names.front());
  }
  for (const auto* command : every_command(program)) {
    std::vector<std::string> words;
    for (const auto& below : command->commands) words.push_back(below.name);
    if (command == &program) words.emplace_back("--version");
    for (const auto& option : command->options) {
      if (command != &program) words.insert(words.end(), option.names.begin(), option.names.end());
    }
    if (!command->gives_words_away) words.insert(words.end(), globals.begin(), globals.end());
    text += "    '" + command->path + "') words='" + join_text(words, " ") + "' ;;\n";
  }
  return text + "    *) words='' ;;\n  esac\n}\n";
}

}  // namespace

std::string bash_script(const CommandDescription& program) {
  CaseFunction flags("_warpmind_flag", "Sets `kind` and `words` for the value of flag $2 of $1.");
  CaseFunction arguments("_warpmind_argument",
                         "Sets `kind` and `words` for argument number $2 of command $1.");
  for (const auto* command : every_command(program)) {
    for (const auto& option : command->options) {
      if (option.kind == ValueKind::none) continue;
      for (const auto& name : option.names) {
        flags.add(command == &program ? "*' " + name + "'" : "'" + command->path + " " + name + "'",
                  option);
      }
    }
    int number = 0;
    for (const auto& argument : command->arguments) {
      ++number;
      arguments.add(argument.repeatable ? "'" + command->path + " '*"
                                        : "'" + command->path + " " + std::to_string(number) + "'",
                    argument);
    }
  }
  const std::string head = replace_text(replace_text(std::string(kHead), "@JOBS@", kListJobs),
                                        "@TECHNIQUES@", kListTechniques);
  return head + follows(program) + flags.text() + arguments.text() + std::string(kTail);
}

}  // namespace warpmind::clients
