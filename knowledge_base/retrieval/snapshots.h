#pragma once
/// \file
/// Snapshot files of the vector spaces of a base: which are written, and when one may be used.

#include "base/result.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/vector_space.h"

#include <optional>

namespace warpmind::knowledge_base {

/// Errors: unavailable, external_failure; invalid_argument for an exact space.
[[nodiscard]] Result<void> save_space(const OpenBase& base, Space which, const VectorSpace& space,
                                      std::int64_t last_sequence);
/// The space as its file has it, lacking at most what came after the file. nullopt when there is no
/// file, or it is damaged, or not of this base, embedder and history: reason in the log.
[[nodiscard]] std::optional<VectorSpace> load_space(const OpenBase& base, const Database& database,
                                                    Space which, const Catalogue& catalogue);
/// Removes the files: after a restore or rebuild they describe another history.
void drop_spaces(const OpenBase& base);

}  // namespace warpmind::knowledge_base
