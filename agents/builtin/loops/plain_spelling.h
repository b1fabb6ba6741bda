#pragma once
/// \file
/// A kernel with its declarations, loops and sums in the one spelling that techniques look for. C
/// allows many: `int j;` above `for (j = 0; …)`, `for (; i < n; i += stride)`, `while (i < n)`, a
/// sum that is kept in `out[i]`, one that is handed on as `y[i] = y[i - 1] + x[i]`. Branches of the
/// preprocessor that the device decides on are decided.

#include "agents/builtin/scene.h"

#include <optional>

namespace warpmind::agents::builtin {

/// The kernels of the plan in that spelling, the launches as they are; bit for bit it computes the
/// same. One name a declaration; loops that count are `for` loops that declare what they count
/// with; a place in memory that a loop adds to is a variable during the loop, and so is what an
/// iteration finds where the one before left it. nullopt: nothing to
/// change.
[[nodiscard]] std::optional<Kernel> plain_spelling(const Scene& scene);

/// `edited`, which a technique made of the plain spelling `normal`, where kernels that it did not
/// touch stand as they are `given`.
[[nodiscard]] Kernel with_others_as_given(const CudaSource& given, const CudaSource& normal,
                                          Kernel edited);

}  // namespace warpmind::agents::builtin
