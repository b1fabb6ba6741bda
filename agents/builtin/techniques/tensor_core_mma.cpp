#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/tile_choice.h"
#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kTensorElements{"half", "__half", "__nv_bfloat16",
                                                          "nv_bfloat16"};
constexpr std::array<TileShape, 12> kTensorTiles{{{128, 128, 32, 2, 4},
                                                  {128, 64, 32, 4, 2},
                                                  {64, 128, 32, 2, 4},
                                                  {64, 64, 64, 2, 2},
                                                  {64, 64, 32, 2, 2},
                                                  {32, 64, 32, 2, 2},
                                                  {64, 32, 32, 2, 2},
                                                  {32, 32, 64, 2, 2},
                                                  {32, 128, 32, 2, 4},
                                                  {128, 32, 32, 4, 2},
                                                  {16, 64, 32, 1, 4},
                                                  {64, 16, 32, 4, 1}}};
constexpr std::size_t kMostTensorMoves = 4;
constexpr std::int64_t kLeastSide = 8;
constexpr std::int64_t kLeastDepth = 8;

Result<Contraction> tensor_contraction(const Scene& scene) {
  WARPMIND_TRY(auto found, main_contraction(scene, kTensorElements));
  const bool brain = found.sides[0].element.find("bfloat") != std::string::npos;
  const int capability =
      scene.context().device.compute_major * 10 + scene.context().device.compute_minor;
  if (capability > 0 && capability < (brain ? 80 : 70)) {
    return fail(Errc::not_found,
                "the device has no tensor cores for '" + found.sides[0].element + "'");
  }
  if (std::min(found.rows.front(), found.columns.front()) < kLeastSide) {
    return fail(Errc::not_found,
                "a side of the output has only " +
                    std::to_string(std::min(found.rows.front(), found.columns.front())) +
                    " elements");
  }
  if (found.depth.front() < kLeastDepth) {
    return fail(Errc::not_found,
                "the sums have only " + std::to_string(found.depth.front()) + " terms");
  }
  return found;
}

Offer offer_tensor_core_mma(const Scene& scene) {
  const auto found = tensor_contraction(scene);
  if (!found) return Offer::refuse(found.error().message);
  const DeviceSpec& device = scene.context().device;
  // Shares that a WMMA tile and a serial loop reach on large matrices.
  const double multiprocessors = std::max(device.sm_count, 1);
  const TileRates rates{0.28 * std::max(device.fp16_tensor_tflops, 100.0) * 1e6 / multiprocessors,
                        0.07 * std::max(device.fp32_tflops, 10.0) * 1e6 / multiprocessors};
  const bool vector = found->sides[0].is_contiguous || found->sides[1].is_contiguous;
  Offer offer;
  for (const auto& [shape, gain] :
       rank_tiles(*found, device, rates, kTensorTiles, kMostTensorMoves)) {
    offer.moves.push_back({"tensor_core_mma", tile_parameters(scene, *found, shape, vector), gain});
  }
  if (vector) {
    const auto best = rank_tiles(*found, device, rates, kTensorTiles, 1).front();
    offer.moves.push_back({"tensor_core_mma", tile_parameters(scene, *found, best.shape, false),
                           std::max(1.0, best.gain * 0.5)});
  }
  return offer;
}

std::optional<Kernel> apply_tensor_core_mma(const Scene& scene, std::string_view parameters) {
  const auto wanted = read_tile_parameters(scene, parameters, kTensorTiles);
  if (!wanted) return std::nullopt;
  const auto found = tensor_contraction(scene);
  if (!found || found->launch != wanted->launch) return std::nullopt;
  const TileShape& shape = wanted->shape;
  ContractionTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns;
  tile.threads = shape.down * shape.across * 32;
  tile.blocks_per_multiprocessor = tile.threads >= 256 ? 2 : 3;
  tile.template_name = "tensor_contraction";
  tile.call = "wm_contract_on_tensor_cores<" + found->sides[0].element;
  for (const int number : {shape.rows, shape.columns, shape.depth, shape.down, shape.across}) {
    tile.call += ", " + std::to_string(number);
  }
  for (const auto& side : found->sides) tile.call += side.along_depth ? ", true" : ", false";
  for (const auto& side : found->sides) {
    tile.call += wanted->vector && side.is_contiguous ? ", 8" : ", 1";
  }
  tile.call += ">";
  return lifted_kernel(scene, *found, tile);
}

}  // namespace

Technique tensor_core_mma_technique() {
  return {
      "tensor_core_mma",
      "tensor cores multiply tiles that are staged in shared memory, where each element is read "
      "once for a whole row or column of the tile",
      "tile=16x64x32 … 128x128x32;vec=0 … 1", offer_tensor_core_mma, apply_tensor_core_mma};
}

}  // namespace warpmind::agents::builtin
