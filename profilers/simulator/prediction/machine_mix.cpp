#include "profilers/simulator/prediction/machine_mix.h"

#include "profilers/simulator/prediction/memory_use.h"

#include <algorithm>
#include <cmath>

namespace warpmind::simulator {
namespace {

/// An instruction class whose executions PTX and machine code share, and how far it is trusted.
struct Anchor {
  std::vector<SassClass> kinds;
  double executions = 0;  ///< in PTX, by warps
  double weight = 1;
};

constexpr double kSpecialOfQuotient = 2;
constexpr int kRounds = 200;
constexpr double kMostUnexplained = 0.5;

double number(std::uint64_t value) { return static_cast<double>(value); }

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix);
}

/// Warps of the blocks that ran.
double warps_run(const LaunchRecord& launch) {
  const double threads =
      number(launch.block[0]) * number(launch.block[1]) * number(launch.block[2]);
  return std::ceil(threads / kLanes) * number(launch.blocks_run);
}

template <class Matches>
double executions_of(const LaunchRecord& launch, Matches matches) {
  double sum = 0;
  for (const auto& one : launch.instructions) {
    if (matches(one)) sum += number(one.executions);
  }
  return sum;
}

double requests_of(const LaunchRecord& launch, std::string_view opcode,
                   bool (*touches)(const InstructionRecord&)) {
  double sum = 0;
  for (const auto& one : launch.instructions) {
    if (starts_with(one.opcode, opcode) && touches(one)) sum += number(one.access.requests);
  }
  return sum;
}

bool touches_global(const InstructionRecord& instruction) {
  return touches_sectors(instruction) && instruction.space != Space::local;
}

/// Division and exact roots become FP32 code of unknown length.
bool has_expansions(const LaunchRecord& launch) {
  return executions_of(launch, [](const InstructionRecord& one) {
           return starts_with(one.opcode, "div.") || starts_with(one.opcode, "sqrt.r") ||
                  starts_with(one.opcode, "rcp.r");
         }) > 0;
}

bool has_bytes(std::string_view opcode) {
  return opcode.find(".s8") != std::string_view::npos ||
         opcode.find(".u8") != std::string_view::npos ||
         opcode.find(".e4m3") != std::string_view::npos ||
         opcode.find(".e5m2") != std::string_view::npos;
}

/// Matrix instructions differ in size: PTX's wmma.mma is several of the machine's.
double tensor_instructions(const LaunchRecord& launch, int architecture) {
  double sum = 0;
  for (const auto& one : launch.instructions) {
    if (one.flop_kind != FlopKind::tensor) continue;
    if (starts_with(one.opcode, "wgmma")) {
      sum += number(one.executions);
      continue;
    }
    // HMMA.16816 does 2048 multiply-adds, Turing's HMMA.1688 1024, those of bytes twice as many.
    const double macs = one.flops * double{kLanes} / 2;
    const double per_machine = (architecture >= 80 ? 2048 : 1024) * (has_bytes(one.opcode) ? 2 : 1);
    sum += number(one.executions) * std::max(1.0, macs / per_machine);
  }
  return sum;
}

