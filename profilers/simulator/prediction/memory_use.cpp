#include "profilers/simulator/prediction/memory_use.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <tuple>

namespace warpmind::simulator {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kBankPassBytes = 128;
constexpr double kMostAddresses = 1e9;
// Measured on an H200, 2026-11-21: an SM reads 33 bytes a clock from L2 in whole lines, one sector
// of a line each 1.7 clocks. It writes half as fast, single words of a line each 3.9 clocks, partly
// written sectors each 1.4.
constexpr double kLeastSectorsOfLine = 2;
constexpr double kStoreWork = 2;
constexpr double kPartSectorWork = 1.45;
// Atomics of a line take turns, too, 3.2 times as long when they are on different addresses (H200,
// histograms of 1, 256 and 2048 bins, 2026-11-21).
constexpr double kAddressesOfLine = 32;
constexpr double kLineTurns = 3.2;

double number(std::uint64_t value) { return static_cast<double>(value); }

bool starts_with(const InstructionRecord& instruction, std::string_view prefix) {
  return std::string_view(instruction.opcode).starts_with(prefix);
}

/// The instructions of a wave by what tells them apart. A wave misses those that ran only before or
/// after its window, so that positions do not match.
class WaveIndex {
 public:
  explicit WaveIndex(const LaunchRecord* wave) {
    if (wave == nullptr) return;
    for (const auto& one : wave->instructions) places_[key_of(one)].push_back(&one);
  }
  /// Null = the wave did not run it. Those that nothing tells apart are taken in order.
  [[nodiscard]] const InstructionRecord* take(const InstructionRecord& instruction) {
    const auto found = places_.find(key_of(instruction));
    if (found == places_.end() || found->second.empty()) return nullptr;
    const InstructionRecord* first = found->second.front();
    found->second.pop_front();
    return first;
  }

 private:
  using Key = std::tuple<int, int, std::string>;
  static Key key_of(const InstructionRecord& one) {
    return {one.ptx_line, one.source_line, one.opcode};
  }
  std::map<Key, std::deque<const InstructionRecord*>> places_;
};

/// How many addresses atomics fall on when `lanes` random picks give `distinct` ones: the
/// birthday estimate, distinct = n (1 - (1 - 1/n)^lanes), solved for n.
double estimated_addresses(double lanes, double distinct) {
  if (distinct >= lanes * (1 - 1e-9)) return kMostAddresses;
  double low = 1;
  double high = kMostAddresses;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    const double expected = middle * -std::expm1(lanes * std::log1p(-1 / std::max(middle, 1.0001)));
    (expected < distinct ? low : high) = middle;
  }
  return low;
}

/// Where ptxas knows that lanes share an address it adds up their integers before one lane goes to
/// memory (seen in its code for `atom`).
bool warp_adds_up_first(const InstructionRecord& instruction) {
  const std::string_view opcode = instruction.opcode;
  return starts_with(instruction, "atom.") && opcode.find(".add.") != std::string_view::npos &&
         (opcode.ends_with("32") || opcode.ends_with("64")) &&
         opcode.find(".f") == std::string_view::npos;
}

void add_global_atomic(const InstructionRecord& instruction, const InstructionRecord* wave,
                       bool warps_add_up, MemoryUse& use) {
  const AccessCounters& access = instruction.access;
  const double requests = number(access.requests);
  if (requests <= 0) return;
  double lanes = number(access.lanes);
  const double distinct = lanes - number(access.atomic_conflicts);
  double addresses = estimated_addresses(lanes / requests, std::max(1.0, distinct / requests));
  if (lanes / requests < 1.5) {
    // Single lanes cannot collide within a request: the sectors that were new to L2 tell.
    const double fresh = wave != nullptr && wave->access.sectors > 0
                             ? number(wave->access.dram_sectors) / number(wave->access.sectors)
                             : 0;
    addresses = std::max(1.0, requests * fresh);
    if (wave == nullptr) use.atomics_on_one_address = true;
  }
  if (addresses < 1.5 && warps_add_up && warp_adds_up_first(instruction)) lanes = requests;
  const double lines = std::max(1.0, addresses / kAddressesOfLine);
  const double by_line = addresses < 1.5 ? 0 : kLineTurns * lanes / lines;
  use.atomic_cycles += std::max(lanes / addresses, by_line);
}

bool loads_matrix(const InstructionRecord& instruction) {
  return starts_with(instruction, "ldmatrix") || starts_with(instruction, "wmma.load");
}

bool is_load(const InstructionRecord& instruction) {
  return !instruction.is_store && !is_atomic(instruction);
}

/// Where sectors were found, as shares of those asked for.
struct CacheRates {
  double l1 = 0;
  double l2 = 0;
  double dram = 1;
};

CacheRates rates_of(const AccessCounters& seen) {
  const double all = number(seen.sectors);
  return {number(seen.l1_hits) / all, number(seen.l2_hits) / all, number(seen.dram_sectors) / all};
}

/// Of all loads together.
CacheRates usual_rates(const LaunchRecord& wave) {
  AccessCounters sum;
  for (const auto& one : wave.instructions) {
    if (!one.is_memory || !is_load(one)) continue;
    sum.sectors += one.access.sectors;
    sum.l1_hits += one.access.l1_hits;
    sum.l2_hits += one.access.l2_hits;
    sum.dram_sectors += one.access.dram_sectors;
  }
  return sum.sectors > 0 ? rates_of(sum) : CacheRates();
}

