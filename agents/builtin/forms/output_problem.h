#pragma once
/// \file
/// The problem of kernels with independent outputs, as device code: the kernel's own body under
/// coordinates, and once more without the tests that decide nothing far from the edges.
/// docs/skills-forms.md lists its members.

#include "agents/builtin/forms/independent_outputs.h"
#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// A form of `kind` with problem, parameters, arguments, workloads and extents; what it reads is
/// the caller's to say.
[[nodiscard]] NormalForm output_form(const Scene& scene, const IndependentOutputs& outputs,
                                     FormKind kind);

}  // namespace warpmind::agents::builtin