std::vector<Anchor> find_anchors(const LaunchRecord& launch, int architecture) {
  using Kind = SassClass;
  const auto fp32 = [](const InstructionRecord& one) {
    return one.pipe == Pipe::fma && one.flop_kind == FlopKind::f32 && one.cost <= 1.5;
  };
  const auto is_special = [](const InstructionRecord& one) {
    return starts_with(one.opcode, "ex2") || starts_with(one.opcode, "lg2") ||
           starts_with(one.opcode, "sin") || starts_with(one.opcode, "cos") ||
           starts_with(one.opcode, "tanh") || starts_with(one.opcode, "rsqrt.approx");
  };
  const auto is_half = [](const InstructionRecord& one) { return one.pipe == Pipe::half; };
  const auto is_integer = [](const InstructionRecord& one) {
    return one.pipe == Pipe::alu || one.pipe == Pipe::integer_multiply;
  };
  // A quotient's reciprocal, and the check of its range; an integer's is converted there and back.
  const auto has_reciprocal = [](const InstructionRecord& one) {
    return starts_with(one.opcode, "div.") || starts_with(one.opcode, "sqrt.r") ||
           starts_with(one.opcode, "rcp.r");
  };
  const auto is_integer_quotient = [](const InstructionRecord& one) {
    return (starts_with(one.opcode, "div.") || starts_with(one.opcode, "rem.")) &&
           one.flop_kind == FlopKind::none;
  };
  const auto is_barrier = [](const InstructionRecord& one) {
    return starts_with(one.opcode, "bar.sync") || starts_with(one.opcode, "barrier.sync");
  };
  const auto is_shuffle = [](const InstructionRecord& one) {
    return starts_with(one.opcode, "shfl");
  };
  std::vector<Anchor> anchors = {
      {{Kind::tensor}, tensor_instructions(launch, architecture), 8},
      {{Kind::load_global}, requests_of(launch, "ld", touches_global), 4},
      {{Kind::store_global}, requests_of(launch, "st", touches_global), 4},
      {{Kind::async_copy}, requests_of(launch, "cp.async", touches_sectors), 4},
      {{Kind::barrier}, executions_of(launch, is_barrier), 2},
      {{Kind::shuffle}, executions_of(launch, is_shuffle), 2},
      // ptxas joins neighbouring accesses to shared memory.
      {{Kind::load_shared}, requests_of(launch, "ld", touches_banks), 1},
      {{Kind::store_shared}, requests_of(launch, "st", touches_banks), 1},
      {{Kind::half}, executions_of(launch, is_half), 0.5},
      // ptxas remakes integers freely: they only speak where nothing else does.
      {{Kind::alu, Kind::imad}, executions_of(launch, is_integer), 0.01},
  };
  if (!has_expansions(launch)) {
    // FP32 code grows around special functions (scaling), these do not.
    anchors.push_back({{Kind::fma}, executions_of(launch, fp32), 1});
  }
  const double special = executions_of(launch, is_special) +
                         kSpecialOfQuotient * executions_of(launch, has_reciprocal) +
                         executions_of(launch, is_integer_quotient);
  anchors.push_back({{Kind::special}, special, 8});
  return anchors;
}

double count_of(const MachineCode& machine, const Region& region, const Anchor& anchor) {
  double sum = 0;
  for (const auto kind : anchor.kinds) sum += machine.count(region, kind);
  return sum;
}

/// Anchors by regions: how many of each a pass has.
using Counts = std::vector<std::vector<double>>;

/// Regions that nothing anchors run once a pass of the region around them; the others are scaled
/// until their sums meet the anchors' executions (Richardson-Lucy, which keeps them positive).
std::vector<double> solve_passes(const Counts& counts, const std::vector<Anchor>& anchors,
                                 double warps) {
  const std::size_t regions = counts.empty() ? 0 : counts.front().size();
  std::vector<double> passes(regions, warps);
  for (std::size_t r = 1; r < regions; ++r) {
    // Of an unrolled loop and its remainder the unrolled one does the work.
    double size = 0;
    for (std::size_t a = 0; a < anchors.size(); ++a) size += counts[a][r];
    passes[r] = warps * std::max(1.0, size);
  }
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> ratios(anchors.size(), 1);
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      double sum = 0;
      for (std::size_t r = 0; r < regions; ++r) sum += counts[a][r] * passes[r];
      if (sum > 0) ratios[a] = anchors[a].executions / sum;
    }
    for (std::size_t r = 0; r < regions; ++r) {
      double weighted = 0;
      double weights = 0;
      for (std::size_t a = 0; a < anchors.size(); ++a) {
        weighted += anchors[a].weight * counts[a][r] * ratios[a];
        weights += anchors[a].weight * counts[a][r];
      }
      if (weights <= 0) continue;
      passes[r] *= weighted / weights;
      if (r == 0) passes[r] = std::min(passes[r], warps);
    }
  }
  return passes;
}