CacheRates find_rates(const InstructionRecord& instruction, const InstructionRecord* in_wave,
                      const CacheRates& usual) {
  if (in_wave != nullptr && in_wave->access.sectors > 0) return rates_of(in_wave->access);
  if (is_load(instruction)) return usual;
  // Partly written sectors meet again in L2, so that each byte goes to DRAM once.
  CacheRates stored;
  const double bytes = kSectorBytes * number(instruction.access.sectors);
  if (bytes > 0) stored.dram = std::min(1.0, number(instruction.access.bytes) / bytes);
  return stored;
}

void add_sectors(const InstructionRecord& instruction, const CacheRates& rates, MemoryUse& use) {
  const double sectors = number(instruction.access.sectors);
  const double from_dram = sectors * rates.dram;
  double past_l1 = sectors;
  if (is_load(instruction)) {
    use.load_requests += number(instruction.access.requests);
    use.load_sectors += sectors;
    use.load_lines += number(instruction.access.lines);
    use.l1_hits += sectors * rates.l1;
    use.load_dram_sectors += from_dram;
    past_l1 *= 1 - rates.l1;
  } else {
    use.store_requests += number(instruction.access.requests);
    use.store_sectors += sectors;
  }
  use.l2_sectors += past_l1;
  const double lines = number(instruction.access.lines) * past_l1 / sectors;
  if (instruction.is_store) {
    const double whole = number(instruction.access.bytes) / kSectorBytes;
    use.l2_write_work += std::max(
        {kStoreWork * whole, kPartSectorWork * sectors, kStoreWork * kLeastSectorsOfLine * lines});
  } else {
    use.l2_read_work += std::max(past_l1, kLeastSectorsOfLine * lines);
  }
  use.l2_hits += sectors * rates.l2;
  (instruction.is_store ? use.dram_write_sectors : use.dram_read_sectors) += from_dram;
}

}  // namespace

double MemoryUse::load_latency(const TimingModel& timing) const {
  const double l1 = l1_hit_rate();
  const double past_l1 = load_sectors - l1_hits;
  const double misses = past_l1 > 0 ? std::min(1.0, load_dram_sectors / past_l1) : 0;
  const double beyond =
      (1 - misses) * timing.l2_latency_cycles + misses * timing.dram_latency_cycles;
  // The lines of a request follow each other, a cycle apart.
  const double lines = load_requests > 0 ? load_lines / load_requests : 1;
  return l1 * timing.l1_latency_cycles + (1 - l1) * beyond + std::max(0.0, lines - 1);
}

bool is_atomic(const InstructionRecord& instruction) {
  return starts_with(instruction, "atom") || starts_with(instruction, "red.");
}

bool touches_sectors(const InstructionRecord& instruction) {
  return instruction.is_memory && instruction.access.sectors > 0;
}

bool touches_banks(const InstructionRecord& instruction) {
  return instruction.is_memory && instruction.access.wavefronts > 0 &&
         instruction.space != Space::constant && instruction.space != Space::param;
}

double access_cycles(const InstructionRecord& instruction, const TimingModel& timing) {
  if (!instruction.is_memory || instruction.space == Space::param) return 0;
  // Bulk copies go past the load/store units.
  if (starts_with(instruction, "cp.async.bulk")) return 0;
  const AccessCounters& access = instruction.access;
  const double by_lanes = number(access.requests) * kLanes / timing.lsu_lanes;
  if (instruction.space == Space::constant) {
    return std::max(number(access.wavefronts), number(access.requests)) / 2;
  }
  double cycles = 0;
  if (touches_sectors(instruction)) {
    cycles = std::max(
        {number(access.lines), number(access.sectors) * kSectorBytes / timing.l1_bytes, by_lanes});
  }
  if (touches_banks(instruction)) {
    const double passes = number(access.wavefronts) * kBankPassBytes / timing.shared_bytes;
    // Matrix loads take rows of 16 bytes, not lanes.
    const bool by_rows =
        starts_with(instruction, "ldmatrix") || starts_with(instruction, "stmatrix");
    const double shared = by_rows ? passes : std::max(passes, by_lanes);
    cycles += is_atomic(instruction) ? 2 * shared : shared;  // read and write
  }
  return cycles;
}

MemoryUse memory_use(const LaunchRecord& launch, const LaunchRecord* wave,
                     const TimingModel& timing, bool warps_add_up) {
  MemoryUse use;
  use.has_cache_rates = wave != nullptr && !wave->instructions.empty();
  const CacheRates usual = use.has_cache_rates ? usual_rates(*wave) : CacheRates();
  WaveIndex index(wave);
  for (const auto& one : launch.instructions) {
    if (starts_with(one, "shfl")) use.shuffle_cycles += number(one.executions);
    if (!one.is_memory) continue;
    const InstructionRecord* in_wave = index.take(one);
    const double cycles = access_cycles(one, timing);
    (touches_banks(one) ? use.shared_cycles : use.global_cycles) += cycles;
    if (touches_sectors(one)) {
      add_sectors(one, find_rates(one, in_wave, usual), use);
      if (is_atomic(one)) add_global_atomic(one, in_wave, warps_add_up, use);
    }
    if (!touches_banks(one)) continue;
    if (is_atomic(one)) {
      use.shared_atomic_turns += number(one.access.requests + one.access.atomic_conflicts);
    } else if (!one.is_store) {
      use.shared_requests += number(one.access.requests);
      (loads_matrix(one) ? use.matrix_requests : use.shared_load_cycles) +=
          loads_matrix(one) ? number(one.access.requests) : cycles;
    }
  }
  return use;
}

}  // namespace warpmind::simulator
