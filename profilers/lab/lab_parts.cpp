#include "profilers/lab/lab_parts.h"

#include <cmath>
#include <unistd.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;

double NoiseRecord::value() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

Result<fs::path> find_own_program(const fs::path& configured, const std::string& name,
                                  const std::string& setting) {
  std::error_code ec;
  fs::path program = configured;
  if (program.empty()) program = fs::read_symlink("/proc/self/exe", ec).parent_path() / name;
  program = fs::absolute(program, ec);
  if (!fs::is_regular_file(program, ec) || ::access(program.c_str(), X_OK) != 0) {
    return fail(Errc::unavailable, name + " is not at " + program.string() +
                                       ": install it beside the daemon, or set " + setting);
  }
  return fs::canonical(program, ec);
}

}  // namespace warpmind::profilers