/// Share of the anchors' executions, by weight, that the passes miss or invent.
double unexplained_share(const Counts& counts, const std::vector<Anchor>& anchors,
                         const std::vector<double>& passes) {
  double missed = 0;
  double all = 0;
  for (std::size_t a = 0; a < anchors.size(); ++a) {
    double sum = 0;
    for (std::size_t r = 0; r < passes.size(); ++r) sum += counts[a][r] * passes[r];
    missed += anchors[a].weight * std::abs(sum - anchors[a].executions);
    all += anchors[a].weight * anchors[a].executions;
  }
  return all > 0 ? missed / all : 1;
}

SassClass class_of(Pipe pipe) {
  switch (pipe) {
    case Pipe::fma: return SassClass::fma;
    case Pipe::alu: return SassClass::alu;
    case Pipe::integer_multiply: return SassClass::imad;
    case Pipe::half: return SassClass::half;
    case Pipe::special: return SassClass::special;
    case Pipe::fp64: return SassClass::fp64;
    case Pipe::memory: return SassClass::load_global;
    case Pipe::tensor: return SassClass::tensor;
    case Pipe::control: return SassClass::control;
    case Pipe::free: break;
  }
  return SassClass::nop;
}

}  // namespace

double MachineCode::count(const Region& region, SassClass kind) const {
  return static_cast<double>(
      std::count_if(region.instructions.begin(), region.instructions.end(),
                    [&](std::uint32_t index) { return code[index].kind == kind; }));
}

Result<MachineCode> read_machine_code(const Cubin& cubin, std::string_view kernel) {
  const CubinKernel* found = cubin.find(kernel);
  if (found == nullptr) {
    return fail(Errc::not_found, "the cubin has no kernel '" + std::string(kernel) + "'");
  }
  MachineCode machine;
  machine.architecture = cubin.architecture;
  machine.registers = found->registers;
  WARPMIND_TRY(machine.code, decode_sass(found->code, cubin.architecture));
  machine.regions = find_regions(machine.code);
  return machine;
}

MachineMix mix_of_ptx(const LaunchRecord& launch) {
  MachineMix mix;
  for (const auto& one : launch.instructions) {
    double count = number(one.executions) * one.cost;
    const SassClass kind = class_of(one.pipe);
    if (kind == SassClass::nop) continue;
    mix.instructions += count;
    if (kind == SassClass::special && one.cost > 1) {
      // One goes to the special unit, the others scale what goes in and comes out.
      mix.by_class[static_cast<std::size_t>(SassClass::fma)] += count - number(one.executions);
      count = number(one.executions);
    }
    mix.by_class[static_cast<std::size_t>(kind)] += count;
  }
  if (launch.instructions.empty()) mix.instructions = number(launch.warp_instructions);
  return mix;
}

MachineMix mix_of(const LaunchRecord& launch, const MachineCode& machine) {
  auto anchors = find_anchors(launch, machine.architecture);
  Counts counts;
  for (std::size_t a = 0; a < anchors.size();) {
    std::vector<double> row;
    double in_code = 0;
    for (const auto& region : machine.regions) {
      row.push_back(count_of(machine, region, anchors[a]));
      in_code += row.back();
    }
    // What only one side has says nothing about loops.
    if (in_code > 0 && anchors[a].executions > 0) {
      counts.push_back(std::move(row));
      ++a;
    } else {
      anchors.erase(anchors.begin() + static_cast<std::ptrdiff_t>(a));
    }
  }
  if (anchors.empty()) return mix_of_ptx(launch);
  MachineMix mix;
  mix.passes = solve_passes(counts, anchors, warps_run(launch));
  if (unexplained_share(counts, anchors, mix.passes) > kMostUnexplained) return mix_of_ptx(launch);
  mix.origin = MixOrigin::sass;
  for (std::size_t r = 0; r < machine.regions.size(); ++r) {
    for (const std::uint32_t index : machine.regions[r].instructions) {
      const SassClass kind = machine.code[index].kind;
      if (kind == SassClass::nop) continue;
      mix.instructions += mix.passes[r];
      mix.by_class[static_cast<std::size_t>(kind)] += mix.passes[r];
    }
  }
  if (mix.instructions > 0) {
    mix.unknown_share = mix.class_instructions(SassClass::unknown) / mix.instructions;
  }
  return mix;
}

}  // namespace warpmind::simulator
