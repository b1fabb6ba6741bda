#include "profilers/simulator/sass/timeline.h"

#include <algorithm>
#include <map>

namespace warpmind::simulator {
namespace {

constexpr int kWarmUpPasses = 2;
constexpr int kCountedPasses = 2;

/// One warp, instruction after instruction.
class Clock {
 public:
  explicit Clock(const Latencies& latencies) : latencies_(latencies) {}

  void issue(const SassInstruction& instruction) {
    for (std::size_t i = 0; i < busy_until_.size(); ++i) {
      if ((instruction.wait_mask >> i & 1U) != 0) now_ = std::max(now_, busy_until_[i]);
    }
    if (instruction.kind == SassClass::barrier) now_ += latencies_.barrier;
    if (instruction.kind == SassClass::branch) now_ += latencies_.branch;
    double queued = 0;
    if (const double occupied = latencies_.occupancy(instruction.kind); occupied > 0) {
      queued = std::max(0.0, units_free_ - now_);
      units_free_ = now_ + queued + occupied;
    }
    hold(instruction.write_barrier, queued + latencies_.result_cycles(instruction.kind));
    hold(instruction.read_barrier, queued + latencies_.operand_read);
    now_ += std::max<double>(1, instruction.stall);
  }
  [[nodiscard]] double now() const { return now_; }

 private:
  void hold(std::uint8_t scoreboard, double cycles) {
    if (scoreboard >= busy_until_.size()) return;
    busy_until_[scoreboard] = std::max(busy_until_[scoreboard], now_ + cycles);
  }

  const Latencies& latencies_;
  double now_ = 0;
  double units_free_ = 0;  ///< the load/store units, for this warp
  std::array<double, kScoreboards> busy_until_{};
};

/// Where subroutines start: behind it nothing belongs to the kernel's own flow.
std::uint32_t own_code_end(std::span<const SassInstruction> code) {
  auto end = static_cast<std::uint32_t>(code.size());
  for (const auto& instruction : code) {
    if (instruction.kind != SassClass::call || instruction.target < 0) continue;
    end = std::min(end, static_cast<std::uint32_t>(instruction.target));
  }
  const bool returns_before =
      std::any_of(code.begin(), code.begin() + end,
                  [](const SassInstruction& one) { return one.kind == SassClass::exit; });
  return returns_before ? end : static_cast<std::uint32_t>(code.size());
}

/// Jumps back, by the loop's first instruction; several to one place are one loop.
std::map<std::uint32_t, std::uint32_t> find_loops(std::span<const SassInstruction> code,
                                                  std::uint32_t end) {
  std::map<std::uint32_t, std::uint32_t> loops;
  for (std::uint32_t i = 0; i < end; ++i) {
    const auto& instruction = code[i];
    if (instruction.kind != SassClass::branch || instruction.target < 0) continue;
    const auto target = static_cast<std::uint32_t>(instruction.target);
    if (target > i) continue;
    auto& last = loops[target];
    last = std::max(last, i + 1);
  }
  return loops;
}

}  // namespace

Latencies::Latencies() {
  // What has no scoreboard never reads its entry. Values: microbenchmarks of Volta to Hopper agree
  // within a few cycles; the model replaces those of memory.
  results.fill(20);
  result_cycles(SassClass::special) = 18;
  result_cycles(SassClass::fp64) = 16;
  result_cycles(SassClass::tensor) = 33;
  result_cycles(SassClass::load_global) = 400;
  result_cycles(SassClass::load_local) = 40;
  result_cycles(SassClass::load_shared) = 29;
  result_cycles(SassClass::store_global) = 12;
  result_cycles(SassClass::store_shared) = 12;
  result_cycles(SassClass::load_constant) = 25;
  result_cycles(SassClass::async_copy) = 400;
  result_cycles(SassClass::atomic_global) = 400;
  result_cycles(SassClass::atomic_shared) = 60;
  result_cycles(SassClass::shuffle) = 24;
  result_cycles(SassClass::texture) = 400;
  result_cycles(SassClass::uniform) = 12;
}

std::vector<Region> find_regions(std::span<const SassInstruction> code) {
  const std::uint32_t end = own_code_end(code);
  std::vector<Region> regions(1);
  regions[0].end = end;
  // In order of their start, so that an outer loop comes before those inside it.
  for (const auto& [first, last] : find_loops(code, end)) {
    Region loop;
    loop.begin = first;
    loop.end = last;
    for (std::size_t i = regions.size(); i-- > 0;) {
      if (regions[i].begin <= first && last <= regions[i].end) {
        loop.parent = static_cast<std::int32_t>(i);
        break;
      }
    }
    if (loop.parent < 0) loop.parent = 0;
    regions.push_back(std::move(loop));
  }
  for (std::uint32_t i = 0; i < end; ++i) {
    std::size_t innermost = 0;
    for (std::size_t r = 1; r < regions.size(); ++r) {
      const bool inside = regions[r].begin <= i && i < regions[r].end;
      const bool smaller =
          regions[r].end - regions[r].begin <= regions[innermost].end - regions[innermost].begin;
      if (inside && smaller) innermost = r;
    }
    regions[innermost].instructions.push_back(i);
  }
  return regions;
}

double warp_cycles(std::span<const SassInstruction> code, const Latencies& latencies, bool steady) {
  Clock clock(latencies);
  const auto pass = [&] {
    for (const auto& instruction : code) clock.issue(instruction);
  };
  if (!steady) {
    pass();
    return clock.now();
  }
  for (int i = 0; i < kWarmUpPasses; ++i) pass();
  const double warm = clock.now();
  for (int i = 0; i < kCountedPasses; ++i) pass();
  return (clock.now() - warm) / kCountedPasses;
}

}  // namespace warpmind::simulator
