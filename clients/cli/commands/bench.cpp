#include "clients/cli/commands/commands.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace warpmind::clients {

/// Becomes warpmind-bench: beside this program, else on PATH. Returns only when that fails.
ExitCode run_command(Session& session, const BenchOptions& options) {
  const std::string name = "warpmind-bench";
  std::vector<std::string> words = options.words;
  words.insert(words.begin(), name);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  session.console.out.flush();
  session.console.err.flush();

  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  if (!ec) ::execv((self.parent_path() / name).c_str(), argv.data());
  ::execvp(name.c_str(), argv.data());
  const int code = errno;
  const Error error{Errc::not_found, name + " is neither beside this program nor on PATH (" +
                                         std::strerror(code) + "); install it"};
  return report_error(session.console, error, ExitCode::environment);
}

}  // namespace warpmind::clients
