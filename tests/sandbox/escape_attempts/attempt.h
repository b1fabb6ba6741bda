#pragma once
/// \file
/// Ways out of a sandbox, each a function that really tries. All they touch belongs to the test
/// that names it: files, sockets, shared memory and one process (the victim). What belongs to the
/// system is opened at most, and never written.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace escape {

/// What is out there to be reached, as the test says on the command line ("name=value").
class Targets {
 public:
  explicit Targets(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  [[nodiscard]] const std::string& text(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] long number(const std::string& name) const {
    return std::stol(values_.at(name), nullptr, 0);
  }
  [[nodiscard]] int victim() const { return static_cast<int>(number("victim")); }

 private:
  std::map<std::string, std::string> values_;
};

enum class Needs { nothing, root };

struct Attempt {
  const char* name;
  Needs needs;                      ///< outside of any sandbox
  bool (*escapes)(const Targets&);  ///< false: errno says why
};

/// 0, the way out is open; else errno is set, as system calls do it.
[[nodiscard]] inline bool worked(long result) { return result >= 0; }

/// Whether `file` can be read and holds `secret`.
[[nodiscard]] bool holds(const std::string& file, std::string_view secret);
/// Whether `file` can be opened. Nothing is read or written.
[[nodiscard]] bool opens(const std::string& file, int flags);
/// A folder that the process may write: the job's own, /tmp, or the current one.
[[nodiscard]] std::string writable_folder();

[[nodiscard]] const std::vector<Attempt>& file_attempts();
[[nodiscard]] const std::vector<Attempt>& socket_attempts();
[[nodiscard]] const std::vector<Attempt>& process_attempts();
[[nodiscard]] const std::vector<Attempt>& kernel_attempts();

/// Keeps `secret` in memory, says where when it is asked, and lives until its input closes.
int be_victim(std::string_view secret);

}  // namespace escape
