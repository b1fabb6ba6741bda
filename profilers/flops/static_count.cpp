// Fields of HMMA, IMMA and DMMA: read off what ptxas 13.0 made, for sm_80 and sm_90, of one
// mma.sync of each shape.
#include "profilers/flops/static_count.h"

#include "profilers/simulator/sass/sass_opcodes.h"
#include "profilers/simulator/sass/timeline.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace warpmind::profilers {
namespace {

using simulator::ptx::Function;
using simulator::ptx::Statement;

/// Jumps back by where they lead; the last one ends the loop (half open).
std::map<std::uint32_t, std::uint32_t> find_loops(const Function& function) {
  std::map<std::uint32_t, std::uint32_t> loops;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Statement& statement = function.body[i];
    if (statement.opcode != "bra" || statement.operands.empty()) continue;
    const auto label = function.labels.find(statement.operands[0].name);
    if (label == function.labels.end() || label->second > i) continue;
    auto& end = loops[label->second];
    end = std::max(end, i + 1);
  }
  return loops;
}

void widen(LoopPlace& region, std::int64_t line) {
  if (line <= 0) return;
  region.first_line = region.first_line == 0 ? line : std::min(region.first_line, line);
  region.last_line = std::max(region.last_line, line);
}

}  // namespace

std::string opcode_of(const Statement& statement) {
  std::string opcode = statement.opcode;
  for (const auto& modifier : statement.modifiers) opcode += "." + modifier;
  return opcode;
}

OperationShare share_of_statement(const Statement& statement) {
  return share_of_ptx(opcode_of(statement));
}

StaticKernel count_ptx(const Function& function) {
  StaticKernel kernel;
  kernel.kernel = function.name;
  kernel.regions.emplace_back();
  const auto loops = find_loops(function);
  std::vector<std::pair<std::int32_t, std::uint32_t>> open{{0, ~0U}};  // region, its end
  bool calls = false;
  OperationCounts unknown;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    while (i >= open.back().second) open.pop_back();
    if (const auto loop = loops.find(i); loop != loops.end()) {
      StaticRegion region;
      region.parent = open.back().first;
      // Loops that cross are taken to end together.
      const std::uint32_t end = std::min(loop->second, open.back().second);
      open.emplace_back(static_cast<std::int32_t>(kernel.regions.size()), end);
      kernel.regions.push_back(region);
    }
    StaticRegion& region = kernel.regions[static_cast<std::size_t>(open.back().first)];
    const OperationShare share = share_of_statement(function.body[i]);
    region.counts.add(share, 1);
    if (share.operation == Operation::unknown) unknown.add(share, 1);
    calls = calls || function.body[i].opcode == "call";
    widen(region, function.body[i].source_line);
  }
  if (calls) kernel.notes.emplace_back("functions that it calls are not counted");
  if (unknown.count(Operation::unknown) > 0) {
    kernel.notes.push_back(std::to_string(static_cast<int>(unknown.count(Operation::unknown))) +
                           " instructions of no known class");
  }
  return kernel;
}

