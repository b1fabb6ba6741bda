/// \file
/// Generic addresses: windows of them are shared and local memory, the rest is global.

#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/lanes.h"

namespace warpmind::simulator {
namespace {

/// Instruction::immediate is what to add.
void run_cvta(Warp& warp, const Instruction& in, Mask active) {
  const auto* const from = lanes<const std::uint64_t>(warp, in.a);
  const auto offset = static_cast<std::uint64_t>(in.immediate);
  alignas(64) std::uint64_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = from[lane] + offset;
  store_lanes(lanes<std::uint64_t>(warp, in.d), values, active);
}

/// .shared::cta is .shared; a cluster's other blocks are not reached this way.
std::optional<Space> take_space(StatementReader& read) {
  switch (read.take_one_of(
      {"global", "shared", "shared::cta", "local", "const", "param", "param::entry"})) {
    case 0: return Space::global;
    case 1:
    case 2: return Space::shared;
    case 3: return Space::local;
    case 4: return Space::constant;
    case 5:
    case 6: return Space::param;
    default: return std::nullopt;
  }
}

std::uint64_t window_of(Space space) {
  if (space == Space::shared) return kSharedWindow;
  return space == Space::local ? kLocalWindow : 0;
}

bool is_constant(Warp& warp, std::uint64_t address) {
  for (const auto& [name, placed] : warp.launch->module->variables) {
    (void)name;
    const bool inside = address - placed.address < placed.variable.bytes;
    if (placed.variable.space == Space::constant && inside) return true;
  }
  return false;
}

bool lies_in(Warp& warp, std::uint64_t address, Space space) {
  const bool is_shared = address - kSharedWindow < kWindowBytes;
  const bool is_local = address - kLocalWindow < kWindowBytes;
  switch (space) {
    case Space::shared: return is_shared;
    case Space::local: return is_local;
    case Space::constant: return is_constant(warp, address);
    case Space::global: return !is_shared && !is_local && !is_constant(warp, address);
    default: return false;  // parameters have no generic address
  }
}

void run_isspacep(Warp& warp, const Instruction& in, Mask active) {
  const auto* const address = lanes<const std::uint64_t>(warp, in.a);
  Mask result = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (is_active(active, lane) && lies_in(warp, address[lane], in.space)) {
      result |= Mask{1} << static_cast<unsigned>(lane);
    }
  }
  store_predicate(warp, in.d, result, active);
}

}  // namespace

void decode_cvta(StatementReader& read) {
  const bool to_space = read.take("to");
  const std::optional<Space> space = take_space(read);
  const std::string_view type = read.take_type();
  read.use(type == "u64" ? run_cvta : nullptr, type);
  if (!space) return read.fail("the address space of cvta");
  if (*space == Space::param) return read.fail("cvta.param: a parameter has no generic address");
  const std::uint64_t window = window_of(*space);
  read.read_operands(1, 8, type);
  read.out.immediate = static_cast<std::int64_t>(to_space ? 0 - window : window);
  read.set_cost(Pipe::alu, 0.5F);
}

void decode_isspacep(StatementReader& read) {
  const std::optional<Space> space = take_space(read);
  if (!space) return read.fail("the address space of isspacep");
  read.use(run_isspacep, "u64");
  read.out.space = *space;
  read.out.d = read.destination(0);
  read.out.a = read.source(8, "u64");
  read.set_cost(Pipe::alu, 2);
}

}  // namespace warpmind::simulator
