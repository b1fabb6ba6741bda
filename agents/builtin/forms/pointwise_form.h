#pragma once
/// \file
/// Pointwise launches: outputs that read at most one element of each buffer.

#include "agents/builtin/forms/normal_form.h"
#include "agents/builtin/forms/output_reads.h"

namespace warpmind::agents::builtin {

/// As FormFinder.
[[nodiscard]] Result<std::vector<NormalForm>> find_pointwise_forms(const Scene& scene);

/// The form of independent outputs with the facts that pointwise forms and windows share.
[[nodiscard]] NormalForm described_outputs(const Scene& scene, const IndependentOutputs& outputs,
                                           const OutputReads& reads, FormKind kind);

}  // namespace warpmind::agents::builtin
