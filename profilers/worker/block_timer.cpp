#include "profilers/worker/block_timer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

namespace warpmind::profilers {
namespace {

/// A stream takes about 1024 operations before a launch call blocks; half of that stays clear of
/// it.
constexpr std::size_t kOperationsBehindGate = 512;

/// Holds a stream until opened; opens at the latest when it goes out of scope.
class StreamGate {
 public:
  StreamGate() : opened_(std::make_shared<std::atomic<bool>>(false)) {}
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;
  ~StreamGate() { open(); }

  Result<void> close(cudaStream_t stream) {
    // The function owns a reference: it may start after an error made this object go away.
    auto owned = std::make_unique<std::shared_ptr<std::atomic<bool>>>(opened_);
    WARPMIND_CHECK(cuda_check(cudaLaunchHostFunc(stream, &wait, owned.get()), "closing a gate"));
    (void)owned.release();  // deleted by wait()
    return {};
  }

  void open() {
    opened_->store(true);
    opened_->notify_all();
  }

 private:
  static void CUDART_CB wait(void* owned) {
    const std::unique_ptr<std::shared_ptr<std::atomic<bool>>> opened(
        static_cast<std::shared_ptr<std::atomic<bool>>*>(owned));
    (*opened)->wait(false);
  }

  std::shared_ptr<std::atomic<bool>> opened_;
};

}  // namespace

Result<BlockTimer> BlockTimer::create(cudaStream_t stream) {
  WARPMIND_TRY(UniqueEvent start, make_event());
  WARPMIND_TRY(UniqueEvent stop, make_event());
  return BlockTimer(stream, std::move(start), std::move(stop));
}

Result<BlockTime> BlockTimer::run(InputRing& ring, const RingProgram& program, std::size_t runs) {
  using Clock = std::chrono::steady_clock;
  WARPMIND_CHECK(ring.refresh(runs));
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream_), "preparing a block"));

  const std::size_t operations = std::max<std::size_t>(program.plan(0).operations(), 1);
  const std::size_t gated_runs =
      program.tier == Tier::a ? std::min(runs, kOperationsBehindGate / operations) : 0;
  StreamGate gate;
  if (gated_runs > 0) WARPMIND_CHECK(gate.close(stream_));
  WARPMIND_CHECK(cuda_check(cudaEventRecord(start_.get(), stream_), "recording an event"));
  Clock::time_point opened = Clock::now();
  for (std::size_t i = 0; i < runs; ++i) {
    if (gated_runs > 0 && i == gated_runs) {
      opened = Clock::now();
      gate.open();
    }
    WARPMIND_CHECK(program.plan(i).run(stream_));
  }
  WARPMIND_CHECK(cuda_check(cudaEventRecord(stop_.get(), stream_), "recording an event"));
  if (gated_runs == runs) opened = Clock::now();
  gate.open();
  // The whole device: work that a host entry hid on another stream lengthens the wall time.
  WARPMIND_CHECK(cuda_check(cudaDeviceSynchronize(), "running a timed block"));
  const std::chrono::duration<double, std::nano> wall = Clock::now() - opened;
  float milliseconds = 0;
  WARPMIND_CHECK(cuda_check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()),
                            "reading the events"));
  return BlockTime{double{milliseconds} * 1e6, wall.count()};
}

}  // namespace warpmind::profilers
