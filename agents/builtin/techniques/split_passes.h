#pragma once
/// \file
/// split_rows for kernels whose blocks pass over a row several times.

#include "agents/builtin/technique.h"

namespace warpmind::agents::builtin {

[[nodiscard]] Offer offer_split_passes(const Scene& scene);
[[nodiscard]] std::optional<Kernel> apply_split_passes(const Scene& scene,
                                                       std::string_view parameters);
/// Type of a scratch buffer that keeps such a variable; nullopt: there is none.
[[nodiscard]] std::optional<Dtype> scratch_dtype(const std::string& type);

}  // namespace warpmind::agents::builtin
