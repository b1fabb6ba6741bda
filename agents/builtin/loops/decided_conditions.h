#pragma once
/// \file
/// `#if __CUDA_ARCH__ >= 700` inside of a function: kernels are built for one device, so it is
/// known which branch the compiler sees.

#include "agents/builtin/syntax.h"

#include <vector>

namespace warpmind::agents::builtin {

/// The outermost such directives of kernels and device functions become the text that the compiler
/// of device code sees. `architecture` is 900 for compute capability 9.0. Conditions on anything
/// else stay.
[[nodiscard]] std::vector<TextEdit> decided_conditions(const CudaSource& source, int architecture);

}  // namespace warpmind::agents::builtin
