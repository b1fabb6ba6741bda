#include "profilers/simulator/exec/launch.h"

#include "profilers/simulator/exec/block_runner.h"
#include "profilers/simulator/exec/launch_check.h"
#include "profilers/simulator/exec/launch_session.h"

#include <algorithm>
#include <cmath>

namespace warpmind::simulator {
namespace {

/// Basic blocks that a warp runs before the next one gets its turn: warps that spin on a flag of
/// another must not spin for ever.
constexpr std::uint32_t kSlice = 1U << 14U;

/// The block at `position` of a sample with one block in each `stride`. The place within the stride
/// moves by the golden ratio: with a fixed one, a stride that is a multiple of the grid's width
/// would take every block from the grid's left edge.
std::uint64_t sampled_block(std::uint64_t position, std::uint64_t stride) {
  constexpr double kGolden = 0.6180339887498949;
  const double turn = static_cast<double>(position) * kGolden;
  const double share = turn - std::floor(turn);
  return position * stride + static_cast<std::uint64_t>(share * static_cast<double>(stride));
}

SharedChecks shared_checks(const LaunchOptions& options) {
  if (options.check_shared_races) return SharedChecks::races;
  return options.check_initialised ? SharedChecks::initialised : SharedChecks::none;
}

}  // namespace

Result<LaunchRecord> run_launch(const LaunchRequest& request, const LaunchOptions& options,
                                DeviceMemory& memory) {
  WARPMIND_CHECK(check_launch(request));
  LaunchSession session(request, options, memory, CacheGeometry{});
  BlockRunner runner(session.state(), session.counters(), session.flow(), shared_checks(options),
                     0);
  const std::uint64_t blocks = session.blocks();
  const bool sampled = options.block_limit > 0 && options.block_limit < blocks;
  const std::uint64_t wanted = sampled ? options.block_limit : blocks;
  const std::uint64_t stride = sampled ? blocks / options.block_limit : 1;
  std::uint64_t ran = 0;
  while (ran < wanted && session.going_on()) {
    const std::uint64_t position = options.reversed ? wanted - 1 - ran : ran;
    runner.start(sampled_block(position, stride));
    while (runner.step(kSlice, options.reversed)) {
    }
    ++ran;
    if (options.instruction_budget > 0 &&
        session.warp_instructions() > options.instruction_budget) {
      break;
    }
  }
  return session.record(ran);
}

}  // namespace warpmind::simulator
