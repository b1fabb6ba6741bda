#pragma once
/// \file
/// Names of kernels as linkers and as people write them.

#include <optional>
#include <string>
#include <string_view>

namespace warpmind {

/// What the Itanium ABI mangled, as C++ writes it: "_Z5scaleIfEvPT_i" as "void scale<float>(float*,
/// int)"; nullopt for a name that is not mangled.
[[nodiscard]] std::optional<std::string> demangle(const std::string& mangled);
/// "_Z5scaleIfEvPT_i" as "scale<float>"; a name that is not mangled stays.
[[nodiscard]] std::string readable_kernel_name(const std::string& linker_name);
/// "scale<float>" as "scale".
[[nodiscard]] std::string_view plain_name(std::string_view readable);

}  // namespace warpmind
