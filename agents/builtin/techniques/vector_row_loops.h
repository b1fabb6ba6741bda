#pragma once
/// \file
/// The part of `vectorized_loads` that is about loops: rows walked element by element, by one
/// thread or by lanes side by side, are moved in pieces of 16 bytes.

#include "agents/builtin/technique.h"

namespace warpmind::agents::builtin {

/// Moves "loops=NAME": all such loops of that kernel.
[[nodiscard]] Offer row_loop_vector_offer(const Scene& scene);
/// nullopt: the parameters name no such move.
[[nodiscard]] std::optional<Kernel> apply_row_loop_vectors(const Scene& scene,
                                                           std::string_view parameters);

}  // namespace warpmind::agents::builtin
