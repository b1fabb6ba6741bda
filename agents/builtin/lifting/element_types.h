#pragma once
/// \file
/// C++ types of kernel parameters as element types of tasks.

#include "agents/builtin/syntax.h"
#include "base/model/dtype.h"

#include <optional>
#include <string>
#include <string_view>

namespace warpmind::agents::builtin {

/// "__half2" and "half" are f16: vectors count as what they are made of. An alias of the source
/// (`using T = half;`, `typedef half T;`, `#define T half`) stands for what it names. nullopt for
/// anything else. 64-bit integers without sign are i64: no task holds values beyond.
[[nodiscard]] std::optional<Dtype> element_type(const CudaSource& source, std::string_view type);

/// The value in `bytes`, as launch plans write it: "i32:-3", "f32:0.5". nullopt when the type does
/// not have that many bytes, or a plan cannot write the value (infinities, NaN, 2^63 and more).
[[nodiscard]] std::optional<std::string> scalar_text(const CudaSource& source,
                                                     std::string_view type, std::string_view bytes);

}  // namespace warpmind::agents::builtin
