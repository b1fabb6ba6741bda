#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/lanes.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

using Word = std::uint32_t;

enum class PermuteMode { index, forward, backward, replicate, edge_left, edge_right, halves };

/// Which of the eight bytes of b:a goes to byte i; bit 3 = its sign, eight times.
template <PermuteMode Mode>
constexpr std::uint32_t selected_byte(std::uint32_t selector, std::uint32_t i) {
  const std::uint32_t start = selector & 3U;
  switch (Mode) {
    case PermuteMode::forward: return start + i;
    case PermuteMode::backward: return (start - i) & 7U;
    case PermuteMode::replicate: return start;
    case PermuteMode::edge_left: return std::max(start, i);
    case PermuteMode::edge_right: return std::min(start, i);
    case PermuteMode::halves: return 2 * (start & 1U) + (i & 1U);
    default: return (selector >> (4 * i)) & 15U;
  }
}

template <PermuteMode Mode>
struct Permute {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t which = selected_byte<Mode>(c, i);
      auto byte = static_cast<std::uint32_t>((both >> (8 * (which & 7U))) & 0xffU);
      if ((which & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0U;
      result |= byte << (8 * i);
    }
    return result;
  }
};

Handler permute_handler(int mode) {
  switch (mode) {
    case 0: return apply_lanes<Permute<PermuteMode::forward>, Word, Word, Word, Word>;
    case 1: return apply_lanes<Permute<PermuteMode::backward>, Word, Word, Word, Word>;
    case 2: return apply_lanes<Permute<PermuteMode::replicate>, Word, Word, Word, Word>;
    case 3: return apply_lanes<Permute<PermuteMode::edge_left>, Word, Word, Word, Word>;
    case 4: return apply_lanes<Permute<PermuteMode::edge_right>, Word, Word, Word, Word>;
    case 5: return apply_lanes<Permute<PermuteMode::halves>, Word, Word, Word, Word>;
    default: return apply_lanes<Permute<PermuteMode::index>, Word, Word, Word, Word>;
  }
}

/// A selector that is written in the text and takes no signs: bytes are shuffled 32 at a time.
/// Instruction::immediate is the selector.
void run_constant_permute(Warp& warp, const Instruction& in, Mask active) {
  alignas(32) std::uint8_t from_a[32];
  alignas(32) std::uint8_t from_b[32];
  constexpr std::uint8_t kZero = 0x80;
  for (unsigned i = 0; i < 32; ++i) {
    const auto word = static_cast<std::uint8_t>(i & 12U);  // of the half register
    const auto which = static_cast<std::uint8_t>((in.immediate >> (4 * (i & 3U))) & 7U);
    from_a[i] = which < 4 ? static_cast<std::uint8_t>(word + which) : kZero;
    from_b[i] = which < 4 ? kZero : static_cast<std::uint8_t>(word + which - 4);
  }
  const __m256i shuffle_a = _mm256_load_si256(reinterpret_cast<const __m256i*>(from_a));
  const __m256i shuffle_b = _mm256_load_si256(reinterpret_cast<const __m256i*>(from_b));
  const auto* const a = reinterpret_cast<const __m256i*>(lanes<const Word>(warp, in.a));
  const auto* const b = reinterpret_cast<const __m256i*>(lanes<const Word>(warp, in.b));
  alignas(64) Word values[kLanes];
  for (unsigned i = 0; i < 4; ++i) {
    const __m256i low = _mm256_shuffle_epi8(_mm256_loadu_si256(a + i), shuffle_a);
    const __m256i high = _mm256_shuffle_epi8(_mm256_loadu_si256(b + i), shuffle_b);
    _mm256_store_si256(reinterpret_cast<__m256i*>(values) + i, _mm256_or_si256(low, high));
  }
  store_lanes(lanes<Word>(warp, in.d), values, active);
}

}  // namespace

void decode_prmt(StatementReader& read) {
  const int mode = read.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  const std::string_view type = read.take_type();
  read.use(type == "b32" ? permute_handler(mode) : nullptr, type);
  read.read_operands(2, 4, type);
  std::uint64_t selector = 0;
  const bool is_constant = mode < 0 && read.context().literal(read.peek(), selector);
  read.out.c = read.source(4, type);
  if (is_constant && type == "b32" && (selector & 0x8888U) == 0) {
    read.out.handler = run_constant_permute;
    read.out.immediate = static_cast<std::int64_t>(selector);
  }
  read.set_cost(Pipe::alu, 1);
}

}  // namespace warpmind::simulator
