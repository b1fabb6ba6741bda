#pragma once
/// \file
/// The handler of mma and wmma.mma: registers to matrices, their product, and back.
///
/// Instruction::list names the registers of the result, the left factor, the right factor and the
/// sum that it is added to, in this order.

#include "profilers/simulator/ops/tensor_elements.h"
#include "profilers/simulator/ops/tensor_product.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace warpmind::simulator::tensor {

inline constexpr std::size_t kMostFactor = std::size_t{32} * 32;  ///< elements
inline constexpr std::size_t kMostSums = std::size_t{32} * 16;
inline constexpr std::uint16_t kSaturates = 0x8000;  ///< in Instruction::option2

/// Instruction::option has rows and columns, option2 the depth.
inline void store_shape(const ProductShape& shape, bool saturates, Instruction& out) {
  out.option = static_cast<std::uint16_t>(shape.rows | shape.columns << 8U);
  out.option2 = static_cast<std::uint16_t>(shape.depth | (saturates ? kSaturates : 0U));
}
[[nodiscard]] inline ProductShape load_shape(const Instruction& in) {
  return {in.option & 0xffU, static_cast<std::size_t>(in.option >> 8U), in.option2 & 0xffU};
}

/// The left factor, row-major. `slots` are its registers.
template <class Factor>
inline void read_left(const Warp& warp, const Slot* slots, const Fragment& fragment,
                      typename Factor::Number* to) {
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const std::byte* const from = warp.registers + slots[block];
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Factor::widen(from + g * kRowLanes * fragment.register_bytes,
                    to + (place.row + g) * fragment.columns + place.column);
    }
  }
}

/// The right factor: its fragment holds the transpose, `to` gets the rows of the factor.
template <class Factor>
inline void read_right(const Warp& warp, const Slot* slots, const Fragment& fragment,
                       typename Factor::Number* to) {
  typename Factor::Number row[Factor::kRow];
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const std::byte* const from = warp.registers + slots[block];
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Factor::widen(from + g * kRowLanes * fragment.register_bytes, row);
      auto* const down = to + place.column * fragment.rows + place.row + g;
      for (std::size_t k = 0; k < Factor::kRow; ++k) down[k * fragment.rows] = row[k];
    }
  }
}

template <class Sum>
inline typename Sum::Registers registers_of(const Warp& warp, const Slot* slots,
                                            std::size_t block) {
  typename Sum::Registers registers{};
  for (std::size_t i = 0; i < registers.size(); ++i) {
    registers[i] = warp.registers + slots[block * registers.size() + i];
  }
  return registers;
}

template <class Sum>
inline void read_sums(const Warp& warp, const Slot* slots, const Fragment& fragment,
                      typename Sum::Number* to) {
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const auto registers = registers_of<Sum>(warp, slots, block);
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Sum::read(registers, g, to + (place.row + g) * fragment.columns + place.column);
    }
  }
}

/// Lanes that are not active keep what they have.
template <class Sum>
inline void write_sums(const Warp& warp, const Slot* slots, const Fragment& fragment, Mask active,
                       const typename Sum::Number* from) {
  using Word = std::conditional_t<Sum::kBytes == 8, std::uint64_t, std::uint32_t>;
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const auto registers = registers_of<Sum>(warp, slots, block);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): used for a part of the warp only
    alignas(64) std::array<std::array<Word, kLanes>, registers.size()> values;
    auto to = registers;
    if (active != kAllLanes) {
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = reinterpret_cast<std::byte*>(values[i].data());
      }
    }
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Sum::write(to, g, from + (place.row + g) * fragment.columns + place.column);
    }
    if (active == kAllLanes) continue;
    for (std::size_t i = 0; i < to.size(); ++i) {
      blend_lanes(reinterpret_cast<Word*>(registers[i]), values[i].data(), active);
    }
  }
}

/// sums += addends, wrapping around or (.satfinite) clamped.
inline void add_integers(const std::int32_t* addends, bool saturates, std::size_t count,
                         std::int32_t* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::int64_t exact = std::int64_t{sums[i]} + addends[i];
    sums[i] = static_cast<std::int32_t>(saturates ? std::clamp(exact, kLeast, kMost) : exact);
  }
}

template <class Left, class Right, class C, class D>
void run_product(Warp& warp, const Instruction& in, Mask active) {
  using Number = typename Left::Number;
  require_whole_warp(warp, in, active);
  const ProductShape shape = load_shape(in);
  const Fragment result = sum_fragment(shape, D::kBytes);
  const Fragment left_form = left_fragment(shape, Left::kBytes);
  const Fragment right_form = right_fragment(shape, Right::kBytes);
  const Fragment addend = sum_fragment(shape, C::kBytes);
  const Slot* const to = warp.program().slots.data() + in.list;
  const Slot* const left_slots = to + result.registers();
  const Slot* const right_slots = left_slots + left_form.registers();
  const Slot* const addend_slots = right_slots + right_form.registers();

  alignas(64) Number left[kMostFactor];
  alignas(64) Number right[kMostFactor];
  alignas(64) Number sums[kMostSums];
  read_left<Left>(warp, left_slots, left_form, left);
  read_right<Right>(warp, right_slots, right_form, right);
  if constexpr (std::is_integral_v<Number>) {
    alignas(64) Number addends[kMostSums];
    const std::size_t count = shape.rows * shape.columns;
    read_sums<C>(warp, addend_slots, addend, addends);
    std::fill_n(sums, count, 0);
    multiply_add(left, right, sums, shape);
    add_integers(addends, (in.option2 & kSaturates) != 0, count, sums);
  } else {
    read_sums<C>(warp, addend_slots, addend, sums);
    multiply_add(left, right, sums, shape);
  }
  write_sums<D>(warp, to, result, active, sums);
}

}  // namespace warpmind::simulator::tensor
