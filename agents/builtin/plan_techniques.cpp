#include "agents/builtin/plain_techniques.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace warpmind::agents::builtin {
namespace {

using Shape = std::array<int, 3>;

std::string to_text(const Shape& shape) {
  return "block=" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
         std::to_string(shape[2]);
}

std::optional<Shape> parse_shape(std::string_view parameters) {
  constexpr std::string_view kPrefix = "block=";
  if (!parameters.starts_with(kPrefix)) return std::nullopt;
  parameters.remove_prefix(kPrefix.size());
  Shape shape{};
  for (int& extent : shape) {
    const auto [end, error] =
        std::from_chars(parameters.data(), parameters.data() + parameters.size(), extent);
    if (error != std::errc() || extent < 1) return std::nullopt;
    parameters.remove_prefix(static_cast<std::size_t>(end - parameters.data()));
    if (parameters.starts_with('x')) parameters.remove_prefix(1);
  }
  return shape;
}

bool mentions(const Launch& launch, std::string_view name) {
  return std::any_of(launch.grid.begin(), launch.grid.end(), [&](const std::string& extent) {
    return extent.find(name) != std::string::npos;
  });
}

/// A block may be resized along an axis only if the grid follows it; anything else changes what
/// is computed.
bool follows_x(const Launch& launch) { return mentions(launch, "block_x"); }
bool follows_y(const Launch& launch) { return mentions(launch, "block_y"); }

bool any_launch(const Kernel& kernel, bool (*test)(const Launch&)) {
  return std::any_of(kernel.plan.launches.begin(), kernel.plan.launches.end(), test);
}

/// Small blocks help when the device is starved of blocks, large ones rarely; the guess only
/// orders the sweep.
double block_prior(const Bottleneck& bottleneck, int threads) {
  const bool starved = bottleneck.primary == BottleneckClass::low_parallelism ||
                       std::find(bottleneck.secondary.begin(), bottleneck.secondary.end(),
                                 BottleneckClass::low_parallelism) != bottleneck.secondary.end();
  if (starved) return threads <= 64 ? 1.8 : 1.1;
  return threads >= 128 && threads <= 512 ? 1.15 : 1.05;
}

}  // namespace

std::vector<Move> block_size_moves(const ProposalContext& context) {
  std::vector<Move> moves;
  const bool x = any_launch(context.kernel, follows_x);
  const bool y = any_launch(context.kernel, follows_y);
  if (!x) return moves;
  static constexpr std::array<Shape, 6> kLines{
      {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}}};
  static constexpr std::array<Shape, 9> kTiles{{{32, 8, 1},
                                                {32, 4, 1},
                                                {16, 16, 1},
                                                {32, 16, 1},
                                                {64, 4, 1},
                                                {8, 32, 1},
                                                {16, 8, 1},
                                                {32, 32, 1},
                                                {8, 8, 1}}};
  const auto add = [&](const Shape& shape) {
    const int threads = shape[0] * shape[1] * shape[2];
    moves.push_back({"block_size", to_text(shape), block_prior(context.bottleneck, threads)});
  };
  if (y) {
    std::for_each(kTiles.begin(), kTiles.end(), add);
  } else {
    std::for_each(kLines.begin(), kLines.end(), add);
  }
  return moves;
}

std::optional<Kernel> apply_block_size(const Kernel& kernel, std::string_view parameters) {
  const auto shape = parse_shape(parameters);
  if (!shape) return std::nullopt;
  Kernel edited = kernel;
  for (auto& launch : edited.plan.launches) {
    if (!follows_x(launch)) continue;
    // Only launches that swept the same axes take part: a one-dimensional launch keeps its y.
    if (follows_y(launch) != ((*shape)[1] > 1)) continue;
    launch.block = {std::to_string((*shape)[0]), std::to_string((*shape)[1]),
                    std::to_string((*shape)[2])};
  }
  if (edited == kernel) return std::nullopt;
  return edited;
}

std::vector<Move> register_limit_moves(const ProposalContext& context) {
  const bool pressed = context.bottleneck.primary == BottleneckClass::low_occupancy;
  std::vector<Move> moves;
  for (const int limit : {32, 64, 128}) {
    moves.push_back(
        {"register_limit", "--maxrregcount=" + std::to_string(limit), pressed ? 1.15 : 0.98});
  }
  return moves;
}

std::vector<Move> fast_math_moves(const ProposalContext& context) {
  const bool arithmetic = context.bottleneck.primary == BottleneckClass::compute_throughput;
  return {{"fast_math", "--use_fast_math", arithmetic ? 1.2 : 1.03}};
}

std::optional<Kernel> apply_build_flag(const Kernel& kernel, std::string_view parameters) {
  Kernel edited = kernel;
  const auto name = parameters.substr(0, parameters.find('='));
  std::erase_if(edited.build_flags, [&](const std::string& flag) {
    return std::string_view(flag).substr(0, flag.find('=')) == name;
  });
  edited.build_flags.emplace_back(parameters);
  if (edited == kernel) return std::nullopt;
  return edited;
}

}  // namespace warpmind::agents::builtin
