#include "profilers/judge/case_files.h"

#include <fstream>
#include <sys/random.h>
#include <system_error>

namespace warpmind::profilers {
namespace fs = std::filesystem;

Result<std::uint64_t> draw_seed(std::uint64_t fixed) {
  if (fixed != 0) return fixed;
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    return fail(Errc::external_failure, "getrandom gave no seed");
  }
  return seed;
}

Result<const Workload*> workload_named(const Task& task, const std::string& name) {
  for (const Workload& workload : task.workloads) {
    if (workload.name == name) return &workload;
  }
  return fail(Errc::not_found, "the task has no workload named " + name);
}

Result<void> make_job_directory(const fs::path& directory) {
  std::error_code code;
  for (const char* part : {"in", "out"}) {
    fs::create_directories(directory / part, code);
    if (code) {
      return fail(Errc::external_failure,
                  "cannot create " + (directory / part).string() + ": " + code.message());
    }
  }
  return {};
}

Result<void> write_raw(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    return fail(Errc::external_failure,
                "cannot write " + path.string() + "; is the disk full or the directory gone?");
  }
  return {};
}

}  // namespace warpmind::profilers
