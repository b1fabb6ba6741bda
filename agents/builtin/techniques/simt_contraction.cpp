#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/tile_choice.h"
#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 1> kRegisterElements{"float"};
constexpr std::array<TileShape, 7> kRegisterTiles{{{128, 128, 8, 8, 8},
                                                   {128, 64, 8, 8, 4},
                                                   {64, 128, 8, 4, 8},
                                                   {64, 64, 16, 4, 4},
                                                   {64, 64, 8, 8, 4},
                                                   {32, 64, 16, 4, 4},
                                                   {32, 32, 16, 4, 4}}};
constexpr std::size_t kMostRegisterMoves = 4;
constexpr std::int64_t kLeastRegisterSide = 8;

Result<Contraction> register_contraction(const Scene& scene) {
  WARPMIND_TRY(auto found, main_contraction(scene, kRegisterElements));
  if (std::min(found.rows.front(), found.columns.front()) < kLeastRegisterSide) {
    return fail(Errc::not_found,
                "a side of the output has only " +
                    std::to_string(std::min(found.rows.front(), found.columns.front())) +
                    " elements");
  }
  return found;
}

Offer offer_simt_contraction(const Scene& scene) {
  const auto found = register_contraction(scene);
  if (!found) return Offer::refuse(found.error().message);
  const DeviceSpec& device = scene.context().device;
  const double multiprocessors = std::max(device.sm_count, 1);
  const double peak = std::max(device.fp32_tflops, 10.0) * 1e6 / multiprocessors;
  // Shares that a register tile and a serial loop reach on large matrices.
  const TileRates rates{0.5 * peak, 0.07 * peak};
  const bool vector = found->sides[0].is_contiguous || found->sides[1].is_contiguous;
  Offer offer;
  for (const auto& [shape, gain] :
       rank_tiles(*found, device, rates, kRegisterTiles, kMostRegisterMoves)) {
    offer.moves.push_back(
        {"simt_contraction", tile_parameters(scene, *found, shape, vector), gain});
  }
  return offer;
}

std::optional<Kernel> apply_simt_contraction(const Scene& scene, std::string_view parameters) {
  const auto wanted = read_tile_parameters(scene, parameters, kRegisterTiles);
  if (!wanted) return std::nullopt;
  const auto found = register_contraction(scene);
  if (!found || found->launch != wanted->launch) return std::nullopt;
  const TileShape& shape = wanted->shape;
  ContractionTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns;
  tile.threads = (shape.rows / shape.down) * (shape.columns / shape.across);
  tile.blocks_per_multiprocessor = 2;
  tile.template_name = "register_contraction";
  tile.call = "wm_contract_in_registers<";
  for (const int number : {shape.rows, shape.columns, shape.depth, shape.down, shape.across}) {
    tile.call += std::to_string(number) + ", ";
  }
  for (const auto& side : found->sides) tile.call += side.along_depth ? "true, " : "false, ";
  tile.call += wanted->vector && found->sides[0].is_contiguous ? "4, " : "1, ";
  tile.call += wanted->vector && found->sides[1].is_contiguous ? "4>" : "1>";
  return lifted_kernel(scene, *found, tile);
}

}  // namespace

Technique simt_contraction_technique() {
  return {"simt_contraction",
          "each thread keeps a rectangle of outputs in registers, so that an element from shared "
          "memory is used several times",
          "tile=32x32x16 … 128x128x8;vec=0 … 1", offer_simt_contraction, apply_simt_contraction};
}

}  // namespace warpmind::agents::builtin
