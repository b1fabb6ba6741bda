#include "profilers/sanitizer/sanitizer_command.h"

#include "profilers/sandbox/mounts.h"
#include "profilers/sandbox/sandbox.h"

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr const char* kName = "compute-sanitizer";
/// Behind every allocation, bytes: an access that far past a buffer meets no other buffer.
constexpr const char* kPaddingBytes = "65536";
/// Reports that are printed; one bad line of a kernel makes thousands.
constexpr const char* kMostReports = "100";

bool is_program(const fs::path& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<SanitizerTool> sanitizer_tools(Effort effort) {
  using enum SanitizerTool;
  switch (effort) {
    case Effort::quick: return {};
    case Effort::normal: return {memcheck};
    case Effort::strict: break;
  }
  return {memcheck, racecheck, initcheck, synccheck};
}

Result<fs::path> find_sanitizer(const fs::path& configured, const fs::path& toolkit) {
  std::error_code ec;
  if (!configured.empty()) {
    const fs::path program = fs::absolute(configured, ec);
    if (is_program(program)) return fs::canonical(program, ec);
    return fail(Errc::unavailable, "compute-sanitizer is not at " + program.string() +
                                       ": correct lab.sanitizer, or leave it empty");
  }
  // The toolkit's bin/ has a script that starts the program in the folder beside.
  for (const fs::path& place : {toolkit / kName / kName, toolkit / "bin" / kName}) {
    if (!toolkit.empty() && is_program(place)) return fs::canonical(place, ec);
  }
  const char* search_path = std::getenv("PATH");
  const fs::path found = find_program(kName, search_path == nullptr ? "" : search_path);
  if (!found.empty()) return fs::canonical(found, ec);
  return fail(Errc::unavailable, "compute-sanitizer is neither in " + toolkit.string() +
                                     " nor on PATH: install the CUDA toolkit's package "
                                     "cuda-sanitizer, or set lab.sanitizer");
}

std::string sanitizer_log(SanitizerTool tool) {
  return "out/sanitizer-" + std::string(name_of(tool)) + ".log";
}

RunnerPlace sanitized_place(const RunnerPlace& place, const fs::path& program, SanitizerTool tool) {
  RunnerPlace checked = place;
  checked.program = program;
  checked.starts_processes = true;
  // Its libraries lie beside it, or beside the folder of the script that starts it.
  const fs::path folder = program.parent_path();
  checked.read_only = own_mounts(place.program);
  checked.read_only.push_back(folder);
  std::error_code ec;
  const fs::path beside = folder.parent_path() / kName;
  if (beside != folder && fs::is_directory(beside, ec)) checked.read_only.push_back(beside);
  checked.arguments = {"--tool",
                       std::string(name_of(tool)),
                       "--log-file",
                       sanitizer_log(tool),
                       "--print-limit",
                       kMostReports,
                       "--show-backtrace",
                       "device",
                       "--report-api-errors",
                       "no"};
  if (tool == SanitizerTool::memcheck) {
    checked.arguments.insert(checked.arguments.end(), {"--padding", kPaddingBytes});
  }
  if (tool == SanitizerTool::racecheck) {
    checked.arguments.insert(checked.arguments.end(), {"--racecheck-report", "analysis"});
  }
  checked.arguments.push_back(place.program.string());
  checked.arguments.insert(checked.arguments.end(), place.arguments.begin(), place.arguments.end());
  return checked;
}

}  // namespace warpmind::profilers
