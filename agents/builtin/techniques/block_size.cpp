#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace warpmind::agents::builtin {
namespace {

using BlockShape = std::array<std::int64_t, 3>;

constexpr std::array<BlockShape, 6> kLines{
    {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}}};
constexpr std::array<BlockShape, 9> kTiles{{{32, 8, 1},
                                            {32, 4, 1},
                                            {16, 16, 1},
                                            {32, 16, 1},
                                            {64, 4, 1},
                                            {8, 32, 1},
                                            {16, 8, 1},
                                            {32, 32, 1},
                                            {8, 8, 1}}};

std::int64_t threads_in(const BlockShape& shape) { return shape[0] * shape[1] * shape[2]; }

std::string block_text(const BlockShape& shape) {
  return "block=" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
         std::to_string(shape[2]);
}

std::optional<BlockShape> parse_block(std::string_view parameters) {
  constexpr std::string_view kPrefix = "block=";
  if (!parameters.starts_with(kPrefix)) return std::nullopt;
  parameters.remove_prefix(kPrefix.size());
  BlockShape shape{};
  for (auto& extent : shape) {
    const auto [end, error] =
        std::from_chars(parameters.data(), parameters.data() + parameters.size(), extent);
    if (error != std::errc() || extent < 1) return std::nullopt;
    parameters.remove_prefix(static_cast<std::size_t>(end - parameters.data()));
    if (parameters.starts_with('x')) parameters.remove_prefix(1);
  }
  return shape;
}

/// A block may be resized along an axis only if the grid follows it; anything else changes what
/// is computed.
bool follows(const Launch& launch, std::string_view axis) {
  return std::any_of(launch.grid.begin(), launch.grid.end(), [&](const std::string& extent) {
    return extent.find(axis) != std::string::npos;
  });
}

/// Value of a number or of a constant of the file; nullopt for anything more.
std::optional<std::int64_t> constant_value(const Scene& scene, std::string text) {
  for (int depth = 0; depth < 4; ++depth) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() &&
        std::string_view(end).find_first_not_of("uUlL") == std::string::npos)
      return value;
    const auto given = scene.plan().constants.find(text);
    if (given != scene.plan().constants.end()) return given->second;
    const auto constants = scene.source().constants();
    const auto found = std::find_if(constants.begin(), constants.end(),
                                    [&](const auto& constant) { return constant.first == text; });
    if (found == constants.end()) return std::nullopt;
    text = found->second;
  }
  return std::nullopt;
}

/// Why the code of `function` would not follow a block other than `block`, or empty.
std::string obstacle_in_code(const Scene& scene, const Function& function,
                             const BlockShape& block) {
  const SyntaxTree& tree = scene.tree();
  if (tree.uses(function.body, "blockDim").empty()) {
    return "'" + function.name + "' does not read blockDim";
  }
  const std::int64_t threads = threads_in(block);
  std::set<std::int64_t> sizes{threads, threads / 32};
  for (const auto extent : block) sizes.insert({extent, extent + 1});
  sizes.erase(0);
  sizes.erase(1);
  sizes.erase(2);
  for (const NodeId declaration : tree.descendants(function.body, "declaration")) {
    if (!tree.text(declaration).starts_with("__shared__")) continue;
    for (const NodeId array : tree.descendants(declaration, "array_declarator")) {
      const auto extent = tree.plain_text(tree.field(array, "size"));
      const auto value = constant_value(scene, extent);
      if (extent.empty() || (value && !sizes.contains(*value))) continue;
      return "the shared array '" + std::string(tree.text(tree.declared(array))) + "' of '" +
             function.name + "' may depend on the block size";
    }
  }
  return {};
}

