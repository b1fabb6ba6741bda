#include "clients/cli/command_help.h"

#include "base/text.h"
#include "clients/cli/report/text.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kWidestName = 24;  ///< a longer one has a line to itself
constexpr std::size_t kMostExamples = 6;

/// "  NAME   text", the text's further lines below its first.
std::string row(const std::string& name, const std::string& text, std::size_t width) {
  const std::size_t column = 2 + width + 2;
  std::string lines = wrap(text, column, kColumns);
  if (columns_of(name) > width) return "  " + name + "\n" + lines;
  return "  " + name + lines.substr(2 + columns_of(name));
}

template <class Rows>
std::string table(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& [name, text] : rows) {
    if (columns_of(name) <= kWidestName) width = std::max(width, columns_of(name));
  }
  std::string lines;
  for (const auto& [name, text] : rows) lines += row(name, text, width);
  return lines;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string commands_text(const CommandDescription& command) {
  std::string text;
  const auto groups = by_heading(command.commands);
  std::size_t width = 0;
  for (const auto& each : command.commands) width = std::max(width, columns_of(each.name));
  for (const auto& [heading, commands] : groups) {
    text += "\n" + (groups.size() == 1 ? "Commands" : heading) + ":\n";
    for (const auto* each : commands) text += row(each->name, each->text, width);
  }
  return text;
}

std::string options_text(const CommandDescription& command) {
  std::string text;
  if (!command.arguments.empty()) {
    Rows rows;
    for (const auto& each : command.arguments) {
      rows.emplace_back(each.names.front(), text_with_default(each));
    }
    text += "\nArguments:\n" + table(rows);
  }
  for (const auto& [heading, options] : by_heading(command.options)) {
    Rows rows;
    for (const auto* each : options) rows.emplace_back(flag_text(*each), text_with_default(*each));
    text += "\n" + heading + ":\n" + table(rows);
  }
  return text;
}

/// A line that is too long goes on after a backslash, at a flag.
std::string example_text(const std::string& example) {
  std::string rest = "  warpmind " + example;
  std::string text;
  while (columns_of(rest) > kColumns) {
    const std::size_t flag = rest.rfind(" --", kColumns - 2);
    if (flag == std::string::npos || flag < 8) break;
    text += rest.substr(0, flag) + " \\\n";
    rest = "     " + rest.substr(flag);
  }
  return text + rest + "\n";
}

/// The flags of every command, in short.
std::string globals_text(const CommandDescription& program) {
  std::string text = "Also, as for every command:";
  for (const auto& option : program.options) {
    if (option.names.front() != "--version") text += " " + flag_text(option) + ",";
  }
  text += " --help; see `warpmind --help`";
  return "\n" + wrap(text, 0, kColumns);
}

}  // namespace

const CommandDescription* find_command(const CommandDescription& program, std::string_view path) {
  if (program.path == path) return &program;
  for (const auto& command : program.commands) {
    if (const auto* found = find_command(command, path)) return found;
  }
  return nullptr;
}

std::string flag_text(const OptionDescription& option) {
  std::string text = join_text(option.names, ", ");
  if (option.value.empty()) return text;
  text += " ";
  if (!option.only_choices) return text + option.value;
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    text += (i == 0 ? "" : "|") + option.choices[i];
  }
  return text;
}

std::string usage_of(const CommandDescription& command) {
  std::string text = command.path;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  if (!command.commands.empty()) add(command.needs_command ? "COMMAND" : "[COMMAND]");
  for (const auto& argument : command.arguments) {
    const std::string word = argument.names.front() + (argument.repeatable ? "..." : "");
    add(argument.required ? word : "[" + word + "]");
  }
  for (const auto& option : command.options) {
    if (option.required) add(flag_text(option));
  }
  if (!command.options.empty()) add("[FLAGS]");
  return text;
}

std::string text_with_default(const OptionDescription& option) {
  return option.text + (option.default_text.empty() ? "" : " [" + option.default_text + "]");
}

std::vector<std::string> examples_of(const CommandDescription& command) {
  if (!command.examples.empty()) return command.examples;
  std::vector<std::string> first;
  for (const auto& each : command.commands) {
    if (!each.examples.empty() && first.size() < kMostExamples) first.push_back(each.examples[0]);
  }
  return first;
}

std::string render_help(const CommandDescription& program, std::string_view path) {
  const CommandDescription* const command = find_command(program, path);
  if (command == nullptr) return {};
  std::string text = wrap(command->text, 0, kColumns) + "\n";
  text += "Usage: warpmind " + usage_of(*command) + "\n";
  text += commands_text(*command) + options_text(*command);
  if (command != &program) text += globals_text(program);
  const auto examples = examples_of(*command);
  if (!examples.empty()) text += "\nExamples:\n";
  for (const auto& example : examples) text += example_text(example);
  if (!command->commands.empty()) text += "\nEvery command has its own --help.\n";
  return text + (command->commands.empty() ? "\n" : "") + kExitCodes + "\n";
}

}  // namespace warpmind::clients
