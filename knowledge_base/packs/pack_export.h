#pragma once
/// \file
/// A base's claims, cards and facts as a pack.

#include "base/clock.h"
#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/packs/pack_format.h"

#include <functional>
#include <set>
#include <string>

namespace warpmind::knowledge_base {

/// Visits what `options` let leave, in the order of names and ids, from one consistent state:
/// technique cards, then facts, then claims. Returns origin and sequence of that state.
[[nodiscard]] Result<PackHeader> visit_exported(
    const Database& database, const PackExportOptions& options,
    const std::function<Result<void>(const PackRecord& record)>& visit);

struct ExportedPack {
  std::string text;
  PackReport report;
};

/// Errors: invalid_argument when it would be larger than a reader takes; as the private key.
[[nodiscard]] Result<ExportedPack> write_pack(const Database& database,
                                              const PackExportOptions& options, UnixMillis created);

/// Those claims alone, with what this base itself attests, and the cards that they name unless they
/// came from the seed or another base. Claims that are not on offer and that this base attests
/// nothing about stay here. `snapshot` is the state that they are read from.
[[nodiscard]] Result<ExportedPack> write_claims(const Database& database,
                                                const rocksdb::Snapshot* snapshot,
                                                const std::set<std::string>& claims,
                                                UnixMillis created);

}  // namespace warpmind::knowledge_base