std::string obstacle_in_launch(const Scene& scene, std::size_t index) {
  const Launch& launch = scene.plan().launches[index];
  if (!follows(launch, "block_x")) return "the grid of '" + launch.kernel + "' does not follow it";
  const Function* function = scene.function_of(index);
  if (function == nullptr) return "'" + launch.kernel + "' is not defined exactly once";
  for (const auto& constant : scene.plan().constants) {
    const std::string& name = constant.first;
    const bool sizes_block =
        std::any_of(launch.block.begin(), launch.block.end(),
                    [&](const std::string& extent) { return extent.find(name) != extent.npos; });
    if (sizes_block && !scene.tree().uses(function->body, name).empty()) {
      return "'" + launch.kernel + "' is compiled for the constant " + name;
    }
  }
  for (const auto& seen : scene.launches_of(index)) {
    if (seen.shape.shared_bytes > 0 && launch.shared_bytes.find("block_") == std::string::npos) {
      return "the shared memory of '" + launch.kernel + "' does not follow the block";
    }
    const BlockShape block{seen.shape.block[0], seen.shape.block[1], seen.shape.block[2]};
    if (auto why = obstacle_in_code(scene, *function, block); !why.empty()) return why;
  }
  return {};
}

/// Threads that __launch_bounds__ of the launch's function allows.
std::int64_t most_threads(const Scene& scene, std::size_t index) {
  constexpr std::int64_t kLimit = 1024;
  const Function* function = scene.function_of(index);
  if (function == nullptr) return kLimit;
  const auto head =
      std::string_view(scene.tree().source())
          .substr(function->attribute_end,
                  scene.tree().node(function->body).range.begin - function->attribute_end);
  constexpr std::string_view kBounds = "__launch_bounds__(";
  const auto at = head.find(kBounds);
  if (at == std::string_view::npos) return kLimit;
  const auto text = head.substr(at + kBounds.size());
  return constant_value(scene, std::string(text.substr(0, text.find_first_of(",)"))))
      .value_or(kLimit);
}

/// Small blocks help when the device is starved of blocks, large ones rarely; the guess only
/// orders the sweep.
double block_prior(const Scene& scene, std::int64_t threads) {
  if (scene.suffers(BottleneckClass::low_parallelism)) return threads <= 64 ? 1.8 : 1.1;
  return threads >= 128 && threads <= 512 ? 1.15 : 1.05;
}

std::optional<Kernel> apply_block_size(const Scene& scene, std::string_view parameters) {
  const auto shape = parse_block(parameters);
  if (!shape || threads_in(*shape) > 1024) return std::nullopt;
  Kernel edited = scene.kernel();
  for (std::size_t i = 0; i < edited.plan.launches.size(); ++i) {
    Launch& launch = edited.plan.launches[i];
    // Only launches that swept the same axes take part: a one-dimensional launch keeps its y.
    if (follows(launch, "block_y") != ((*shape)[1] > 1)) continue;
    if (!obstacle_in_launch(scene, i).empty()) continue;
    if (threads_in(*shape) > most_threads(scene, i)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch.block[axis] = std::to_string((*shape)[axis]);
    }
  }
  if (edited == scene.kernel()) return std::nullopt;
  return edited;
}

Offer offer_block_size(const Scene& scene) {
  Offer offer;
  bool is_tiled = false;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    if (const auto why = obstacle_in_launch(scene, i); !why.empty()) {
      if (offer.refusal.empty()) offer.refusal = why;
      continue;
    }
    if (follows(scene.plan().launches[i], "block_y")) is_tiled = true;
  }
  const auto add = [&](const BlockShape& shape) {
    const auto parameters = block_text(shape);
    if (!apply_block_size(scene, parameters)) return;
    offer.moves.push_back({"block_size", parameters, block_prior(scene, threads_in(shape))});
  };
  if (is_tiled) {
    std::for_each(kTiles.begin(), kTiles.end(), add);
  } else {
    std::for_each(kLines.begin(), kLines.end(), add);
  }
  if (offer.moves.empty() && offer.refusal.empty()) offer.refusal = kNoLaunch;
  if (!offer.moves.empty()) offer.refusal.clear();
  return offer;
}

}  // namespace

Technique block_size_technique() {
  return {"block_size",
          "another block shape changes how many blocks the device gets, how warps meet memory and "
          "how many fit on a multiprocessor",
          "block=32x1x1, 64x1x1, 128x1x1, 256x1x1, 512x1x1 or 1024x1x1 where the grid follows x; "
          "block=32x8x1, 32x4x1, 16x16x1, 32x16x1, 64x4x1, 8x32x1, 16x8x1, 32x32x1 or 8x8x1 where "
          "it follows x and y",
          offer_block_size, apply_block_size};
}

}  // namespace warpmind::agents::builtin
