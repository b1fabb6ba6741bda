#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/techniques/all_techniques.h"

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

Offer offer_split_k(const Scene& scene) {
  const auto choice = split_contraction(scene);
  if (!choice) return Offer::refuse(choice.error().message);
  const Contraction& contraction = choice->contraction;
  const DeviceSpec& device = scene.context().device;
  const double multiprocessors = device.sm_count > 0 ? device.sm_count : 100;
  const bool vector = contraction.sides[0].is_contiguous || contraction.sides[1].is_contiguous;
  Offer offer;
  for (const auto& [shape, gain] :
       rank_tiles(contraction, device, choice->which->rates(device), choice->which->shapes,
                  choice->which->shapes.size())) {
    const double tiles = tiles_of(contraction, shape);
    for (const int splits : kSplits) {
      if (tiles * splits > 2 * multiprocessors ||
          contraction.depth.front() / splits < kLeastTerms) {
        continue;
      }
      // Busy multiprocessors are what splitting buys; the second launch is what it costs.
      const double more =
          std::min(multiprocessors, tiles * splits) / std::min(multiprocessors, tiles);
      offer.moves.push_back(
          {"split_k",
           tile_parameters(scene, contraction, shape, vector) + ";splits=" + std::to_string(splits),
           gain * more / (1.0 + kSecondLaunch * more / 20.0)});
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

std::optional<Kernel> apply_split_k(const Scene& scene, std::string_view parameters) {
  const auto splits = parameter_number(parameters, "splits");
  if (!splits || std::find(kSplits.begin(), kSplits.end(), *splits) == kSplits.end()) {
    return std::nullopt;
  }
  const auto choice = split_contraction(scene);
  if (!choice) return std::nullopt;
  const auto wanted = read_tile_parameters(scene, parameters, choice->which->shapes);
  if (!wanted || choice->contraction.launch != wanted->launch) return std::nullopt;
  return split_kernel(scene, choice->contraction,
                      choice->which->tile(choice->contraction, wanted->shape, wanted->vector),
                      static_cast<int>(*splits));
}

}  // namespace

Technique split_k_technique() {
  return {
      "split_k",
      "blocks that each sum a part of the terms of an output tile keep more multiprocessors busy "
      "when there are few tiles; a second launch adds the parts",
      "tile=16x64x32 … 128x128x32;vec=0 … 1;splits=2 … 16", offer_split_k, apply_split_k};
}

}  // namespace warpmind::agents::builtin
