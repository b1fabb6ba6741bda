#pragma once
/// \file
/// The words of an insight that a search compares, and a fingerprint of them.

#include "base/model/insight.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Claim, mechanism, techniques, parameters and the names in its scope, one a line.
[[nodiscard]] std::string searched_text(const Insight& insight);

/// Whether two versions of an insight are the same document: equal text, signatures and space.
[[nodiscard]] bool same_document(const Insight& before, const Insight& after);

/// 64 bits of the words of a text (analyse()); texts that share most of them differ in few bits.
[[nodiscard]] std::uint64_t simhash_of(const std::vector<std::string>& tokens);

}  // namespace warpmind::knowledge_base
