#include "profilers/simulator/prediction/model.h"

#include "profilers/simulator/prediction/warp_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace warpmind::simulator {
namespace {

constexpr double kSchedulers = 4;  // of a multiprocessor, one instruction a clock each
constexpr double kSectorBytes = 32;
constexpr double kMostUnknown = 0.05;
constexpr int kUsualRegisters = 32;
/// Fewer blocks of a larger grid may not be typical of it.
constexpr double kFewBlocks = 16;
// Measured on an H200 with empty kernels and with barriers alone, 2026-11-21. Blocks come from one
// place for the whole device, up to 512 threads 1.21 clocks apart; a multiprocessor starts a warp
// each 6.6 clocks and takes a warp's arrival at a barrier each 2.1.
constexpr double kBlockCycles = 1.21;
constexpr double kWarpStartCycles = 6.6;
constexpr double kArrivalCycles = 2.1;

double number(std::uint64_t value) { return static_cast<double>(value); }

double threads_of(const LaunchRecord& launch) {
  return number(launch.block[0]) * number(launch.block[1]) * number(launch.block[2]);
}

/// The launch and the device, with everything derived that several parts need.
struct Setting {
  const LaunchRecord& launch;
  const DeviceSpec& device;
  const ModelConstants& constants;
  double clock_hz = 0;
  double warps_per_block = 0;
  double scale = 1;   ///< blocks over blocks that ran
  double per_sm = 0;  ///< share of what ran that falls on the busiest multiprocessor, scaled
};

Setting make_setting(const LaunchRecord& launch, const DeviceSpec& device,
                     const ModelConstants& constants) {
  Setting setting{launch, device, constants};
  setting.clock_hz = device.timing.sustained_clock_mhz * 1e6 * constants.clock;
  setting.warps_per_block = std::ceil(threads_of(launch) / kLanes);
  setting.scale = number(launch.blocks) / number(launch.blocks_run);
  // Blocks are handed out whole: the busiest multiprocessor has the ceiling of the mean, and at
  // least the block that has most to do.
  const double busiest =
      std::max(std::ceil(number(launch.blocks) / device.sm_count), launch.busiest_block);
  setting.per_sm = busiest / number(launch.blocks_run);
  return setting;
}

void add_pipes(const MachineMix& mix, const Setting& setting, PerResource& cycles) {
  const TimingModel& timing = setting.device.timing;
  const auto pipe_cycles = [&](double warp_instructions, double lanes) {
    return warp_instructions * setting.per_sm * kLanes / lanes;
  };
  const double imad = mix.class_instructions(SassClass::imad);
  cycles[Resource::issue] = mix.instructions * setting.per_sm / kSchedulers;
  cycles[Resource::fma] =
      pipe_cycles(mix.class_instructions(SassClass::fma) + imad, timing.fp32_lanes);
  cycles[Resource::imad] = pipe_cycles(imad, timing.imad_lanes);
  cycles[Resource::alu] = pipe_cycles(mix.class_instructions(SassClass::alu), timing.int32_lanes);
  cycles[Resource::half] =
      pipe_cycles(mix.class_instructions(SassClass::half), timing.fp16x2_lanes);
  cycles[Resource::special] =
      pipe_cycles(mix.class_instructions(SassClass::special), timing.special_lanes);
  cycles[Resource::fp64] = pipe_cycles(mix.class_instructions(SassClass::fp64), timing.fp64_lanes);
}

/// Multiply-adds of `opcode` per one of f16: how many times longer they take.
double tensor_factor(std::string_view opcode) {
  if (opcode.find(".tf32") != std::string_view::npos) return 2;
  for (const std::string_view narrow : {".s8", ".u8", ".e4m3", ".e5m2"}) {
    if (opcode.find(narrow) != std::string_view::npos) return 0.5;
  }
  return 1;
}

void add_tensor(const Setting& setting, PerResource& cycles) {
  const TimingModel& timing = setting.device.timing;
  for (const auto& one : setting.launch.instructions) {
    if (one.flop_kind != FlopKind::tensor) continue;
    const double macs = number(one.executions) * kLanes * one.flops / 2 * setting.per_sm;
    const std::string_view opcode = one.opcode;
    if (opcode.find(".f64") != std::string_view::npos) {
      cycles[Resource::fp64] += macs / (2 * timing.fp64_lanes);  // DMMA is twice as fast as DFMA
      continue;
    }
    const bool is_wgmma = opcode.starts_with("wgmma") && timing.wgmma_fp16_macs > 0;
    const double rate = is_wgmma ? timing.wgmma_fp16_macs : timing.tensor_fp16_macs;
    cycles[Resource::tensor] += macs * tensor_factor(opcode) / rate;
  }
}

/// ptxas joins loads of neighbouring shared words, up to four: its code shows how many fewer there
/// are. One of 16 bytes passes the banks at least twice, also where all lanes read the same
/// (H200: 0.75 of the passes where every second load becomes a quarter of one).
double joined_shared(const MachineMix& mix, const MemoryUse& memory) {
  // Code does not tell matrix loads from others.
  if (mix.origin != MixOrigin::sass || memory.matrix_requests > 0) return 1;
  const double in_code = mix.class_instructions(SassClass::load_shared);
  if (memory.shared_requests <= 0 || in_code <= 0) return 1;
  const double left = std::clamp(in_code / memory.shared_requests, 0.25, 1.0);
  return (1 + 2 * left) / 3;
}

void add_memory(const MemoryUse& memory, const MachineMix& mix, const Setting& setting,
                PerResource& cycles) {
  const TimingModel& timing = setting.device.timing;
  const ModelConstants& constants = setting.constants;
  const double shared =
      memory.shared_cycles - memory.shared_load_cycles * (1 - joined_shared(mix, memory));
  const double lsu = memory.global_cycles + shared + memory.shuffle_cycles;
  cycles[Resource::lsu] = lsu * setting.per_sm * constants.lsu_cycles;
  cycles[Resource::shared] = shared * setting.per_sm * constants.lsu_cycles;
  cycles[Resource::l2] = std::max(memory.l2_read_work, memory.l2_write_work) * kSectorBytes *
                         setting.per_sm / (timing.l2_bytes * constants.l2_bytes);
  // DRAM and atomics are the device's: how blocks spread over multiprocessors does not matter.
  const double bytes_per_cycle = setting.device.memory_bandwidth_gb_s * 1e9 *
                                 timing.dram_efficiency * constants.dram_efficiency /
                                 setting.clock_hz;
  cycles[Resource::dram] = memory.dram_sectors() * kSectorBytes * setting.scale / bytes_per_cycle;
  cycles[Resource::atomics] =
      memory.atomic_cycles * setting.scale * timing.atomic_cycles * constants.atomic_cycles;
}

/// A warp votes on which lanes share an address, or adds up all of them.
bool joins_atomics(const MachineCode& machine) {
  return std::any_of(machine.code.begin(), machine.code.end(), [](const SassInstruction& one) {
    return one.name.starts_with("VOTE") || one.name == "REDUX";
  });
}

void add_blocks(const Setting& setting, PerResource& cycles) {
  const double blocks = number(setting.launch.blocks);
  const double busiest = std::ceil(blocks / setting.device.sm_count);
  cycles[Resource::dispatch] =
      std::max(blocks * kBlockCycles, busiest * setting.warps_per_block * kWarpStartCycles);
  cycles[Resource::barrier] = number(setting.launch.barriers) * setting.per_sm * kArrivalCycles;
}

Resource largest(const PerResource& cycles) {
  Resource bound = Resource::issue;
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (resource != Resource::shared && cycles[resource] > cycles[bound]) bound = resource;
  }
  const bool mostly_shared = cycles[Resource::shared] > 0.5 * cycles[Resource::lsu];
  return bound == Resource::lsu && mostly_shared ? Resource::shared : bound;
}

