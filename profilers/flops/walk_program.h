#pragma once
/// \file
/// A PTX function as far as its integers go: what a thread walk computes.

#include "base/result.h"
#include "profilers/flops/thread_walk.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpmind::profilers {

/// An integer or a predicate, zero-extended to 64 bits; or not known.
struct WalkValue {
  std::uint64_t bits = 0;
  bool known = false;
};

struct WalkSource {
  std::int32_t reg = -1;  ///< -1: `value`, or a special register
  std::int8_t special = -1;
  bool negated = false;  ///< predicates
  WalkValue value;
};

struct WalkStep {
  enum class Kind : std::uint8_t { compute, jump, leave };
  /// `none`: the destinations become unknown.
  enum class Rule : std::uint8_t {
    none,
    move,
    add,
    sub,
    mul_low,
    mul_high,
    mul_wide,
    mad_low,
    mad_high,
    mad_wide,
    divide,
    remainder,
    minimum,
    maximum,
    absolute,
    negative,
    both,
    either,
    differ,
    invert,
    shift_left,
    shift_right,
    choose,
    compare,
    convert,
    parameter,
    extract,
    insert,
    count_bits,
    leading_zeros,
    permute,
    logic3,
    funnel_left,
    funnel_right,
    root,  ///< these: of real numbers alone
    reciprocal,
    logarithm,  ///< of base 2
    power       ///< of 2
  };
  enum class Rounding : std::uint8_t { nearest, down, up, zero };
  Kind kind = Kind::compute;
  Rule rule = Rule::none;
  std::uint8_t bits = 32;       ///< of the operation's type
  std::uint8_t from_bits = 32;  ///< convert: of the source
  bool is_signed = false;
  bool from_signed = false;
  bool is_real = false;      ///< the type is f32 or f64, by `bits`
  bool from_real = false;    ///< convert: the source's
  bool to_whole = false;     ///< convert: to a whole number, by `rounding`
  bool approximate = false;  ///< .approx, .full: the machine's last digits are its own
  bool unordered = false;    ///< compare: also true where a number is none
  Rounding rounding = Rounding::nearest;
  std::uint8_t relation = 0;  ///< compare: index into kRelations
  std::uint8_t combine = 0;   ///< compare: 1 and, 2 or, 3 xor with the last source
  std::int32_t guard = -1;
  bool guard_negated = false;
  std::int32_t target = -1;
  std::uint32_t offset = 0;  ///< parameter: of the block
  int source_line = 0;
  std::array<std::int32_t, 4> destinations{-1, -1, -1, -1};
  std::vector<std::int32_t> more_destinations;
  std::array<WalkSource, 4> sources;
};

struct WalkProgram {
  std::size_t registers = 0;
  std::vector<WalkStep> steps;  ///< beside Function::body
};

/// The thread that runs.
struct WalkPlace {
  const WalkLaunch& launch;
  const std::array<std::uint32_t, 3>& block;
  const std::array<std::uint32_t, 3>& thread;
};

/// Errors: as walk_threads().
[[nodiscard]] Result<WalkProgram> make_walk_program(const simulator::ptx::Function& function);

/// The bits of a real step's result; nothing where the machine's could be another number. Steps
/// that round otherwise than to the nearest are not decoded as real.
[[nodiscard]] std::optional<std::uint64_t> real_result(const WalkStep& step,
                                                       const std::array<std::uint64_t, 4>& values);

/// One step that neither jumps nor leaves.
void compute(const WalkStep& step, const WalkPlace& place, std::vector<WalkValue>& registers);

}  // namespace warpmind::profilers
