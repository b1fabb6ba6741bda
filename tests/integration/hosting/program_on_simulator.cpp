#include "tests/integration/hosting/program_on_simulator.h"

#include "base/file.h"

#include <cstdlib>

namespace warpmind::hosting {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 24U;

std::string text_of(const std::filesystem::path& file) {
  auto text = read_file(file, kMost);
  return text ? *text : std::string();
}

}  // namespace

bool can_run_programs() {
  return !std::string(WARPMIND_NVCC).empty() && !std::string(WARPMIND_CUDART_FOLDER).empty();
}

Result<ProgramRun> run_program(const std::string& source, const std::filesystem::path& scratch,
                               const std::string& name) {
  const auto file = scratch / (name + ".cu");
  const auto program = scratch / name;
  const auto errors = scratch / (name + ".errors");
  WARPMIND_CHECK(write_file_atomic(file, source));
  const std::string build =
      WARPMIND_NVCC " -std=c++17 -gencode arch=compute_90,code=compute_90 -cudart shared " +
      file.string() + " -o " + program.string() + " > " + errors.string() + " 2>&1";
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a test
  if (std::system(build.c_str()) != 0) return fail(Errc::external_failure, text_of(errors));
  ProgramRun run;
  run.record = scratch / (name + ".record");
  const auto output = scratch / (name + ".output");
  const std::string command = "env LD_LIBRARY_PATH=" WARPMIND_CUDART_FOLDER
                              " CUDASIM_PRINT=on CUDASIM_TRACE=" +
                              run.record.string() + " timeout 120 " + program.string() + " > " +
                              output.string() + " 2> " + errors.string();
  run.status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
  run.output = text_of(output);
  run.errors = text_of(errors);
  return run;
}

}  // namespace warpmind::hosting
