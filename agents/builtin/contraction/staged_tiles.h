#pragma once
/// \file
/// Tiles whose operands are copied to shared memory several tiles ahead: multiplied by warps
/// (staged_contraction.cuh) or by groups of four (group_contraction.cuh).

#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/tile_choice.h"
#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/technique.h"

namespace warpmind::agents::builtin {

struct StagedTile {
  TileShape shape;
  int stages = 3;  ///< tiles in shared memory, one of which is multiplied
};

struct StagedMove {
  StagedTile tile;
  double gain = 1;
  double microseconds = 0;
};

/// What multiplies the tiles.
struct StagedFamily {
  std::span<const TileShape> shapes;
  std::span<const int> stages;  ///< of which there may be, the fewest first
  TileRates (*rates)(const DeviceSpec& device);
  int (*shared_bytes)(const StagedTile& tile);
  ContractionTile (*tile)(const Contraction& contraction, const StagedTile& tile);
  const TileTemplate& (*operands)();  ///< that takes the same elements
  /// Why the device or the contract stands against it, or empty.
  std::string (*refusal)(const Scene& scene);
};

/// mma.sync, from compute capability 8.0 on.
[[nodiscard]] const StagedFamily& warp_family();
/// wgmma, on compute capability 9.0. TileShape::down counts groups of four warps, across is 1.
[[nodiscard]] const StagedFamily& group_family();

/// mma.sync of f32 operands that are rounded to tf32, where the contract allows that.
[[nodiscard]] const StagedFamily& tf32_family();

/// A contraction whose operands both have neighbours in memory. Errors: not_found,
/// with the reason, also when the device cannot do it.
[[nodiscard]] Result<Contraction> staged_contraction(const Scene& scene,
                                                     const StagedFamily& family);

/// Best first, what fits the device only; the best tile again with other numbers of stages.
[[nodiscard]] std::vector<StagedMove> staged_moves(const Scene& scene, const StagedFamily& family,
                                                   const Contraction& contraction);

/// Every shape with the number of stages that suits it, best first.
[[nodiscard]] std::vector<StagedMove> staged_shapes(const Scene& scene, const StagedFamily& family,
                                                    const Contraction& contraction);
/// "tile=128x128x32;stages=3", with the number of the launch when the plan has several.
[[nodiscard]] std::string staged_parameters(const Scene& scene, const Contraction& contraction,
                                            const StagedTile& tile);

/// The tile that "tile=128x128x32;stages=3" names, if it fits the device.
[[nodiscard]] std::optional<StagedTile> read_staged_tile(const Scene& scene,
                                                         const StagedFamily& family,
                                                         std::string_view parameters);

/// Offer and rewrite of a technique.
[[nodiscard]] Offer offer_staged(const Scene& scene, const StagedFamily& family,
                                 std::string_view technique);
[[nodiscard]] std::optional<Kernel> apply_staged(const Scene& scene, const StagedFamily& family,
                                                 std::string_view parameters);

}  // namespace warpmind::agents::builtin
