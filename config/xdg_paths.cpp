#include "config/xdg_paths.h"

#include <sys/un.h>
#include <unistd.h>

namespace warpmind::config {
namespace {

// The value of a variable that holds an absolute path, else nullopt.
std::optional<std::filesystem::path> absolute_variable(const Environment& environment,
                                                       std::string_view name) {
  const auto found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  std::filesystem::path path(found->second);
  if (!path.is_absolute()) return std::nullopt;
  return path;
}

Result<std::filesystem::path> need_directory(const Environment& environment,
                                             const XdgFolder& folder, std::string_view setting) {
  auto directory = xdg_directory(environment, folder);
  if (!directory) {
    return fail(Errc::invalid_argument, "setting '" + std::string(setting) +
                                            "' has no place to default to: set HOME, " +
                                            std::string(folder.variable) + " or the setting");
  }
  return *directory / "warpmind";
}

std::filesystem::path default_scratch(const Environment& environment) {
  if (::access("/dev/shm", W_OK | X_OK) == 0) return "/dev/shm";
  return absolute_variable(environment, "TMPDIR").value_or("/tmp");
}

Result<void> check_socket(const std::filesystem::path& socket) {
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  const std::size_t length = socket.string().size();
  if (length <= kLongest) return {};
  return fail(Errc::invalid_argument, "setting 'daemon.socket' must be at most " +
                                          std::to_string(kLongest) + " bytes long, not " +
                                          std::to_string(length) + ": '" + socket.string() +
                                          "'; choose a shorter path");
}

}  // namespace

std::optional<std::filesystem::path> xdg_directory(const Environment& environment,
                                                   const XdgFolder& folder) {
  if (auto path = absolute_variable(environment, folder.variable)) return path;
  auto home = absolute_variable(environment, "HOME");
  if (!home) return std::nullopt;
  return *home / folder.below_home;
}

std::filesystem::path expanded_path(const std::filesystem::path& path,
                                    const std::filesystem::path& start,
                                    const Environment& environment) {
  if (path.empty()) return path;
  const std::string text = path.string();
  const auto home = absolute_variable(environment, "HOME");
  if (text.starts_with("~/") && home) return (*home / text.substr(2)).lexically_normal();
  return (start / path).lexically_normal();
}

Result<void> resolve_paths(const Environment& environment, Settings& settings) {
  auto& state = settings.daemon.state_directory;
  if (state.empty()) {
    WARPMIND_TRY(state, need_directory(environment, kXdgState, "daemon.state_directory"));
  }
  if (settings.daemon.socket.empty()) {
    const auto runtime = absolute_variable(environment, "XDG_RUNTIME_DIR");
    settings.daemon.socket = (runtime ? *runtime / "warpmind" : state / "run") / "warpmindd.sock";
  }
  if (settings.knowledge.directory.empty()) settings.knowledge.directory = state / "knowledge";
  if (settings.toolchain.cache_directory.empty()) {
    WARPMIND_TRY(const auto cache,
                 need_directory(environment, kXdgCache, "toolchain.cache_directory"));
    settings.toolchain.cache_directory = cache / "build";
  }
  if (settings.episode.skill_directory.empty()) {
    if (const auto data = xdg_directory(environment, kXdgData)) {
      settings.episode.skill_directory = *data / "warpmind" / "skills";
    } else {
      settings.episode.skill_directory = state / "skills";
    }
  }
  if (settings.lab.scratch_directory.empty()) {
    settings.lab.scratch_directory = default_scratch(environment);
  }
  return check_socket(settings.daemon.socket);
}

}  // namespace warpmind::config
