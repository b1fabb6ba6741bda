#include "tests/transcript/transcript.h"

#include <fnmatch.h>
#include <fstream>

#include <nlohmann/json.hpp>

namespace warpmind::tests {
namespace {

using nlohmann::json;

bool matches(const json& expected, const json& actual) {
  if (expected.is_string() && expected.get<std::string>().find('*') != std::string::npos) {
    const auto pattern = expected.get<std::string>();
    if (pattern == "*") return true;
    return actual.is_string() &&
           ::fnmatch(pattern.c_str(), actual.get<std::string>().c_str(), 0) == 0;
  }
  if (expected.is_array() && actual.is_array() && expected.size() == actual.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!matches(expected[i], actual[i])) return false;
    }
    return true;
  }
  if (!expected.is_object() || !actual.is_object()) return expected == actual;
  std::size_t named = 0;
  for (const auto& [key, value] : expected.items()) {
    if (key == "...") continue;
    if (!actual.contains(key) || !matches(value, actual[key])) return false;
    ++named;
  }
  return expected.contains("...") || named == actual.size();
}

class Player {
 public:
  Player(DaemonProcess& daemon, std::string tasks)
      : daemon_(daemon), tasks_(std::move(tasks)), client_(WireClient::greeted(daemon.socket())) {}

  /// "" or what is wrong.
  std::string play(const std::string& raw) {
    const std::string line = substitute(raw);
    const auto argument = [&line](std::size_t from) { return line.substr(from); };
    if (line.starts_with("> ")) {
      (void)client_.send(argument(2) + "\n");
    } else if (line.starts_with("!half ")) {
      (void)client_.send(argument(6));
    } else if (line.starts_with("!repeat ")) {
      repeat(argument(8));
    } else if (line == "!open") {
      client_ = WireClient::greeted(daemon_.socket());
    } else if (line == "!eof") {
      return client_.at_end() ? "" : "the daemon did not close the connection";
    } else if (line.starts_with("!exit ")) {
      const int status = daemon_.wait();
      return std::to_string(status) == argument(6) ? "" : "exit status " + std::to_string(status);
    } else if (line.starts_with("!skip ")) {
      return skip(json::parse(argument(6)));
    } else if (line.starts_with("< ")) {
      return expect(json::parse(argument(2)));
    } else {
      return "unknown directive";
    }
    return "";
  }

 private:
  [[nodiscard]] std::string substitute(std::string line) const {
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"$TASKS", tasks_},
                                      std::pair<std::string, std::string>{"$JOB", job_},
                                      std::pair<std::string, std::string>{"$ID", insight_},
                                      std::pair<std::string, std::string>{"$SCRATCH", scratch()}}) {
      for (auto at = line.find(name); at != std::string::npos; at = line.find(name)) {
        line.replace(at, name.size(), value);
      }
    }
    return line;
  }

  /// A folder of this daemon's own: its home.
  [[nodiscard]] std::string scratch() const {
    return daemon_.socket().parent_path().parent_path().string();
  }

  void repeat(const std::string& argument) {
    const auto space = argument.find(' ');
    const std::string text = argument.substr(space + 1);
    std::string all;
    for (std::size_t n = std::stoul(argument.substr(0, space)); n > 0; --n) all += text;
    (void)client_.send(all + "\n");  // the daemon may close in the middle
  }

  std::optional<json> next() {
    const auto line = client_.read_line();
    if (!line) return std::nullopt;
    auto value = json::parse(*line, nullptr, false);
    const auto result = value.find("result");  // an editor's may be a list or nothing
    if (result == value.end() || !result->is_object()) return value;
    if (const auto id = value.value("/result/job_id"_json_pointer, ""); !id.empty()) job_ = id;
    if (const auto id = value.value("/result/insight/id"_json_pointer, ""); !id.empty()) {
      insight_ = id;
    }
    return value;
  }

  std::string expect(const json& expected) {
    const auto actual = next();
    if (!actual) return client_.timed_out() ? "nothing came" : "the daemon closed the connection";
    return matches(expected, *actual) ? "" : "got " + actual->dump();
  }

  std::string skip(const json& expected) {
    std::string last;
    while (const auto actual = next()) {
      if (matches(expected, *actual)) return "";
      last = actual->dump();
    }
    return "never came; the last line was " + last;
  }

  DaemonProcess& daemon_;
  std::string tasks_;
  std::string job_;
  std::string insight_;
  WireClient client_;
};

}  // namespace

std::string run_transcript(const std::filesystem::path& file, DaemonProcess& daemon,
                           const std::filesystem::path& tasks) {
  std::ifstream in(file);
  if (!in) return "cannot read " + file.string();
  Player player(daemon, tasks.string());
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (const auto problem = player.play(line); !problem.empty()) {
      std::string where = file.filename().string();
      where += ':';
      where += std::to_string(number);
      return where.append(": ").append(line).append("\n  ").append(problem);
    }
  }
  return "";
}

}  // namespace warpmind::tests
