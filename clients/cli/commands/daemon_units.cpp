#include "base/codec/json_guard.h"
#include "base/file.h"
#include "clients/cli/commands/commands.h"
#include "clients/daemon_launcher.h"
#include "config/embedded_files.h"

#include <filesystem>
#include <utility>
#include <vector>

namespace warpmind::clients {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "systemd/";
constexpr std::string_view kMark = "@BINARIES@";

struct Unit {
  std::string name;
  std::string text;
};

/// For the programs in `binaries`.
std::vector<Unit> units_for(const fs::path& binaries) {
  std::vector<Unit> units;
  for (const auto& file : config::embedded_files()) {
    if (!file.name.starts_with(kFolder)) continue;
    Unit unit{std::string(file.name.substr(kFolder.size())), std::string(file.content)};
    for (auto at = unit.text.find(kMark); at != std::string::npos; at = unit.text.find(kMark)) {
      unit.text.replace(at, kMark.size(), binaries.string());
    }
    units.push_back(std::move(unit));
  }
  return units;
}

Result<fs::path> folder_for(const DaemonUnitsOptions& options) {
  if (!options.directory.empty()) return fs::absolute(options.directory);
  const char* const config = std::getenv("XDG_CONFIG_HOME");  // NOLINT(concurrency-mt-unsafe)
  if (config != nullptr && *config == '/') return fs::path(config) / "systemd" / "user";
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  if (home != nullptr && *home == '/') return fs::path(home) / ".config" / "systemd" / "user";
  return fail(Errc::invalid_argument,
              "there is no folder to write to: set HOME, or name one with --directory");
}

/// systemd splits a command at spaces, and reads '%' and '$' as its own.
Result<fs::path> plain_folder() {
  WARPMIND_TRY(const auto daemon, find_daemon());
  const fs::path folder = daemon.parent_path();
  if (folder.string().find_first_of(" \t\"'\\%$;") == std::string::npos) return folder;
  return fail(Errc::invalid_argument, "warpmindd is in '" + folder.string() +
                                          "', a path that a unit cannot hold as it is; install it "
                                          "where no blank, quote, '%' or '$' is in the path");
}

Result<void> write_all(const std::vector<Unit>& units, const fs::path& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return fail(Errc::external_failure, folder.string() + ": " + ec.message());
  for (const auto& unit : units) {
    const auto existing = read_file(folder / unit.name, std::size_t{1} << 20U);
    if (existing && *existing == unit.text) continue;
    if (existing) WARPMIND_CHECK(write_output_file(folder / (unit.name + ".backup"), *existing));
    WARPMIND_CHECK(write_output_file(folder / unit.name, unit.text));
  }
  return {};
}

constexpr std::string_view kNext =
    "systemctl --user daemon-reload\n"
    "systemctl --user enable --now warpmindd.socket    # the daemon starts when it is asked\n"
    "loginctl enable-linger                            # it stays when you log out\n";

}  // namespace

ExitCode run_command(Session& session, const DaemonUnitsOptions& options) {
  const auto binaries = plain_folder();
  if (!binaries) return report_error(session.console, binaries.error(), ExitCode::bad_input);
  const auto folder = folder_for(options);
  if (!folder) return report_error(session.console, folder.error(), ExitCode::bad_input);
  const auto units = units_for(*binaries);
  if (options.write) {
    const auto written = write_all(units, *folder);
    if (!written) return report_error(session.console, written.error(), ExitCode::bad_input);
  }
  if (session.console.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& unit : units) list.push_back({{"name", unit.name}, {"text", unit.text}});
    write_document(session.console, codec::dump_json({{"directory", folder->string()},
                                                      {"written", options.write},
                                                      {"units", std::move(list)}}));
    return ExitCode::ok;
  }
  for (const auto& unit : units) {
    session.console.out << (options.write ? "wrote " : "# ") << (*folder / unit.name).string()
                        << '\n';
    if (!options.write) session.console.out << unit.text << '\n';
  }
  session.console.out << (options.write ? "Next:\n" : "# With --write they are written; then:\n")
                      << kNext << std::flush;
  return ExitCode::ok;
}

}  // namespace warpmind::clients
