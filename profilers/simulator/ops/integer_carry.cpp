/// \file
/// Arithmetic with the condition code CC.CF: one bit a lane in Warp::carry.

#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/integer_functors.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/type_dispatch.h"

namespace warpmind::simulator {
namespace {

// Instruction::option
constexpr unsigned kReadsCarry = 1;
constexpr unsigned kWritesCarry = 2;
constexpr unsigned kSubtracts = 4;

/// a + b + carry, or a - b - carry; the carry goes out, too (of a subtraction: the borrow).
template <class T>
T add_with_carry(T a, T b, bool subtracts, bool& carry) {
  Wider<T> sum = subtracts ? Wider<T>{a} - Wider<T>{b} : Wider<T>{a} + Wider<T>{b};
  sum = subtracts ? sum - Wider<T>{carry} : sum + Wider<T>{carry};
  carry = ((sum >> (8 * sizeof(T))) & 1U) != 0;
  return static_cast<T>(sum);
}

template <class T>
void run_carry(Warp& warp, const Instruction& in, Mask active) {
  const auto* const a = lanes<const T>(warp, in.a);
  const auto* const b = lanes<const T>(warp, in.b);
  alignas(64) T values[kLanes];
  Mask carries = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool carry = (in.option & kReadsCarry) != 0 && is_active(warp.carry, lane);
    values[lane] = add_with_carry(a[lane], b[lane], (in.option & kSubtracts) != 0, carry);
    if (carry) carries |= Mask{1} << static_cast<unsigned>(lane);
  }
  store_lanes(lanes<T>(warp, in.d), values, active);
  if ((in.option & kWritesCarry) != 0) warp.carry = (warp.carry & ~active) | (carries & active);
}

template <class Multiply, class T>
void run_carry_mad(Warp& warp, const Instruction& in, Mask active) {
  using Bits = Unsigned<T>;
  const auto* const a = lanes<const T>(warp, in.a);
  const auto* const b = lanes<const T>(warp, in.b);
  const auto* const c = lanes<const Bits>(warp, in.c);
  alignas(64) Bits values[kLanes];
  Mask carries = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool carry = (in.option & kReadsCarry) != 0 && is_active(warp.carry, lane);
    const auto product = static_cast<Bits>(Multiply::apply(a[lane], b[lane]));
    values[lane] = add_with_carry(product, c[lane], false, carry);
    if (carry) carries |= Mask{1} << static_cast<unsigned>(lane);
  }
  store_lanes(lanes<Bits>(warp, in.d), values, active);
  if ((in.option & kWritesCarry) != 0) warp.carry = (warp.carry & ~active) | (carries & active);
}

std::uint16_t options(bool reads_carry, bool writes_carry) {
  return static_cast<std::uint16_t>((reads_carry ? kReadsCarry : 0U) |
                                    (writes_carry ? kWritesCarry : 0U));
}

}  // namespace

void decode_carry(StatementReader& read, CarryOperation operation, bool reads_carry,
                  bool writes_carry) {
  const std::string_view type = read.take_type();
  const int bytes = type_bytes(type);
  Handler handler = nullptr;
  if (bytes == 4) handler = run_carry<std::uint32_t>;
  if (bytes == 8) handler = run_carry<std::uint64_t>;
  read.use(is_float_type(type) ? nullptr : handler, type);
  read.read_operands(2, bytes, type);
  read.out.option = options(reads_carry, writes_carry);
  if (operation == CarryOperation::subtract) read.out.option |= kSubtracts;
  read.set_cost(Pipe::alu, bytes == 8 ? 2.0F : 1.0F);
}

void decode_carry_mad(StatementReader& read, bool reads_carry, bool writes_carry) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const std::string_view type = read.take_type();
  read.use(for_words(type,
                     [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
                       return is_high ? run_carry_mad<MultiplyHigh, T>
                                      : run_carry_mad<MultiplyLow, T>;
                     }),
           type);
  const int bytes = type_bytes(type);
  read.read_operands(3, bytes, type);
  read.out.option = options(reads_carry, writes_carry);
  read.set_cost(Pipe::integer_multiply, bytes == 8 ? 5.0F : 2.0F);
}

void decode_addc(StatementReader& read) {
  const bool writes = read.take("cc");
  decode_carry(read, CarryOperation::add, true, writes);
}

void decode_subc(StatementReader& read) {
  const bool writes = read.take("cc");
  decode_carry(read, CarryOperation::subtract, true, writes);
}

void decode_madc(StatementReader& read) {
  const bool writes = read.take("cc");
  decode_carry_mad(read, true, writes);
}

}  // namespace warpmind::simulator
