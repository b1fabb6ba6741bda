#pragma once
/// \file
/// Loops that keep an extreme and the number of its term, `if (v > best) { best = v; at = i; }`, as
/// loops that keep the greatest of one key, which lanes, columns and blocks can combine.

#include "agents/builtin/technique.h"

#include <optional>
#include <string_view>

namespace warpmind::agents::builtin {

/// nullopt: no kernel of the plan has such a loop. Ties go to the smallest number, as before.
[[nodiscard]] std::optional<Kernel> with_keyed_extremes(const Scene& scene);

/// As `offer` and `apply` of a technique; where it refuses, of the kernel with keys.
[[nodiscard]] Offer offer_also_keyed(const Scene& scene, Offer (*offer)(const Scene& scene));
[[nodiscard]] std::optional<Kernel> apply_also_keyed(
    const Scene& scene, std::string_view parameters,
    std::optional<Kernel> (*apply)(const Scene& scene, std::string_view parameters));

}  // namespace warpmind::agents::builtin
