#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/opcodes.h"
#include "profilers/simulator/ops/warp_groups.h"

#include <string>

namespace warpmind::simulator {
namespace {

void run_activemask(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) std::uint32_t values[kLanes];
  for (std::uint32_t& value : values) value = active;
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

/// The lowest lane of each group is elected.
void run_elect(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) std::uint32_t values[kLanes] = {};
  Mask elected = 0;
  for_each_group(warp, in, lanes<const std::uint32_t>(warp, in.a), active,
                 [&](Mask participants, int leader) {
                   elected |= Mask{1} << static_cast<unsigned>(leader);
                   for (int lane = 0; lane < kLanes; ++lane) {
                     if (is_active(participants, lane)) {
                       values[lane] = static_cast<std::uint32_t>(leader);
                     }
                   }
                 });
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
  store_predicate(warp, in.e, elected, active);
}

void run_warp_barrier(Warp& warp, const Instruction& in, Mask active) {
  for_each_group(warp, in, lanes<const std::uint32_t>(warp, in.a), active, [](Mask, int) {});
}

}  // namespace

void check_members(Warp& warp, const Instruction& in, Mask members, Mask active) {
  const Mask missing = members & warp.live & ~active;
  if (missing == 0) return;
  const int lane = __builtin_ctz(missing);
  warp.launch->checks->report(CheckKind::inactive_lane, warp, in, lane, 0, [&] {
    return "lane " + std::to_string(lane) +
           " is in the member mask, but does not run this instruction with the others";
  });
}

void decode_activemask(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(type == "b32" ? run_activemask : nullptr, type);
  read.out.d = read.destination(4);
  read.set_cost(Pipe::alu, 1);
}

void decode_elect(StatementReader& read) {
  if (!read.take("sync")) read.fail("elect without .sync");
  read.use(run_elect, "b32");
  read.out.d = read.destination(4);
  read.out.e = read.destination(0);
  read.out.a = read.source(4, "b32");
  read.set_cost(Pipe::alu, 2);
}

void decode_warp_barrier(StatementReader& read) {
  if (!read.take("warp") || !read.take("sync")) read.fail("a barrier that is not bar.warp.sync");
  read.use(run_warp_barrier, "b32");
  read.out.a = read.source(4, "b32");
  read.set_cost(Pipe::control, 1);
}

std::span<const OpcodeEntry> warp_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"shfl", TypeClass::any, decode_with<decode_shfl>},
      {"vote", TypeClass::any, decode_with<decode_vote>},
      {"match", TypeClass::any, decode_with<decode_match>},
      {"redux", TypeClass::any, decode_with<decode_redux>},
      {"activemask", TypeClass::any, decode_with<decode_activemask>},
      {"elect", TypeClass::any, decode_with<decode_elect>},
      {"bar.warp", TypeClass::any, decode_with<decode_warp_barrier>},
  };
  return table;
}

}  // namespace warpmind::simulator
