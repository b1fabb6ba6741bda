#pragma once
/// \file
/// Names of CUDA C++ that mean the same in every kernel. Private to code features: all other names
/// are the author's and never become features.

#include <optional>
#include <string_view>

namespace warpmind::knowledge_base {

/// Types: scalars, vectors, halves.
[[nodiscard]] bool is_type_word(std::string_view name);

/// Keywords and qualifiers other than types.
[[nodiscard]] bool is_keyword(std::string_view name);

/// The feature that counts uses of `name` ("__shfl_xor_sync" → "shuffles"); nullopt for others.
[[nodiscard]] std::optional<std::string_view> feature_of_word(std::string_view name);

/// The feature that counts instructions of inline assembly, by a piece of its text.
[[nodiscard]] std::optional<std::string_view> feature_of_assembly(std::string_view text);

}  // namespace warpmind::knowledge_base
