#include "profilers/worker/input_ring.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kMostSlots = 64;
constexpr std::size_t kMostSimulatedSlots = 4;
constexpr std::size_t kMostRingBytes = std::size_t{2} << 30U;
constexpr std::size_t kUnknownL2Bytes = std::size_t{64} << 20U;

std::size_t slots_for(std::size_t footprint, std::size_t most) {
  std::size_t free_bytes = kMostRingBytes * 2;
  std::size_t total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) (void)cudaGetLastError();
  const std::size_t limit = std::min(kMostRingBytes, free_bytes / 2);
  return std::clamp<std::size_t>(limit / std::max<std::size_t>(footprint, 1), 1, most);
}

}  // namespace

InputRing::InputRing(RunnerSession& session)
    : stream_(session.stream()),
      given_(session.patterns(), session.stream()),
      judged_(session.patterns(), session.stream()),
      random_(std::random_device()()) {}

Result<std::unique_ptr<InputRing>> InputRing::create(RunnerSession& session,
                                                     const RunCase& run_case,
                                                     const CaseInputs& inputs, bool hot) {
  std::unique_ptr<InputRing> ring(new InputRing(session));
  WARPMIND_CHECK(ring->given_.lay_out(run_case));
  WARPMIND_CHECK(ring->given_.upload(inputs));
  WARPMIND_CHECK(ring->given_.reset(0));
  WARPMIND_CHECK(ring->judged_.lay_out(run_case));
  const std::size_t most = session.options().simulated ? kMostSimulatedSlots : kMostSlots;
  const std::size_t count = hot ? 1 : slots_for(footprint_bytes(run_case), most);
  for (std::size_t i = 0; i < count; ++i) {
    CaseMemory& slot = ring->slots_.emplace_back(session.patterns(), session.stream());
    WARPMIND_CHECK(slot.lay_out(run_case));
    WARPMIND_CHECK(slot.copy(ring->given_));
  }
  if (!hot) {
    const auto l2_bytes = session.device().l2_bytes > 0
                              ? static_cast<std::size_t>(session.device().l2_bytes)
                              : kUnknownL2Bytes;
    ring->flush_bytes_ = 2 * l2_bytes;
    WARPMIND_TRY(ring->flush_, allocate_device(ring->flush_bytes_, "the L2 flush"));
    // What an earlier process set aside for persisting data. Devices without it refuse.
    ring->may_persist_ = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0) == cudaSuccess;
    if (!ring->may_persist_) (void)cudaGetLastError();
  }
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(session.stream()), "filling the input ring"));
  return ring;
}

Result<void> InputRing::refresh(std::size_t runs, std::optional<std::size_t> judged) {
  for (std::size_t i = 0; i < std::min(runs, slots_.size()); ++i) {
    if (is_hot() || judged == i) {
      WARPMIND_CHECK(slots_[i].copy(given_));
    } else {
      WARPMIND_CHECK(slots_[i].copy_turned(given_, random_));
    }
  }
  if (is_hot()) return {};
  if (may_persist_) {
    WARPMIND_CHECK(cuda_check(cudaCtxResetPersistingL2Cache(), "resetting the persisting L2"));
  }
  flush_value_ = (flush_value_ + 1) % 256;
  return cuda_check(cudaMemsetAsync(flush_.get(), flush_value_, flush_bytes_, stream_),
                    "flushing L2");
}

Result<void> InputRing::keep(std::size_t judged) { return judged_.copy(slot(judged)); }

Result<std::optional<std::string>> InputRing::find_damage() const {
  for (const CaseMemory& slot : slots_) {
    WARPMIND_TRY(auto damage, slot.find_damage());
    if (damage) return damage;
  }
  return std::optional<std::string>();
}

}  // namespace warpmind::profilers
