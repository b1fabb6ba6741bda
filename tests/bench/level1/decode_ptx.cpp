// Decodes PTX files with the simulator and says what it cannot run.
//   level1_decode FILE.ptx …
// One line a file: "FILE ok KERNELS" or "FILE bad REASON". Ends with 1 if one was bad.

#include "base/file.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <cstdio>

namespace {

using namespace warpmind;

constexpr std::size_t kPtxLimitBytes = std::size_t{64} << 20U;

/// How many kernels the file has. Errors: the first thing that is unknown.
Result<int> decode(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kPtxLimitBytes));
  WARPMIND_TRY(auto syntax, simulator::ptx::parse_ptx(text));
  // Nothing runs, so any addresses do.
  std::uint64_t next = std::uint64_t{1} << 40U;
  const auto place = [&next](const simulator::ptx::Variable&) { return next += 1U << 20U; };
  WARPMIND_TRY(const auto module, simulator::compile_module(std::move(syntax), place));
  int kernels = 0;
  for (const auto& program : module->programs) {
    if (!program->unsupported.empty()) return fail(Errc::unavailable, program->unsupported);
    kernels += program->is_entry ? 1 : 0;
  }
  return kernels;
}

}  // namespace

int main(int argc, char** argv) {
  int bad = 0;
  for (int i = 1; i < argc; ++i) {
    const auto kernels = decode(argv[i]);
    if (kernels) {
      std::printf("%s ok %d\n", argv[i], *kernels);
    } else {
      std::printf("%s bad %s\n", argv[i], kernels.error().message.c_str());
      ++bad;
    }
  }
  return bad == 0 ? 0 : 1;
}
