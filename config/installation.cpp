#include "config/installation.h"

#include <unistd.h>
#include <vector>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).parent_path();
}

/// ../lib as it is built, ../lib/warpmind as it is installed.
std::vector<fs::path> library_folders() {
  const fs::path lib = own_folder().parent_path() / "lib";
  return {lib, lib / "warpmind"};
}

std::vector<std::string> runtimes_like(const std::string& runtime) {
  if (!runtime.empty()) return {runtime};
  return {"libcudart.so.13", "libcudart.so.12"};
}

}  // namespace

Result<fs::path> find_own_program(const fs::path& configured, const std::string& name,
                                  const std::string& setting) {
  std::error_code ec;
  const fs::path program = fs::absolute(configured.empty() ? own_folder() / name : configured, ec);
  if (!fs::is_regular_file(program, ec) || ::access(program.c_str(), X_OK) != 0) {
    return fail(Errc::unavailable, name + " is not at " + program.string() +
                                       ": install it beside the daemon, or set " + setting);
  }
  return fs::canonical(program, ec);
}

Result<fs::path> find_simulator(const LabSettings& lab, const std::string& runtime) {
  std::error_code ec;
  std::vector<fs::path> places;
  if (lab.simulator.empty()) {
    for (const auto& folder : library_folders()) places.push_back(folder / "simulator");
  } else {
    places.push_back(fs::absolute(lab.simulator, ec));
  }
  const auto names = runtimes_like(runtime);
  for (const auto& place : places) {
    for (const auto& name : names) {
      if (fs::is_regular_file(place / name, ec)) return fs::canonical(place, ec);
    }
  }
  return fail(Errc::unavailable,
              "the simulator's " + names.front() + " is not in " + places.front().string() +
                  ": build warpmind with a CUDA toolkit of that release or a newer one, or set "
                  "lab.simulator");
}

Result<fs::path> find_recorder() {
  std::error_code ec;
  for (const auto& folder : library_folders()) {
    fs::path library = folder / "libwarpmind_record.so";
    if (fs::is_regular_file(library, ec)) return library;
  }
  return fail(Errc::unavailable,
              "libwarpmind_record.so is not beside this program, in ../lib or ../lib/warpmind; "
              "install it, or use --provider sim");
}

}  // namespace warpmind::config
