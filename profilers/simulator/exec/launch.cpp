#include "profilers/simulator/exec/launch.h"

#include "profilers/simulator/exec/block_order.h"
#include "profilers/simulator/exec/block_runner.h"
#include "profilers/simulator/exec/launch_check.h"
#include "profilers/simulator/exec/launch_session.h"

namespace warpmind::simulator {
namespace {

/// Basic blocks that a warp runs before the next one gets its turn: warps that spin on a flag of
/// another must not spin for ever.
constexpr std::uint32_t kSlice = 1U << 14U;

/// One block whose stores can be put back when it turns out that it read what nobody wrote.
class RevocableBlock {
 public:
  RevocableBlock(LaunchSession& session, DeviceMemory& memory, bool revocable)
      : session_(session), memory_(memory), revocable_(revocable) {
    if (!revocable_) return;
    reads_ = session_.unwritten_reads();
    memory_.begin_undoable();
  }
  ~RevocableBlock() {
    if (!revocable_) return;
    if (session_.unwritten_reads() > reads_) {
      memory_.undo();
    } else {
      memory_.keep();
    }
  }
  RevocableBlock(const RevocableBlock&) = delete;
  RevocableBlock& operator=(const RevocableBlock&) = delete;

 private:
  LaunchSession& session_;
  DeviceMemory& memory_;
  bool revocable_;
  std::uint64_t reads_ = 0;
};

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
  const BlockOrder order(request, options);
  std::uint64_t ran = 0;
  while (ran < order.size() && session.going_on()) {
    const RevocableBlock block(session, memory, options.written_blocks_only);
    runner.start(order(ran));
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
