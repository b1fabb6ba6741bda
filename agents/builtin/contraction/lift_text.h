#pragma once
/// \file
/// The texts of a contraction around a tile template: load functions out of the kernel's own index
/// code, the tail out of its own body.

#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/separable_terms.h"

namespace warpmind::agents::builtin {

/// Why the text of the kernel cannot be used so, or empty.
[[nodiscard]] std::string lift_left_out(const Scene& scene, const Contraction& contraction);

/// Of the kernel.
[[nodiscard]] std::string lifted_body(const Scene& scene, const Contraction& contraction,
                                      const ContractionTile& tile);

/// The same around a template that takes separable terms; `tile` is for their contraction.
[[nodiscard]] std::string gathered_body(const Scene& scene, const SeparableTerms& terms,
                                        const ContractionTile& tile);

struct PartTexts {
  std::string body;                    ///< of the kernel that sums a part of the terms
  std::vector<TextEdit> sum_of_parts;  ///< make the loops of the given kernel add the parts
};
[[nodiscard]] PartTexts part_texts(const Scene& scene, const Contraction& contraction,
                                   const ContractionTile& tile);

}  // namespace warpmind::agents::builtin
