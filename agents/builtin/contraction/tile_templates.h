#pragma once
/// \file
/// The two tile templates: their sizes, their elements, their calls.

#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/tile_choice.h"

namespace warpmind::agents::builtin {

struct TileTemplate {
  std::span<const std::string_view> elements;  ///< types of the operands
  std::span<const TileShape> shapes;
  TileRates (*rates)(const DeviceSpec& device);
  ContractionTile (*tile)(const Contraction& contraction, const TileShape& shape, bool vector);
};

/// f16 and bf16 with f32 sums.
[[nodiscard]] const TileTemplate& tensor_template();
/// f32.
[[nodiscard]] const TileTemplate& register_template();

/// main_contraction() with operands of that template, and at least eight rows and columns. Errors:
/// also not_found when the device cannot do it.
[[nodiscard]] Result<Contraction> contraction_for(const Scene& scene, const TileTemplate& which);

}  // namespace warpmind::agents::builtin
