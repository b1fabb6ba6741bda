#pragma once
/// \file
/// Request and answer of `POST /v1/embeddings`, in the form that OpenAI gave it.

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Models in use have 64 to 4096.
inline constexpr std::size_t kMostDimension = 8192;

[[nodiscard]] std::string embedding_request(const std::string& model,
                                            const std::vector<std::string>& texts);

/// One vector a text, in the order of the request, each of unit length, all of one dimension.
/// Errors: corrupt_data, for anything else than exactly that: another count, an index twice or out
/// of range, a component that is no finite number, a vector of zeros or of another dimension.
[[nodiscard]] Result<std::vector<std::vector<float>>> read_embeddings(std::string_view answer,
                                                                      std::size_t texts);

/// What the server says about its refusal; empty when it says nothing that can be shown.
[[nodiscard]] std::string refusal_in(std::string_view answer);

}  // namespace warpmind::knowledge_base
