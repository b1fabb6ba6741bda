#include "config/program_task_needs.h"

#include "base/file.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/xdg_paths.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<fs::path>;

constexpr std::size_t kMostPasswdBytes = std::size_t{4} << 20U;
constexpr int kFirstPerson = 1000;  // smaller numbers are services of the system

constexpr std::array kClosed{"/proc", "/dev", "/sys", "/run"};
/// Of all people, or with keys and data of services.
constexpr std::array kAsked{"/home", "/root", "/etc", "/var", "/tmp", "/boot"};

void add(Folders& folders, const fs::path& path) {
  if (!path.is_absolute() || path == "/") return;
  std::error_code ec;
  const fs::path place = fs::weakly_canonical(path, ec);
  folders.push_back(ec ? path.lexically_normal() : place);
}

/// Where people live who do not live in /home.
Folders homes_of_people() {
  Folders homes;
  const auto text = read_file("/etc/passwd", kMostPasswdBytes);
  if (!text) return homes;
  for (const auto line : split_lines(*text)) {
    const auto fields =
        split_terminated(line, ':');  // name, password, user, group, remark, home, shell
    int user = -1;
    if (fields.size() < 6) continue;
    std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), user);
    if (user == 0 || user >= kFirstPerson) homes.emplace_back(fields[5]);
  }
  return homes;
}

/// The folder of `places` that `path` lies in, or that lies in `path`; null = none.
const fs::path* touched(const fs::path& path, const Folders& places) {
  const auto found = std::find_if(places.begin(), places.end(), [&](const fs::path& place) {
    return begins_with(path, place) || begins_with(place, path);
  });
  return found == places.end() ? nullptr : &*found;
}

bool is_within_one(const fs::path& path, const Folders& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& folder) { return begins_with(path, folder); });
}

std::string relation(const fs::path& path, const fs::path& place) {
  if (path == place) return "is private";
  return (begins_with(path, place) ? "lies in " : "contains ") + place.string();
}

}  // namespace

PrivateFolders private_folders(const Settings& settings, const Environment& environment,
                               std::string_view allowed) {
  PrivateFolders places;
  for (const char* folder : kClosed) add(places.closed, folder);
  for (const fs::path& own :
       {settings.daemon.state_directory, settings.daemon.socket, settings.knowledge.directory,
        settings.toolchain.cache_directory, settings.lab.record_directory}) {
    add(places.closed, own);
  }
  for (const auto& xdg : {kXdgConfig, kXdgState, kXdgCache}) {
    if (const auto folder = xdg_directory(environment, xdg)) {
      add(places.closed, *folder / "warpmind");
    }
  }
  for (const char* folder : kAsked) add(places.asked, folder);
  for (const auto& home : homes_of_people()) add(places.asked, home);
  if (const auto home = environment.find("HOME"); home != environment.end()) {
    add(places.asked, home->second);
  }
  add(places.asked, settings.lab.scratch_directory);
  for (const auto folder : split_terminated(allowed, ':')) add(places.allowed, folder);
  return places;
}

Result<void> check_needs(const ProgramTask& task, const fs::path& folder,
                         const PrivateFolders& places) {
  std::error_code ec;
  const fs::path own = fs::canonical(folder, ec);
  const bool is_home = contains(places.asked, own);
  for (std::size_t i = 0; i < task.needs.size(); ++i) {
    const fs::path place = fs::canonical(task.needs[i], ec);
    if (ec) return fail(Errc::invalid_argument, task.needs[i] + ": " + ec.message());
    const std::string name = "needs[" + std::to_string(i) + "]: " + task.needs[i] +
                             (place == task.needs[i] ? " " : ", which is " + place.string() + ", ");
    if (const auto* const closed = touched(place, places.closed)) {
      return fail(Errc::invalid_argument,
                  name + relation(place, *closed) + ", and no program gets to see that");
    }
    const bool is_own = !is_home && begins_with(place, own);
    const auto* const asked = touched(place, places.asked);
    if (asked == nullptr || is_own || is_within_one(place, places.allowed)) continue;
    return fail(Errc::invalid_argument,
                name + relation(place, *asked) +
                    "; to let programs read it, add it to the setting lab.program_folders");
  }
  return {};
}

}  // namespace warpmind::config
