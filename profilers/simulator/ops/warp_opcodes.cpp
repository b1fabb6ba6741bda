#include "profilers/simulator/ops/warp_opcodes.h"

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/ops/float_extremes.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <array>
#include <string>

namespace warpmind::simulator {
namespace {

// What instructions that let lanes meet share: who takes part, and who should but does not.

/// Reports lanes that a member mask names, that live, and that are not here: the machine waits for
/// them, we cannot.
void check_members(Warp& warp, const Instruction& in, Mask members, Mask active);

struct SameMembers {
  static bool lane_result(std::uint32_t a, std::uint32_t b) { return a == b; }
};

/// Calls visit(participants, leader) for each set of active lanes that name the same members;
/// `participants` are those of them that are active. Checks the masks, and orders the lanes.
template <class Visit>
void for_each_group(Warp& warp, const Instruction& in, const std::uint32_t* members, Mask active,
                    Visit&& visit) {
  Mask left = active;
  while (left != 0) {
    const int leader = __builtin_ctz(left);
    alignas(64) std::uint32_t wanted[kLanes];
    for (std::uint32_t& one : wanted) one = members[leader];
    const Mask same = lanes_where<SameMembers>(members, wanted) & left;
    check_members(warp, in, members[leader], active);
    meet_lanes(warp, same);
    visit(same, leader);
    left &= ~same;
  }
}

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

constexpr Mask bit(int lane) { return Mask{1} << static_cast<unsigned>(lane); }

enum class VoteMode : std::uint16_t { all, any, uniform, ballot };

/// Instruction::option is the mode, option2 says whether the predicate is negated.
void run_vote(Warp& warp, const Instruction& in, Mask active) {
  Mask votes = predicate(warp, in.a);
  if (in.option2 != 0) votes = ~votes;
  const auto mode = static_cast<VoteMode>(in.option);
  alignas(64) std::uint32_t ballots[kLanes] = {};
  Mask result = 0;
  for_each_group(warp, in, lanes<const std::uint32_t>(warp, in.b), active,
                 [&](Mask participants, int /*leader*/) {
                   const Mask yes = votes & participants;
                   const bool all = yes == participants;
                   const bool agreed = mode == VoteMode::all   ? all
                                       : mode == VoteMode::any ? yes != 0
                                                               : all || yes == 0;
                   if (agreed) result |= participants;
                   for (int lane = 0; lane < kLanes; ++lane) {
                     if (is_active(participants, lane)) ballots[lane] = yes;
                   }
                 });
  if (mode == VoteMode::ballot) {
    store_lanes(lanes<std::uint32_t>(warp, in.d), ballots, active);
  } else {
    store_predicate(warp, in.d, result, active);
  }
}

/// .any: the lanes with this lane's value. .all (option 1): all participants when they have one
/// value, else zero.
template <class T>
void run_match(Warp& warp, const Instruction& in, Mask active) {
  const auto* const values = lanes<const T>(warp, in.a);
  alignas(64) std::uint32_t matches[kLanes] = {};
  Mask agreed = 0;
  for_each_group(warp, in, lanes<const std::uint32_t>(warp, in.b), active,
                 [&](Mask participants, int /*leader*/) {
                   for (int lane = 0; lane < kLanes; ++lane) {
                     if (!is_active(participants, lane)) continue;
                     for (int other = 0; other < kLanes; ++other) {
                       const bool same =
                           is_active(participants, other) && values[other] == values[lane];
                       if (same) matches[lane] |= bit(other);
                     }
                     const bool is_whole = matches[lane] == participants;
                     if (is_whole) agreed |= bit(lane);
                     if (in.option == 1 && !is_whole) matches[lane] = 0;
                   }
                 });
  store_lanes(lanes<std::uint32_t>(warp, in.d), matches, active);
  if (in.e != kNoSlot) store_predicate(warp, in.e, agreed, active);
}

struct Sum {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) { return a + b; }
};
struct Least {
  template <class T>
  static T lane_result(T a, T b) {
    return a < b ? a : b;
  }
};
struct Greatest {
  template <class T>
  static T lane_result(T a, T b) {
    return a > b ? a : b;
  }
};
struct BitAnd {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct BitOr {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct BitXor {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) { return a ^ b; }
};

/// f32 with .abs: Instruction::option is 1.
template <class F, class T>
void run_redux(Warp& warp, const Instruction& in, Mask active) {
  const auto* const from = lanes<const T>(warp, in.a);
  alignas(64) T values[kLanes] = {};
  const auto value_of = [&](int lane) {
    T value = from[lane];
    if constexpr (std::is_floating_point_v<T>) {
      if (in.option == 1) value = std::fabs(value);
    }
    return value;
  };
  for_each_group(warp, in, lanes<const std::uint32_t>(warp, in.b), active,
                 [&](Mask participants, int leader) {
                   T result = value_of(leader);
                   for (int lane = leader + 1; lane < kLanes; ++lane) {
                     if (is_active(participants, lane))
                       result = F::lane_result(result, value_of(lane));
                   }
                   if constexpr (std::is_floating_point_v<T>) result = canonical(result);
                   for (int lane = 0; lane < kLanes; ++lane) {
                     if (is_active(participants, lane)) values[lane] = result;
                   }
                 });
  store_lanes(lanes<T>(warp, in.d), values, active);
}

enum class Reduction { add, minimum, maximum, bit_and, bit_or, bit_xor };

Handler float_reduction(Reduction reduction, bool keeps_nan) {
  if (reduction == Reduction::minimum) {
    return keeps_nan ? run_redux<KeepNan<MinimumReal>, float> : run_redux<MinimumReal, float>;
  }
  if (reduction == Reduction::maximum) {
    return keeps_nan ? run_redux<KeepNan<MaximumReal>, float> : run_redux<MaximumReal, float>;
  }
  return nullptr;
}

Handler integer_reduction(Reduction reduction, std::string_view type) {
  const bool is_signed = type == "s32";
  const bool is_bits = type == "b32";
  if (!is_signed && !is_bits && type != "u32") return nullptr;
  switch (reduction) {
    case Reduction::add: return is_bits ? nullptr : run_redux<Sum, std::uint32_t>;
    case Reduction::minimum:
      if (is_bits) return nullptr;
      return is_signed ? run_redux<Least, std::int32_t> : run_redux<Least, std::uint32_t>;
    case Reduction::maximum:
      if (is_bits) return nullptr;
      return is_signed ? run_redux<Greatest, std::int32_t> : run_redux<Greatest, std::uint32_t>;
    case Reduction::bit_and: return run_redux<BitAnd, std::uint32_t>;
    case Reduction::bit_or: return run_redux<BitOr, std::uint32_t>;
    default: return run_redux<BitXor, std::uint32_t>;
  }
}

void take_sync(StatementReader& read) {
  if (!read.take("sync")) read.fail("a form without .sync");
}

void decode_vote(StatementReader& read) {
  take_sync(read);
  const int mode = read.take_one_of({"all", "any", "uni", "ballot"});
  if (mode < 0) read.fail("the mode of vote");
  const bool is_ballot = mode == static_cast<int>(VoteMode::ballot);
  const std::string_view type = read.take_type();
  read.use(type == (is_ballot ? "b32" : "pred") ? run_vote : nullptr, type);
  read.out.option = static_cast<std::uint16_t>(mode);
  read.out.d = read.destination(is_ballot ? 4 : 0);
  bool negated = false;
  read.out.a = read.predicate_source(negated);
  read.out.option2 = negated ? 1 : 0;
  read.out.b = read.source(4, "b32");
  read.set_cost(Pipe::alu, 1);
}

void decode_match(StatementReader& read) {
  const int mode = read.take_one_of({"any", "all"});
  if (mode < 0) read.fail("the mode of match");
  take_sync(read);
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "b32") handler = run_match<std::uint32_t>;
  if (type == "b64") handler = run_match<std::uint64_t>;
  read.use(handler, type);
  read.out.option = static_cast<std::uint16_t>(mode);
  read.out.d = read.destination(4);
  if (read.peek().paired) read.out.e = read.destination(0);
  read.out.a = read.source(type_bytes(type), type);
  read.out.b = read.source(4, "b32");
  read.set_cost(Pipe::alu, 10);
}

void decode_redux(StatementReader& read) {
  take_sync(read);
  const int which = read.take_one_of({"add", "min", "max", "and", "or", "xor"});
  if (which < 0) read.fail("the operation of redux");
  const std::string_view type = read.take_type();
  const auto reduction = static_cast<Reduction>(which);
  if (type == "f32") {
    read.out.option = read.take("abs") ? 1 : 0;
    const bool keeps_nan = read.take("NaN");
    read.use(float_reduction(reduction, keeps_nan), type);
  } else {
    read.use(integer_reduction(reduction, type), type);
  }
  read.out.d = read.destination(4);
  read.out.a = read.source(4, type);
  read.out.b = read.source(4, "b32");
  read.set_cost(Pipe::alu, 2);
}

}  // namespace

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
