#include "config/program_task_makefile.h"

#include "base/text.h"

#include <algorithm>

namespace warpmind::config {
namespace {

constexpr std::string_view kBlank = " \t\r";
/// Of one text: variables that hold each other twice double with every line.
constexpr std::size_t kMostExpanded = std::size_t{64} << 10U;

/// $(name) and ${name} by their values; nothing when that becomes too long.
std::string expanded(std::string_view text, const std::map<std::string, std::string>& variables) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char close = at + 1 < text.size() && text[at + 1] == '(' ? ')' : '}';
    if (text[at] != '$' || at + 1 == text.size() || (text[at + 1] != '(' && text[at + 1] != '{')) {
      out += text[at];
      continue;
    }
    const auto end = text.find(close, at);
    if (end == std::string_view::npos) break;
    const auto found = variables.find(std::string(text.substr(at + 2, end - at - 2)));
    if (found != variables.end()) out += found->second;
    if (out.size() > kMostExpanded) return {};
    at = end;
  }
  return out;
}

/// `NAME = value`, `NAME := value`, `NAME ?= value`.
void take_assignment(std::string_view line, std::map<std::string, std::string>& variables) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || line.substr(0, equals).find('+') != line.npos) return;
  auto end = equals;
  while (end > 0 && (line[end - 1] == ':' || line[end - 1] == '?')) --end;
  const std::string name(trim_text(line.substr(0, end), kBlank));
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (fits)
    variables[name] = std::string(trim_text(expanded(line.substr(equals + 1), variables), kBlank));
}

}  // namespace

MakefileRun read_makefile(std::string_view text) {
  MakefileRun out;
  bool in_run = false;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with('\t')) {
      std::string command(trim_text(expanded(line, out.variables), kBlank));
      while (command.starts_with('@') || command.starts_with('-')) command.erase(0, 1);
      if (in_run && out.command.empty()) out.command = std::string(trim_text(command, kBlank));
      continue;
    }
    in_run = line.starts_with("run:") || line.starts_with("run :");
    const std::string_view code = line.substr(0, line.find('#'));
    if (!in_run) take_assignment(code, out.variables);
  }
  return out;
}

}  // namespace warpmind::config
