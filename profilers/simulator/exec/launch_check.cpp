#include "profilers/simulator/exec/launch_check.h"

#include <string>

namespace warpmind::simulator {
namespace {

// CUDA C++ programming guide, table "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint32_t kMostBlockZ = 64;
constexpr std::uint32_t kMostGridX = 0x7fffffff;
constexpr std::uint32_t kMostGridYZ = 65535;

std::uint64_t volume(const Dim3& extents) {
  return std::uint64_t{extents[0]} * extents[1] * extents[2];
}

std::string shape(const Dim3& extents) {
  return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
         std::to_string(extents[2]);
}

Result<void> check_block(const LaunchRequest& request) {
  const Dim3& block = request.block;
  const Program& program = request.program;
  const std::uint64_t threads = volume(block);
  const bool fits = threads > 0 && threads <= kMostThreads && block[2] <= kMostBlockZ;
  if (!fits || block[0] > kMostThreads || block[1] > kMostThreads) {
    return fail(Errc::invalid_argument, "kernel " + program.name + ": a block of " + shape(block) +
                                            " threads; at most 1024 in all, and 64 along z");
  }
  if (program.most_threads > 0 && threads > program.most_threads) {
    return fail(Errc::invalid_argument, "kernel " + program.name + ": a block of " +
                                            std::to_string(threads) +
                                            " threads exceeds its __launch_bounds__ of " +
                                            std::to_string(program.most_threads));
  }
  return {};
}

}  // namespace

Result<void> check_launch(const LaunchRequest& request) {
  const Program& program = request.program;
  if (!program.unsupported.empty()) {
    return fail(Errc::invalid_argument,
                "kernel " + program.name + " cannot run in the simulator: " + program.unsupported);
  }
  if (!program.is_entry) {
    return fail(Errc::invalid_argument, program.name + " is a device function, not a kernel");
  }
  WARPMIND_CHECK(check_block(request));
  const Dim3& grid = request.grid;
  if (volume(grid) == 0 || grid[0] > kMostGridX || grid[1] > kMostGridYZ || grid[2] > kMostGridYZ) {
    return fail(Errc::invalid_argument,
                "kernel " + program.name + ": a grid of " + shape(grid) +
                    " blocks; at most 2147483647 along x, 65535 along y and z, and none is zero");
  }
  if (request.parameters.size() < program.parameter_bytes) {
    return fail(Errc::invalid_argument,
                "kernel " + program.name + " takes " + std::to_string(program.parameter_bytes) +
                    " bytes of parameters; " + std::to_string(request.parameters.size()) +
                    " were given");
  }
  return {};
}

}  // namespace warpmind::simulator
