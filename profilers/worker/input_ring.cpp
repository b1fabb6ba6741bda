#include "profilers/worker/input_ring.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kMostSlots = 64;
constexpr std::size_t kMostRingBytes = std::size_t{2} << 30U;
constexpr std::size_t kUnknownL2Bytes = std::size_t{64} << 20U;

std::size_t slots_for(std::size_t footprint, std::size_t l2_bytes) {
  std::size_t free_bytes = kMostRingBytes * 2;
  std::size_t total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) (void)cudaGetLastError();
  const std::size_t limit = std::min(kMostRingBytes, free_bytes / 2);
  footprint = std::max<std::size_t>(footprint, 1);
  const std::size_t wanted =
      std::clamp<std::size_t>((4 * l2_bytes + footprint - 1) / footprint, 2, kMostSlots);
  return std::max<std::size_t>(1, std::min(wanted, limit / footprint));
}

}  // namespace

Result<std::unique_ptr<InputRing>> InputRing::create(RunnerSession& session,
                                                     const RunCase& run_case,
                                                     const CaseInputs& inputs, bool hot) {
  std::unique_ptr<InputRing> ring(new InputRing(session.stream()));
  const auto l2_bytes = session.device().l2_bytes > 0
                            ? static_cast<std::size_t>(session.device().l2_bytes)
                            : kUnknownL2Bytes;
  const std::size_t count = hot ? 1 : slots_for(footprint_bytes(run_case), l2_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    CaseMemory& slot = ring->slots_.emplace_back(session.patterns(), session.stream());
    WARPMIND_CHECK(slot.lay_out(run_case));
    if (i == 0) {
      WARPMIND_CHECK(slot.upload(inputs));
    } else {
      WARPMIND_CHECK(slot.copy_inputs(ring->slots_.front()));
    }
    WARPMIND_CHECK(slot.reset(0));
  }
  if (!hot) {
    ring->flush_bytes_ = 2 * l2_bytes;
    WARPMIND_TRY(ring->flush_, allocate_device(ring->flush_bytes_, "the L2 flush"));
    // What an earlier process set aside for persisting data. Devices without it refuse.
    ring->may_persist_ = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0) == cudaSuccess;
    if (!ring->may_persist_) (void)cudaGetLastError();
  }
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(session.stream()), "filling the input ring"));
  return ring;
}

Result<void> InputRing::refresh(std::size_t runs) {
  for (std::size_t i = 0; i < std::min(runs, slots_.size()); ++i) {
    WARPMIND_CHECK(slots_[i].reset_outputs(0));
  }
  if (flush_bytes_ == 0) return {};
  if (may_persist_) {
    WARPMIND_CHECK(cuda_check(cudaCtxResetPersistingL2Cache(), "resetting the persisting L2"));
  }
  flush_value_ = (flush_value_ + 1) % 256;
  return cuda_check(cudaMemsetAsync(flush_.get(), flush_value_, flush_bytes_, stream_),
                    "flushing L2");
}

Result<std::optional<std::string>> InputRing::find_damage() const {
  for (const CaseMemory& slot : slots_) {
    WARPMIND_TRY(auto damage, slot.find_damage());
    if (damage) return damage;
  }
  return std::optional<std::string>();
}

}  // namespace warpmind::profilers
