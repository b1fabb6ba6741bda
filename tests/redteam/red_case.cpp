#include "tests/redteam/red_case.h"

#include "base/file.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace warpmind::redteam {
namespace {

constexpr std::string_view kMark = "//@ ";
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Parts between separators, outside of parentheses.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (auto& part : parts) part = trimmed(part);
  return parts;
}

std::array<std::string, 3> extents(const std::string& text) {
  std::array<std::string, 3> all{"1", "1", "1"};
  const auto parts = split(text, ',');
  for (std::size_t i = 0; i < std::min<std::size_t>(3, parts.size()); ++i) all[i] = parts[i];
  return all;
}

Result<Launch> read_launch(const std::string& text) {
  const auto parts = split(text, '|');
  if (parts.size() < 4) return fail(Errc::invalid_argument, "a launch needs four parts: " + text);
  Launch launch;
  launch.kernel = parts[0];
  launch.grid = extents(parts[1]);
  launch.block = extents(parts[2]);
  launch.arguments = split(parts[3], ',');
  if (parts.size() > 4) launch.shared_bytes = parts[4];
  return launch;
}

Result<ScratchBuffer> read_scratch(const std::string& text) {
  std::istringstream words(text);
  std::string dtype;
  std::string zeroed;
  ScratchBuffer scratch;
  words >> scratch.name >> dtype >> scratch.elements >> zeroed;
  const auto type = parse_enum<Dtype>(dtype);
  if (!type) return fail(Errc::invalid_argument, "no dtype: " + text);
  scratch.dtype = *type;
  scratch.zeroed = zeroed == "zeroed";
  return scratch;
}

std::string with_new_lines(std::string text) {
  constexpr std::string_view kNewLine = "\\n";
  for (auto at = text.find(kNewLine); at != std::string::npos; at = text.find(kNewLine, at)) {
    text.replace(at, kNewLine.size(), "\n");
  }
  return text;
}

Result<std::pair<std::string, std::string>> read_edit(const std::string& text) {
  constexpr std::string_view kArrow = " =>";
  const auto arrow = text.find(kArrow);
  if (arrow == std::string::npos) return fail(Errc::invalid_argument, "no FROM => TO: " + text);
  return std::pair(with_new_lines(text.substr(0, arrow)),
                   with_new_lines(trimmed(text.substr(arrow + kArrow.size()))));
}

/// What does not fit the source does not build.
std::string edited(std::string source,
                   const std::vector<std::pair<std::string, std::string>>& edits) {
  for (const auto& [from, to] : edits) {
    const auto at = source.find(from);
    if (at == std::string::npos) return "#error \"the task's kernel has no: " + from + "\"\n";
    source.replace(at, from.size(), to);
  }
  return source;
}

/// One "//@ WORD VALUE" of a case. Errors: invalid_argument.
Result<void> read_line(RedCase& one, const std::string& word, const std::string& value) {
  if (word == "task") {
    one.task = value;
  } else if (word == "tier") {
    one.kernel.tier = Tier::b;
    one.kernel.entry = "run";
  } else if (word == "timed") {
    one.timed = true;
  } else if (word == "simulator") {
    one.simulator = true;
  } else if (word == "reason") {
    one.reason = value;
  } else if (word == "by_given") {
    one.by_given = value;
  } else if (word == "unseen") {
    one.unseen = true;
  } else if (word == "expect" && value == "accepted") {
    one.outcome.reset();
  } else if (word == "expect" && value == "no_gain") {
    one.no_gain = true;
  } else if (word == "expect") {
    one.outcome = parse_enum<Outcome>(value);
    if (!one.outcome) return fail(Errc::invalid_argument, "no outcome: " + value);
  } else if (word == "edit") {
    WARPMIND_TRY(auto edit, read_edit(value));
    one.edits.push_back(std::move(edit));
  } else if (word == "launch") {
    WARPMIND_TRY(auto launch, read_launch(value));
    one.kernel.plan.launches.push_back(std::move(launch));
  } else if (word == "cooperative" && !one.kernel.plan.launches.empty()) {
    one.kernel.plan.launches.back().cooperative = true;
  } else if (word == "scratch") {
    WARPMIND_TRY(auto scratch, read_scratch(value));
    one.kernel.plan.scratch.push_back(std::move(scratch));
  } else {
    return fail(Errc::invalid_argument, "unknown line: " + word);
  }
  return {};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const RedCase& one) { return out << one.name; }

Result<std::vector<RedCase>> read_cases(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kMostBytes));
  std::vector<RedCase> cases;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kMark)) {
      if (!cases.empty()) cases.back().kernel.source += line + "\n";
      continue;
    }
    const std::string rest = line.substr(kMark.size());
    const std::string word = rest.substr(0, rest.find(' '));
    const std::string value = trimmed(rest.substr(std::min(rest.size(), word.size())));
    if (word == "case") {
      cases.emplace_back().name = file.stem().string() + "." + value;
      continue;
    }
    if (cases.empty()) return fail(Errc::invalid_argument, file.string() + ": no case yet");
    if (auto read = read_line(cases.back(), word, value); !read) {
      return fail(read.error().code, file.string() + ": " + read.error().message);
    }
  }
  return cases;
}

Result<std::vector<RedCase>> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<RedCase> all;
  for (const auto& file : files) {
    WARPMIND_TRY(auto cases, read_cases(file));
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

Kernel kernel_for(const RedCase& one, const Task& task) {
  Kernel kernel = one.kernel;
  if (!one.edits.empty()) kernel.source = edited(task.kernel.source, one.edits);
  if (!kernel.plan.launches.empty()) return kernel;
  if (kernel.tier == Tier::a) {
    kernel.plan = task.kernel.plan;
    return kernel;
  }
  Launch& call = kernel.plan.launches.emplace_back();
  for (const auto& argument : task.arguments) call.arguments.push_back(argument.name);
  return kernel;
}

}  // namespace warpmind::redteam
