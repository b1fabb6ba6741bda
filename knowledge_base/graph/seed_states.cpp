#include "knowledge_base/graph/seed_states.h"

#include <array>
#include <string>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using enum BottleneckClass;

struct Feature {
  const char* name = nullptr;
  double value = 0;
};

/// `id` of a variant is the class, "/" and `variant`; an empty variant is the class itself. Values
/// are of retrieval/features.h: shares of the device's limits, so that they hold on every device.
struct SeedState {
  BottleneckClass bottleneck = unknown;
  const char* variant = "";
  const char* name = "";
  std::array<Feature, 6> centroid{};
};

// Typical values, not measurements: members move them (weight kSeedWeight).
constexpr auto kSeeds = std::to_array<SeedState>({
    {memory_bandwidth,
     "",
     "DRAM near its ceiling",
     {{{"dram_share", 0.88},
       {"sm_share", 0.3},
       {"stall.long_scoreboard", 0.65},
       {"occupancy.active", 0.75},
       {"lanes", 1}}}},
    {memory_bandwidth,
     "with_compute",
     "DRAM and arithmetic both near their ceilings",
     {{{"dram_share", 0.8},
       {"sm_share", 0.75},
       {"stall.long_scoreboard", 0.4},
       {"occupancy.active", 0.7},
       {"lanes", 1}}}},
    {uncoalesced_access,
     "",
     "loads spread over many sectors",
     {{{"sectors.load", 0.95},
       {"sectors.store", 0.2},
       {"dram_share", 0.4},
       {"stall.long_scoreboard", 0.8},
       {"lanes", 1}}}},
    {uncoalesced_access,
     "stores",
     "stores spread over many sectors",
     {{{"sectors.load", 0.2},
       {"sectors.store", 0.95},
       {"dram_share", 0.4},
       {"stall.long_scoreboard", 0.5},
       {"lanes", 1}}}},
    {memory_latency,
     "",
     "waiting for loads while DRAM is idle",
     {{{"dram_share", 0.2},
       {"sm_share", 0.2},
       {"stall.long_scoreboard", 0.75},
       {"occupancy.active", 0.5},
       {"lanes", 1}}}},
    {memory_latency,
     "busy_memory",
     "waiting for loads while DRAM is half busy",
     {{{"dram_share", 0.6},
       {"sm_share", 0.3},
       {"stall.long_scoreboard", 0.8},
       {"occupancy.active", 0.6},
       {"lanes", 1}}}},
    {shared_bank_conflicts,
     "",
     "shared memory serialised by its banks",
     {{{"bank_conflicts", 0.6}, {"sm_share", 0.5}, {"dram_share", 0.2}, {"lanes", 1}}}},
    {compute_throughput,
     "",
     "arithmetic pipes near their ceiling",
     {{{"sm_share", 0.85},
       {"dram_share", 0.2},
       {"fma_share", 0.6},
       {"stall.math_pipe", 0.5},
       {"stall.long_scoreboard", 0.2},
       {"lanes", 1}}}},
    {compute_throughput,
     "instruction_mix",
     "issue slots full of something else than arithmetic",
     {{{"sm_share", 0.8},
       {"dram_share", 0.2},
       {"fma_share", 0.1},
       {"stall.math_pipe", 0.2},
       {"stall.long_scoreboard", 0.2},
       {"lanes", 0.9}}}},
    {tensor_cores_idle,
     "",
     "a contraction without tensor cores",
     {{{"tensor_share", 0}, {"sm_share", 0.6}, {"dram_share", 0.2}, {"fma_share", 0.5}}}},
    {low_parallelism,
     "",
     "fewer blocks than the device can run",
     {{{"blocks_per_sm", 0.08},
       {"dram_share", 0.1},
       {"sm_share", 0.1},
       {"occupancy.active", 0.2}}}},
    {low_occupancy,
     "",
     "few warps fit",
     {{{"occupancy.theoretical", 0.35},
       {"occupancy.active", 0.25},
       {"dram_share", 0.3},
       {"sm_share", 0.3}}}},
    {low_occupancy,
     "registers",
     "registers limit the warps",
     {{{"occupancy.theoretical", 0.35},
       {"occupancy.active", 0.3},
       {"registers", 0.65},
       {"shared_bytes", 0.05}}}},
    {low_occupancy,
     "shared_memory",
     "shared memory limits the warps",
     {{{"occupancy.theoretical", 0.35},
       {"occupancy.active", 0.3},
       {"registers", 0.2},
       {"shared_bytes", 0.7}}}},
    {register_spills,
     "",
     "registers spilled to memory",
     {{{"spills", 0.6}, {"registers", 1}, {"dram_share", 0.4}, {"sm_share", 0.3}}}},
    {thread_divergence,
     "",
     "lanes of a warp go different ways",
     {{{"lanes", 0.4}, {"divergent_branches", 0.5}, {"sm_share", 0.4}, {"dram_share", 0.2}}}},
    {synchronisation,
     "",
     "waiting at barriers",
     {{{"stall.barrier", 0.6}, {"sm_share", 0.3}, {"dram_share", 0.2}, {"lanes", 1}}}},
    {launch_overhead,
     "",
     "kernels shorter than their launch",
     {{{"blocks_per_sm", 0.05},
       {"dram_share", 0.05},
       {"sm_share", 0.05},
       {"occupancy.active", 0.15}}}},
    // Not seen in a profile of kernels; named so that imports have a place.
    {launch_overhead, "transfers", "copies between host and device dominate", {}},
    {extra_traffic,
     "",
     "moves more bytes than the task needs",
     {{{"dram_share", 0.6}, {"sm_share", 0.3}, {"l2_hits", 0.5}, {"stall.long_scoreboard", 0.5}}}},
    {extra_traffic,
     "cache_misses",
     "what is read again is no longer in a cache",
     {{{"dram_share", 0.6}, {"sm_share", 0.2}, {"l1_hits", 0.1}, {"l2_hits", 0.15}}}},
    {extra_traffic,
     "algorithm",
     "the algorithm itself does work that another would not",
     {{{"dram_share", 0.3}, {"sm_share", 0.5}, {"l2_hits", 0.8}, {"headroom", 0.8}}}},
    {wave_tail,
     "",
     "a last wave of blocks that leaves the device empty",
     {{{"waves", 0.13}, {"occupancy.active", 0.4}, {"dram_share", 0.4}, {"lanes", 1}}}},
    {load_imbalance,
     "",
     "blocks that end long before the others",
     {{{"waves", 0.15}, {"occupancy.active", 0.25}, {"dram_share", 0.2}, {"lanes", 0.9}}}},
    {at_limit,
     "",
     "as fast as the limit allows",
     {{{"dram_share", 0.9},
       {"roofline.bandwidth", 0.9},
       {"occupancy.active", 0.8},
       {"headroom", 0.02},
       {"lanes", 1}}}},
    {unknown, "", "nothing is known of what limits it", {}},
    {unknown,
     "balanced",
     "memory and arithmetic evenly and moderately busy",
     {{{"dram_share", 0.45},
       {"sm_share", 0.45},
       {"stall.long_scoreboard", 0.4},
       {"occupancy.active", 0.6}}}},
});

