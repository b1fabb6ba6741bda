// Writes a program that calls the launcher of a KernelBlaster problem without libtorch.
//   level1_driver PROBLEM_DIRECTORY > driver.cu
// PROBLEM_DIRECTORY holds init.cu and driver.cpp.

#include "base/file.h"
#include "tests/bench/level1/launcher_call.h"

#include <cstdio>

namespace {

using namespace warpmind;

constexpr std::size_t kSourceLimitBytes = std::size_t{4} << 20U;

Result<std::string> make(const std::filesystem::path& problem) {
  WARPMIND_TRY(const std::string kernel, read_file(problem / "init.cu", kSourceLimitBytes));
  WARPMIND_TRY(const std::string driver, read_file(problem / "driver.cpp", kSourceLimitBytes));
  WARPMIND_TRY(const auto arguments, level1::launcher_call(kernel, driver));
  return level1::driver_program((problem / "init.cu").string(), arguments);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: level1_driver PROBLEM_DIRECTORY > driver.cu\n");
    return 2;
  }
  const auto program = make(argv[1]);
  if (!program) {
    std::fprintf(stderr, "%s\n", program.error().message.c_str());
    return 1;
  }
  std::fputs(program->c_str(), stdout);
  return 0;
}
