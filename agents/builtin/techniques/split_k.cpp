#include "agents/builtin/contraction/staged_tiles.h"
#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<int, 4> kSplits{2, 4, 8, 16};
constexpr std::size_t kMostSplitMoves = 4;
constexpr std::int64_t kLeastSplitDepth = 512;
/// Terms that each part must have, so that its tile pays.
constexpr std::int64_t kLeastTerms = 128;
constexpr double kSecondLaunch = 3;  ///< microseconds

struct SplitChoice {
  Contraction contraction;
  const TileTemplate* which = nullptr;
};

Result<SplitChoice> split_contraction(const Scene& scene) {
  SplitChoice choice;
  auto found = contraction_for(scene, tensor_template());
  choice.which = &tensor_template();
  if (!found) {
    auto single = contraction_for(scene, register_template());
    if (single) choice.which = &register_template();
    if (single) found = std::move(single);
  }
  if (!found) return tl::unexpected(found.error());
  choice.contraction = std::move(*found);
  const std::int64_t depth = choice.contraction.depth.front();
  if (depth < kLeastSplitDepth) {
    return fail(Errc::not_found, "the sums have only " + std::to_string(depth) + " terms");
  }
  return choice;
}

double tiles_of(const Contraction& contraction, const TileShape& shape) {
  const auto up = [](std::int64_t a, int b) {
    const std::int64_t whole = (a + b - 1) / b;
    return static_cast<double>(whole);
  };
  return up(contraction.rows.front(), shape.rows) * up(contraction.columns.front(), shape.columns) *
         static_cast<double>(contraction.batches.front());
}

/// To write the sums of one part and to read them again.
double microseconds_a_part(const Contraction& contraction, const DeviceSpec& device) {
  constexpr double kAnyBandwidth = 1000;  ///< of a device that says nothing
  const double bandwidth =
      device.memory_bandwidth_gb_s > 0 ? device.memory_bandwidth_gb_s : kAnyBandwidth;
  const double sums = static_cast<double>(contraction.rows.front()) *
                      static_cast<double>(contraction.columns.front()) *
                      static_cast<double>(contraction.batches.front());
  return 2 * sums * sizeof(float) / (bandwidth * 1e3);
}

/// A tile, with the parameters that name it.
struct SplitTile {
  TileShape shape;
  double gain = 1;  ///< without splitting
  double microseconds = 0;
  double fixed = kLaunchMicroseconds;  ///< of them, which splitting does not shorten
  std::string parameters;
};

/// Tiles in flight that `scene` allows, by name.
struct NamedFamily {
  std::string_view name;
  const StagedFamily& (*family)();
};
constexpr std::array<NamedFamily, 2> kFamilies{{{"groups", group_family}, {"warps", warp_family}}};

std::vector<SplitTile> split_tiles(const Scene& scene, const SplitChoice& choice) {
  const Contraction& contraction = choice.contraction;
  std::vector<SplitTile> tiles;
  for (const auto& [name, family] : kFamilies) {
    if (choice.which != &tensor_template() || !staged_contraction(scene, family())) continue;
    const double fixed =
        kLaunchMicroseconds + family().rates(scene.context().device).tile_microseconds;
    for (const auto& [tile, gain, time] : staged_shapes(scene, family(), contraction)) {
      tiles.push_back({tile.shape, gain, time, fixed,
                       staged_parameters(scene, contraction, tile) + ";by=" + std::string(name)});
    }
    return tiles;
  }
  const DeviceSpec& device = scene.context().device;
  const bool vector = contraction.sides[0].is_contiguous || contraction.sides[1].is_contiguous;
  for (const auto& [shape, gain, time] :
       rank_tiles(contraction, device, choice.which->rates(device), choice.which->shapes,
                  choice.which->shapes.size())) {
    tiles.push_back({shape, gain, time, kLaunchMicroseconds,
                     tile_parameters(scene, contraction, shape, vector)});
  }
  return tiles;
}

Offer offer_split_k(const Scene& scene) {
  const auto choice = split_contraction(scene);
  if (!choice) return Offer::refuse(choice.error().message);
  const Contraction& contraction = choice->contraction;
  const DeviceSpec& device = scene.context().device;
  const double multiprocessors = device.sm_count > 0 ? device.sm_count : 100;
  Offer offer;
  for (const auto& [shape, gain, time, fixed, parameters] : split_tiles(scene, *choice)) {
    const double tiles = tiles_of(contraction, shape);
    for (const int splits : kSplits) {
      if (tiles * splits > 2 * multiprocessors ||
          contraction.depth.front() / splits < kLeastTerms) {
        continue;
      }
      // Busy multiprocessors are what splitting buys; a second launch and the parts in memory are
      // what it costs.
      const double more =
          std::min(multiprocessors, tiles * splits) / std::min(multiprocessors, tiles);
      const double after = fixed + std::max(time - fixed, 0.0) / more + kSecondLaunch +
                           splits * microseconds_a_part(contraction, device);
      offer.moves.push_back({"split_k", parameters + ";splits=" + std::to_string(splits),
                             plan_gain_by_time(scene, contraction, gain * time / after, after)});
    }
  }
  if (offer.moves.empty()) {
    return Offer::refuse("the tiles of the output fill the device already");
  }
  std::stable_sort(offer.moves.begin(), offer.moves.end(),
                   [](const Move& a, const Move& b) { return a.prior_gain > b.prior_gain; });
  if (offer.moves.size() > kMostSplitMoves) offer.moves.resize(kMostSplitMoves);
  return offer;
}

/// The tile that the parameters name; nullopt when there is none.
std::optional<ContractionTile> split_tile(const Scene& scene, const SplitChoice& choice,
                                          std::string_view parameters) {
  if (const auto by = parameter_text(parameters, "by")) {
    for (const auto& [name, family] : kFamilies) {
      if (name != *by || !staged_contraction(scene, family())) continue;
      const auto tile = read_staged_tile(scene, family(), parameters);
      if (!tile || !names_launch(parameters, choice.contraction)) return std::nullopt;
      return family().tile(choice.contraction, *tile);
    }
    return std::nullopt;
  }
  const auto wanted = read_tile_parameters(scene, parameters, choice.which->shapes);
  if (!wanted || choice.contraction.launch != wanted->launch) return std::nullopt;
  return choice.which->tile(choice.contraction, wanted->shape, wanted->vector);
}

std::optional<Kernel> apply_split_k(const Scene& scene, std::string_view parameters) {
  const auto splits = parameter_number(parameters, "splits");
  if (!splits || !contains(kSplits, *splits)) {
    return std::nullopt;
  }
  const auto choice = split_contraction(scene);
  if (!choice) return std::nullopt;
  const auto tile = split_tile(scene, *choice, parameters);
  if (!tile) return std::nullopt;
  return split_kernel(scene, choice->contraction, *tile, static_cast<int>(*splits));
}

}  // namespace

Technique split_k_technique() {
  return {
      "split_k",
      "blocks that each sum a part of the terms of an output tile keep more multiprocessors busy "
      "when there are few tiles; a second launch adds the parts",
      "tile=16x64x32 … 256x128x64;vec=0 … 1 or stages=2 … 6;by=warps or groups;splits=2 … 16",
      offer_split_k, apply_split_k};
}

}  // namespace warpmind::agents::builtin
