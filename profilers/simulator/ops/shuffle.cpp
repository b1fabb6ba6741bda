#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/warp_groups.h"

#include <array>
#include <string>

namespace warpmind::simulator {
namespace {

enum class ShuffleMode { up, down, butterfly, index };

/// Which lane is read: c has the clamp in bits 0-4 and the segment's mask in bits 8-12 (PTX ISA,
/// shfl.sync).
template <ShuffleMode Mode>
struct ShuffleSource {
  static int wanted(int lane, std::uint32_t b, std::uint32_t c) {
    const int offset = static_cast<int>(b & 31U);
    const int segment = static_cast<int>((c >> 8U) & 31U);
    if constexpr (Mode == ShuffleMode::up) return lane - offset;
    if constexpr (Mode == ShuffleMode::down) return lane + offset;
    if constexpr (Mode == ShuffleMode::butterfly) return lane ^ offset;
    return (lane & segment) | (offset & ~segment);
  }
  /// Past the end of the segment a lane keeps its own value.
  static bool in_range(int lane, int source, std::uint32_t c) {
    const int clamp = static_cast<int>(c & 31U);
    const int segment = static_cast<int>((c >> 8U) & 31U);
    const int most = (lane & segment) | (clamp & ~segment);
    return Mode == ShuffleMode::up ? source >= most : source <= most;
  }
};

void report_inactive(Warp& warp, const Instruction& in, int lane, int source) {
  warp.launch->checks->report(CheckKind::inactive_lane, warp, in, lane, 0, [&] {
    return "lane " + std::to_string(lane) + " reads a value of lane " + std::to_string(source) +
           ", which does not run this instruction";
  });
}

void report_inactive_sources(Warp& warp, const Instruction& in, const std::int32_t* sources,
                             Mask missing) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (is_active(missing, lane)) report_inactive(warp, in, lane, sources[lane]);
  }
}

/// A lane that reads from one that is not here keeps its own value.
template <ShuffleMode Mode>
void run_shfl(Warp& warp, const Instruction& in, Mask active) {
  using Source = ShuffleSource<Mode>;
  const auto* const from = lanes<const std::uint32_t>(warp, in.a);
  const auto* const b = lanes<const std::uint32_t>(warp, in.b);
  const auto* const c = lanes<const std::uint32_t>(warp, in.c);
  const auto* const members = lanes<const std::uint32_t>(warp, warp.program().slots[in.list]);
  for_each_group(warp, in, members, active, [](Mask, int) {});

  alignas(64) std::int32_t sources[kLanes];
  alignas(64) std::int32_t in_range[kLanes];
  alignas(64) std::int32_t is_here[kLanes];
  alignas(64) std::uint32_t values[kLanes];
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) {
    const int wanted = Source::wanted(lane, b[lane], c[lane]);
    const bool fits = Source::in_range(lane, wanted, c[lane]);
    in_range[lane] = fits ? -1 : 0;
    sources[lane] = (fits ? wanted : lane) & 31;
    is_here[lane] = ((active >> static_cast<unsigned>(sources[lane])) & 1U) != 0 ? -1 : 0;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    values[lane] = from[is_here[lane] != 0 ? sources[lane] : lane];
  }
  Mask missing = ~mask_of(is_here) & active;
  if constexpr (Mode != ShuffleMode::index) {
    // Reductions over the first lanes only read past them, and drop what they get.
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool is_named = is_active(members[lane], sources[lane]);
      if (!is_named) missing &= ~(Mask{1} << static_cast<unsigned>(lane));
    }
  }
  if (missing != 0) report_inactive_sources(warp, in, sources, missing);
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
  if (in.e != kNoSlot) store_predicate(warp, in.e, mask_of(in_range), active);
}

}  // namespace

void decode_shfl(StatementReader& read) {
  if (!read.take("sync")) read.fail("shfl without .sync");
  const int mode = read.take_one_of({"up", "down", "bfly", "idx"});
  if (mode < 0) read.fail("the mode of shfl");
  const std::string_view type = read.take_type();
  constexpr std::array<Handler, 4> kHandlers = {
      run_shfl<ShuffleMode::up>, run_shfl<ShuffleMode::down>, run_shfl<ShuffleMode::butterfly>,
      run_shfl<ShuffleMode::index>};
  read.use(type == "b32" && mode >= 0 ? kHandlers[static_cast<std::size_t>(mode)] : nullptr, type);
  read.out.d = read.destination(4);
  if (read.peek().paired) read.out.e = read.destination(0);
  read.out.a = read.source(4, "b32");
  read.out.b = read.source(4, "b32");
  read.out.c = read.source(4, "b32");
  read.out.list = read.context().add_slot(read.source(4, "b32"));
  read.set_cost(Pipe::memory, 1);
}

}  // namespace warpmind::simulator
