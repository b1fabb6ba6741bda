#pragma once
/// \file
/// The header that a task's reference.cpp includes (config/reference/warpmind_reference.h).

#include <string_view>

namespace warpmind::config {

/// Its text, to be written beside the reference when that is compiled.
[[nodiscard]] std::string_view reference_header();

/// The name under which a reference includes it.
inline constexpr std::string_view kReferenceHeaderName = "warpmind_reference.h";

}  // namespace warpmind::config
