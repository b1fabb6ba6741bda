#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/float_extremes.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/warp_groups.h"

namespace warpmind::simulator {
namespace {

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
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a + b; }
};
struct Least {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Greatest {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct BitAnd {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct BitOr {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct BitXor {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a ^ b; }
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
                     if (is_active(participants, lane)) result = F::apply(result, value_of(lane));
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

}  // namespace

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

}  // namespace warpmind::simulator