double joined(const PerResource& cycles, double exponent) {
  const double most = cycles[largest(cycles)];
  if (most <= 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (resource != Resource::shared) sum += std::pow(cycles[resource] / most, exponent);
  }
  return most * std::pow(sum, 1 / exponent);
}

/// Against measured times of other devices, times bound by DRAM were right within 10 %, those of
/// pipes within 50 %, and the rest off by a factor of two.
Confidence usual_confidence(Resource bound) {
  switch (bound) {
    case Resource::dram: return Confidence::high;
    case Resource::issue:
    case Resource::fma:
    case Resource::imad:
    case Resource::alu:
    case Resource::half:
    case Resource::special:
    case Resource::fp64:
    case Resource::tensor: return Confidence::medium;
    default: return Confidence::low;
  }
}

void lower(Prediction& prediction, std::string why) {
  const int level = static_cast<int>(prediction.confidence);
  prediction.confidence = static_cast<Confidence>(std::max(0, level - 1));
  prediction.notes.push_back(std::move(why));
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

void judge_confidence(const KernelCounts& kernel, Prediction& prediction) {
  prediction.confidence = usual_confidence(prediction.bound);
  const LaunchRecord& launch = kernel.launch;
  if (launch.end != LaunchEnd::completed) {
    lower(prediction, "the simulated launch did not end: " + launch.end_reason);
  }
  if (!prediction.memory.has_cache_rates && prediction.memory.l2_sectors > 0) {
    lower(prediction, "caches were not simulated: every sector counts as read from DRAM");
  }
  if (prediction.mix.origin == MixOrigin::ptx && prediction.bound != Resource::dram) {
    lower(prediction, kernel.machine == nullptr
                          ? "no machine code: instructions are counted in PTX"
                          : "the machine code does not fit the counts: PTX was used");
  }
  if (prediction.mix.unknown_share > kMostUnknown) {
    lower(prediction, percent(prediction.mix.unknown_share) +
                          " of the machine's instructions are not in the table");
  }
  if (number(launch.blocks_run) < std::min(kFewBlocks, number(launch.blocks))) {
    lower(prediction, "only " + std::to_string(launch.blocks_run) + " of " +
                          std::to_string(launch.blocks) + " blocks were simulated");
  }
  if (prediction.memory.atomics_on_one_address) {
    prediction.notes.emplace_back("atomics of single lanes are taken to meet at one address");
  }
}

/// Whole waves while there are few; of many, blocks of the next start where one ends.
double effective_waves(double waves) {
  constexpr double kFewWaves = 4;
  if (waves <= 1) return 1;
  return waves <= kFewWaves ? std::ceil(waves) : waves + 0.5;
}

Result<void> check(const LaunchRecord& launch, const DeviceSpec& device) {
  if (device.timing.sustained_clock_mhz <= 0) {
    return fail(Errc::invalid_argument, "the device table has no time model for " + device.name);
  }
  if (launch.blocks == 0 || launch.blocks_run == 0) {
    return fail(Errc::invalid_argument, "no block of '" + launch.kernel + "' ran");
  }
  return {};
}

}  // namespace