constexpr auto kKernelBlaster = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"high_level_inefficiency", "extra_traffic/algorithm"},
    {"memory_bandwidth_saturated", "memory_bandwidth"},
    {"memory_latency_bound", "memory_latency"},
    {"memory_bank_conflicts", "shared_bank_conflicts"},
    {"cache_inefficient", "extra_traffic/cache_misses"},
    {"compute_throughput_saturated", "compute_throughput"},
    {"instruction_mix_suboptimal", "compute_throughput/instruction_mix"},
    {"thread_divergence_high", "thread_divergence"},
    {"low_occupancy_register_pressure", "low_occupancy/registers"},
    {"low_occupancy_shared_memory", "low_occupancy/shared_memory"},
    {"insufficient_parallelism", "low_parallelism"},
    {"hybrid_bound", "memory_bandwidth/with_compute"},
    {"memory_compute_balanced", "unknown/balanced"},
    {"latency_memory_bound", "memory_latency/busy_memory"},
    {"api_overhead_dominant", "launch_overhead"},
    {"transfer_bandwidth_limited", "launch_overhead/transfers"},
});

StateCluster to_cluster(const SeedState& seed) {
  StateCluster state;
  state.id = name_of(seed.bottleneck);
  if (*seed.variant != '\0') state.id += std::string("/") + seed.variant;
  state.name = seed.name;
  state.bottleneck = seed.bottleneck;
  for (const auto& feature : seed.centroid) {
    if (feature.name != nullptr) state.centroid[feature.name] = feature.value;
  }
  state.source = "seed";
  return state;
}

}  // namespace

std::vector<StateCluster> seed_states(BottleneckClass bottleneck) {
  std::vector<StateCluster> states;
  for (const auto& seed : kSeeds) {
    if (seed.bottleneck == bottleneck) states.push_back(to_cluster(seed));
  }
  return states;
}

std::optional<std::string_view> state_for_kernelblaster(std::string_view name) {
  for (const auto& [theirs, ours] : kKernelBlaster) {
    if (theirs == name) return ours;
  }
  return std::nullopt;
}

}  // namespace warpmind::knowledge_base