namespace {

using simulator::SassClass;
using simulator::SassInstruction;

constexpr std::uint64_t kOperationMask = 0x1ff;
constexpr std::uint64_t kZeroRegister = 255;
constexpr double kLanes = 32;
constexpr std::size_t kBytes = 16;

constexpr bool bit(std::uint64_t word, unsigned which) { return (word >> which & 1U) != 0; }

/// -RZ * RZ + constant: how ptxas loads a constant. Only forms with an immediate.
bool is_constant_move(std::uint64_t low) {
  const std::uint64_t form = low >> 9U & 7U;
  const bool immediate = form == 2 || form == 4;
  return immediate && (low >> 24U & 0xffU) == kZeroRegister;
}

OperationShare product_of(double macs) {
  return {Operation::tensor, macs / kLanes, FlopType::tensor, 2 * macs / kLanes};
}

/// k of m16n8k….
double depth_of_hmma(std::uint64_t high) {
  const bool is_tf32 = bit(high, 19);
  if (is_tf32) return bit(high, 14) ? 4 : 8;
  return bit(high, 11) ? 16 : 8;
}

struct RealRow {
  std::uint16_t operation = 0;
  OperationShare share;
};

/// Null when the operation is no plain arithmetic on real numbers.
const OperationShare* find_real(std::uint16_t operation) {
  using enum Operation;
  constexpr FlopType kHalf = FlopType::f16;
  constexpr FlopType kSingle = FlopType::f32;
  constexpr FlopType kDouble = FlopType::f64;
  static constexpr std::array kReals = {
      RealRow{0x021, {f32_add, 1, kSingle, 1}}, RealRow{0x020, {f32_mul, 1, kSingle, 1}},
      RealRow{0x023, {f32_fma, 1, kSingle, 2}}, RealRow{0x049, {f32_fma, 2, kSingle, 4}},
      RealRow{0x04a, {f32_mul, 2, kSingle, 2}}, RealRow{0x04b, {f32_add, 2, kSingle, 2}},
      RealRow{0x029, {f64_add, 1, kDouble, 1}}, RealRow{0x028, {f64_mul, 1, kDouble, 1}},
      RealRow{0x02b, {f64_fma, 1, kDouble, 2}}, RealRow{0x030, {f16_add, 2, kHalf, 2}},
      RealRow{0x032, {f16_mul, 2, kHalf, 2}},   RealRow{0x108, {special, 1, kSingle, 1}}};
  const auto row = std::find_if(kReals.begin(), kReals.end(),
                                [&](const RealRow& known) { return known.operation == operation; });
  return row == kReals.end() ? nullptr : &row->share;
}

OperationShare share_by_class(const SassInstruction& one) {
  using enum Operation;
  switch (one.kind) {
    case SassClass::fma:
    case SassClass::fp64:
    case SassClass::half: return {real_other};
    case SassClass::alu: return {one.name.starts_with("F") ? real_other : integer};
    case SassClass::imad: return {integer};
    case SassClass::special:
      return {one.name == "POPC" || one.name == "FLO" || one.name == "BREV" ? integer : convert};
    case SassClass::tensor: return {Operation::tensor, 0};
    case SassClass::load_global:
    case SassClass::texture: return {load_global};
    case SassClass::store_global: return {store_global};
    case SassClass::load_shared: return {load_shared};
    case SassClass::store_shared: return {store_shared};
    case SassClass::load_local:
    case SassClass::load_constant: return {load_other};
    case SassClass::store_local: return {store_other};
    case SassClass::async_copy: return {async_copy};
    case SassClass::atomic_global:
    case SassClass::atomic_shared: return {atomic};
    case SassClass::shuffle: return {shuffle};
    case SassClass::uniform: return {integer};
    case SassClass::barrier:
    case SassClass::fence: return {barrier};
    case SassClass::branch:
    case SassClass::call:
    case SassClass::control:
    case SassClass::exit:
    case SassClass::nop: return {control};
    case SassClass::unknown: break;
  }
  return {unknown};
}

OperationShare share_of(const SassInstruction& one, std::uint64_t low, std::uint64_t high,
                        int architecture) {
  const auto operation = static_cast<std::uint16_t>(low & kOperationMask);
  // HADD2.F32 Rd, -RZ, Rb: how ptxas makes a float of a half.
  if (operation == 0x030 && (low >> 24U & 0xffU) == kZeroRegister) return {Operation::convert};
  if (const auto* real = find_real(operation)) return *real;
  const bool half_fma = operation == 0x031 || (operation == 0x035 && architecture < 100);
  if (half_fma) {
    if (is_constant_move(low)) return {Operation::move};
    return {Operation::f16_fma, 2, FlopType::f16, 4};
  }
  constexpr double kTile = 16.0 * 8;
  if (operation == 0x03c) return product_of(kTile * depth_of_hmma(high));
  if (operation == 0x037) return product_of(kTile * (bit(high, 11) ? 32 : 16));
  if (operation == 0x03f) return product_of(8.0 * 8 * 4);
  if (operation == 0x002) return {Operation::move};
  return share_by_class(one);
}

}  // namespace

OperationShare share_of_sass(std::uint64_t low, std::uint64_t high, int architecture) {
  std::array<std::byte, kBytes> bytes{};
  std::memcpy(bytes.data(), &low, sizeof(low));
  std::memcpy(bytes.data() + sizeof(low), &high, sizeof(high));
  const auto known =
      simulator::sass_operation(static_cast<std::uint16_t>(low & kOperationMask), architecture);
  SassInstruction one;
  one.name = known.name;
  one.kind = known.kind;
  return share_of(one, low, high, architecture);
}

Result<StaticKernel> count_sass(const simulator::CubinKernel& kernel, int architecture) {
  WARPMIND_TRY(const auto code, simulator::decode_sass(kernel.code, architecture));
  StaticKernel counted;
  counted.kernel = kernel.name;
  counted.source = CountSource::sass;
  const auto regions = simulator::find_regions(code);
  std::size_t in_regions = 0;
  bool shapeless = false;
  for (const auto& region : regions) {
    StaticRegion& one = counted.regions.emplace_back();
    one.parent = region.parent;
    for (const std::uint32_t index : region.instructions) {
      std::uint64_t words[2] = {};
      std::memcpy(words, kernel.code.data() + index * kBytes, sizeof(words));
      const OperationShare share = share_of(code[index], words[0], words[1], architecture);
      one.counts.add(share, 1);
      shapeless = shapeless || (share.operation == Operation::tensor && share.operations == 0);
      ++in_regions;
    }
  }
  if (in_regions < code.size()) {
    counted.notes.push_back(std::to_string(code.size() - in_regions) +
                            " instructions of slow paths, which hardly ever run, are left out");
  }
  if (shapeless) counted.notes.emplace_back("matrix instructions of unknown shape count as none");
  return counted;
}

}  // namespace warpmind::profilers
