#include "base/process_stat.h"

#include "base/file.h"

#include <filesystem>
#include <iterator>
#include <sstream>
#include <vector>

namespace warpmind {
namespace {

constexpr std::size_t kMostBytes = 4096;
constexpr std::size_t kFirst = 3;  // field behind the program's name
constexpr std::size_t kParent = 4 - kFirst;
constexpr std::size_t kFlags = 9 - kFirst;
constexpr std::size_t kStart = 22 - kFirst;

}  // namespace

std::optional<ProcessStat> process_stat(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", kMostBytes);
  if (!text) return std::nullopt;
  const std::size_t name = text->rfind(')');  // the name may hold anything
  if (name == std::string::npos) return std::nullopt;
  std::istringstream rest(text->substr(name + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  if (fields.size() <= kStart) return std::nullopt;
  ProcessStat stat;
  stat.state = fields.front().front();
  std::istringstream(fields[kParent]) >> stat.parent;
  std::istringstream(fields[kFlags]) >> stat.flags;
  stat.start = fields[kStart];
  return stat;
}

std::string pid_namespace() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/ns/pid", ec).string();
}

}  // namespace warpmind
