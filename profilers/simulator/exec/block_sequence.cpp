#include "profilers/simulator/exec/block_sequence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpmind::simulator {
namespace {

/// Times the number of columns, at most 2^47, it stays below 2^64.
constexpr std::uint64_t kMostFactor = 1U << 16U;
/// Squared, it stays below 2^64.
constexpr std::uint64_t kMostSpread = std::uint64_t{1} << 31U;
constexpr double kGolden = 0.6180339887498949;

/// Steps of about the golden ratio of the grid, forwards or backwards: however early the time is
/// up, the blocks that have run are spread over the grid, and no half of it is left out by chance.
std::uint64_t spread_factor(std::uint64_t columns, bool forwards) {
  auto factor = static_cast<std::uint64_t>(std::lround(static_cast<double>(columns) * kGolden));
  factor = std::max<std::uint64_t>(forwards ? factor : columns - std::min(factor, columns), 1);
  while (std::gcd(factor, columns) != 1) ++factor;
  return factor;
}

}  // namespace

std::uint64_t mixed_bits(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t mixed = seed + (position + 1) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

BlockSequence::BlockSequence(const LaunchRequest& request, const LaunchOptions& options)
    : seed_(options.sample_seed),
      reversed_(options.reversed),
      blocks_(std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2]),
      depth_(std::max<std::uint64_t>(request.grid[2], 1)),
      wanted_(blocks_) {
  if (options.block_limit > 0 && options.block_limit < blocks_) {
    wanted_ = options.block_limit;
    stride_ = blocks_ / options.block_limit;
    return;
  }
  if (!options.written_blocks_only && !options.drawn) return;
  // Any factor prime to the number of columns visits each of them once.
  const std::uint64_t columns = std::max<std::uint64_t>(blocks_ / depth_, 1);
  first_ = mixed_bits(seed_, 0) % columns;
  if (options.written_blocks_only && columns <= kMostSpread) {
    factor_ = spread_factor(columns, mixed_bits(seed_, 1) % 2 == 0);
    return;
  }
  factor_ = 1 + mixed_bits(seed_, 1) % std::min(columns, kMostFactor);
  while (std::gcd(factor_, columns) != 1) ++factor_;
}

std::uint64_t BlockSequence::operator()(std::uint64_t position) const {
  if (reversed_) position = wanted_ - 1 - position;
  if (factor_ != 0) return shuffled(position);
  return stride_ > 1 || wanted_ < blocks_ ? sampled(position) : position;
}

/// The block at `position` of a sample with one block in each stride. The place within the stride
/// is the seed's; without one it moves by the golden ratio: with a fixed one, a stride that is a
/// multiple of the grid's width would take every block from the grid's left edge.
std::uint64_t BlockSequence::sampled(std::uint64_t position) const {
  if (seed_ != 0) return position * stride_ + mixed_bits(seed_, position) % stride_;
  const double turn = static_cast<double>(position) * kGolden;
  const double share = turn - std::floor(turn);
  return position * stride_ + static_cast<std::uint64_t>(share * static_cast<double>(stride_));
}

/// Blocks that differ in z alone follow each other: often they make one part of the output.
std::uint64_t BlockSequence::shuffled(std::uint64_t position) const {
  const std::uint64_t columns = std::max<std::uint64_t>(blocks_ / depth_, 1);
  const std::uint64_t column = (position / depth_ * factor_ + first_) % columns;
  return position % depth_ * columns + column;
}

}  // namespace warpmind::simulator
