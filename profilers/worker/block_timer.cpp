#include "profilers/worker/block_timer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace warpmind::profilers {
namespace {

/// A stream takes about 1024 operations before a launch call blocks; half of that stays clear of
/// it.
constexpr std::size_t kOperationsBehindGate = 512;

constexpr int kEmptyBlocks = 9;

using Clock = std::chrono::steady_clock;

/// Holds a stream until opened; opens at the latest when it goes out of scope.
class StreamGate {
 public:
  StreamGate() : state_(std::make_shared<State>()) {}
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;
  ~StreamGate() { open(); }

  Result<void> close(cudaStream_t stream) {
    // The function owns a reference: it may start after an error made this object go away.
    auto owned = std::make_unique<std::shared_ptr<State>>(state_);
    WARPMIND_CHECK(cuda_check(cudaLaunchHostFunc(stream, &wait, owned.get()), "closing a gate"));
    (void)owned.release();  // deleted by wait()
    return {};
  }

  void open() {
    state_->opened.store(true);
    state_->opened.notify_all();
  }

  /// When the stream went on. Valid once the stream is idle.
  [[nodiscard]] Clock::time_point passed() const { return state_->passed; }

 private:
  struct State {
    std::atomic<bool> opened = false;
    Clock::time_point passed;
  };

  static void CUDART_CB wait(void* owned) {
    const std::unique_ptr<std::shared_ptr<State>> state(
        static_cast<std::shared_ptr<State>*>(owned));
    (*state)->opened.wait(false);
    (*state)->passed = Clock::now();
  }

  std::shared_ptr<State> state_;
};

}  // namespace

Result<BlockTimer> BlockTimer::create(cudaStream_t stream) {
  WARPMIND_TRY(UniqueEvent start, make_event());
  WARPMIND_TRY(UniqueEvent stop, make_event());
  BlockTimer timer(stream, std::move(start), std::move(stop));
  WARPMIND_TRY(timer.empty_gated_ns_, timer.empty_block_ns(1));
  WARPMIND_TRY(timer.empty_ungated_ns_, timer.empty_block_ns(0));
  return timer;
}

Result<double> BlockTimer::empty_block_ns(std::size_t gated_runs) {
  std::vector<double> walls;
  for (int i = 0; i < kEmptyBlocks; ++i) {
    WARPMIND_TRY(const BlockTime time,
                 round(gated_runs, gated_runs, [](std::size_t) { return Result<void>(); }));
    walls.push_back(time.wall_ns);
  }
  std::sort(walls.begin(), walls.end());
  return walls[walls.size() / 2];
}

Result<BlockTime> BlockTimer::round(std::size_t runs, std::size_t gated_runs,
                                    const Enqueue& enqueue) {
  StreamGate gate;
  if (gated_runs > 0) WARPMIND_CHECK(gate.close(stream_));
  const Clock::time_point begun = Clock::now();
  WARPMIND_CHECK(cuda_check(cudaEventRecord(start_.get(), stream_), "recording an event"));
  for (std::size_t i = 0; i < runs; ++i) {
    if (i == gated_runs) gate.open();
    WARPMIND_CHECK(enqueue(i));
  }
  WARPMIND_CHECK(cuda_check(cudaEventRecord(stop_.get(), stream_), "recording an event"));
  gate.open();
  // The whole device: work that a host entry hid on another stream lengthens the wall time.
  WARPMIND_CHECK(cuda_check(cudaDeviceSynchronize(), "running a timed block"));
  const Clock::time_point ended = Clock::now();
  const std::chrono::duration<double, std::nano> wall =
      ended - (gated_runs > 0 ? gate.passed() : begun);
  float milliseconds = 0;
  WARPMIND_CHECK(cuda_check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()),
                            "reading the events"));
  return BlockTime{double{milliseconds} * 1e6, wall.count()};
}

Result<BlockTime> BlockTimer::time_block(InputRing& ring, const RingProgram& program,
                                         std::size_t runs, std::optional<std::size_t> judged) {
  const std::size_t operations = std::max<std::size_t>(program.plan(0).operations(), 1);
  const std::size_t most = ring.is_hot() ? runs : ring.size();
  const auto enqueue = [&](std::size_t i) { return program.plan(i).enqueue_on(stream_); };
  BlockTime all;
  for (std::size_t done = 0; done < runs;) {
    const std::size_t count = std::min(runs - done, most);
    done += count;
    const bool is_last = done == runs;
    if (judged && is_last) judged = *judged % count;
    WARPMIND_CHECK(ring.refresh(count, is_last ? judged : std::nullopt));
    WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream_), "preparing a block"));
    const std::size_t gated_runs =
        program.is_gated ? std::min(count, kOperationsBehindGate / operations) : 0;
    WARPMIND_TRY(const BlockTime time, round(count, gated_runs, enqueue));
    all.event_ns += time.event_ns;
    all.wall_ns += time.wall_ns - (gated_runs > 0 ? empty_gated_ns_ : empty_ungated_ns_);
  }
  if (judged) WARPMIND_CHECK(ring.keep(*judged));
  return all;
}

}  // namespace warpmind::profilers