Result<Prediction> predict(const KernelCounts& kernel, const DeviceSpec& device,
                           const ModelConstants& constants) {
  const LaunchRecord& launch = kernel.launch;
  WARPMIND_CHECK(check(launch, device));
  const Setting setting = make_setting(launch, device, constants);
  Prediction out;
  int registers = kernel.registers_per_thread;
  if (registers <= 0 && kernel.machine != nullptr) registers = kernel.machine->registers;
  if (registers <= 0) registers = kUsualRegisters;
  out.occupancy = profilers::theoretical_occupancy(
      {registers, std::int64_t{launch.static_shared} + launch.dynamic_shared,
       static_cast<std::int64_t>(threads_of(launch))},
      device);
  if (out.occupancy.blocks_per_sm <= 0) {
    return fail(Errc::invalid_argument,
                "not one block of '" + launch.kernel + "' fits on a " + device.name);
  }
  out.waves = number(launch.blocks) / (out.occupancy.blocks_per_sm * double(device.sm_count));
  const double per_sm_blocks = number(launch.blocks) / device.sm_count;
  out.active_warps = setting.warps_per_block *
                     std::min<double>(out.occupancy.blocks_per_sm, std::max(1.0, per_sm_blocks));
  out.scale = setting.scale;
  out.clock_mhz = setting.clock_hz / 1e6;
  out.memory = memory_use(launch, kernel.wave, device.timing,
                          kernel.machine == nullptr || joins_atomics(*kernel.machine));
  out.mix = kernel.machine != nullptr ? mix_of(launch, *kernel.machine) : mix_of_ptx(launch);
  add_pipes(out.mix, setting, out.cycles);
  add_tensor(setting, out.cycles);
  add_memory(out.memory, out.mix, setting, out.cycles);
  add_blocks(setting, out.cycles);
  const double warps_run = setting.warps_per_block * number(launch.blocks_run);
  out.warp_cycles = warp_time(
      out.mix, kernel.machine,
      {device.timing, out.memory, warps_run, setting.warps_per_block, constants.branch_cycles});
  // warp_cycles is a mean over blocks: the launch lasts as long as the block that takes longest.
  out.cycles[Resource::latency] =
      out.warp_cycles * std::max(effective_waves(out.waves), launch.busiest_block);
  out.bound = largest(out.cycles);
  out.elapsed_cycles = joined(out.cycles, constants.exponent);
  out.time_us = out.elapsed_cycles / out.clock_mhz + device.timing.launch_us * constants.launch;
  judge_confidence(kernel, out);
  return out;
}

}  // namespace warpmind::simulator
