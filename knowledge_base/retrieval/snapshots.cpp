#include "knowledge_base/retrieval/snapshots.h"

#include "base/file.h"
#include "base/log.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/snapshot_file.h"

#include <system_error>

namespace warpmind::knowledge_base {
namespace {

std::filesystem::path path_of(const OpenBase& base, Space space) {
  return base.location().index() / (std::string(name_of(space)) + ".snapshot");
}

/// The chain of the log after change `sequence`: names the history up to it.
Result<Digest> chain_at(const Database& database, std::int64_t sequence) {
  WARPMIND_TRY(const auto bytes, database.get(Family::log, log_key(sequence)));
  if (!bytes) return fail(Errc::not_found, "change " + std::to_string(sequence) + " is not there");
  WARPMIND_TRY(const auto record, decode_log(*bytes));
  return record.chain;
}

/// Whether documents may have got other numbers since change `sequence`.
Result<bool> was_rebuilt_since(const Database& database, std::int64_t sequence,
                               std::int64_t newest) {
  for (std::int64_t at = sequence + 1; at <= newest; ++at) {
    WARPMIND_TRY(const auto bytes, database.get(Family::log, log_key(at)));
    if (!bytes) return true;
    WARPMIND_TRY(const auto record, decode_log(*bytes));
    if (record.kind == "rebuild" || record.kind == "migration") return true;
  }
  return false;
}

Result<void> check_origin(const SnapshotHeader& header, const Database& database, Space which) {
  WARPMIND_TRY(const auto state, read_state(database));
  const bool same_kind = header.space == name_of(which) && header.embedder == embedder_of(which) &&
                         header.dimension == dimension_of(which) &&
                         header.library == VectorSpace::library_version();
  if (!same_kind) return fail(Errc::conflict, "it was made by another embedder or library");
  if (header.base != state.base_id) return fail(Errc::conflict, "it is of another base");
  if (header.last_sequence > state.last_sequence) {
    return fail(Errc::conflict, "it is newer than the base");
  }
  WARPMIND_TRY(const auto chain, chain_at(database, header.last_sequence));
  if (chain != header.chain) return fail(Errc::conflict, "it belongs to another history");
  WARPMIND_TRY(const bool rebuilt,
               was_rebuilt_since(database, header.last_sequence, state.last_sequence));
  if (rebuilt) return fail(Errc::conflict, "the base was rebuilt since");
  return {};
}

/// Every document that has a vector and is not above the newest in it must be there.
Result<void> check_whole(const VectorSpace& space, const SnapshotHeader& header, Space which,
                         const Catalogue& catalogue) {
  if (space.dimension() != header.dimension || space.size() != header.count) {
    return fail(Errc::corrupt_data, "it holds something else than its header says");
  }
  std::vector<bool> held(static_cast<std::size_t>(space.last_document()) + 1, false);
  bool in_range = true;
  space.for_each_document([&](std::int64_t document) {
    in_range = in_range && document > 0 && document <= space.last_document();
    if (in_range) held[static_cast<std::size_t>(document)] = true;
  });
  for (std::int64_t document = 1; in_range && document <= space.last_document(); ++document) {
    in_range =
        held[static_cast<std::size_t>(document)] || !has_vector(catalogue.at(document), which);
  }
  if (!in_range) return fail(Errc::corrupt_data, "its documents are not those of the base");
  return {};
}

Result<VectorSpace> try_load(const OpenBase& base, const Database& database, Space which,
                             const Catalogue& catalogue) {
  WARPMIND_TRY(const auto file, SnapshotFile::open(path_of(base, which)));
  WARPMIND_CHECK(check_origin(file.header(), database, which));
  WARPMIND_TRY(auto space, VectorSpace::load(file.payload()));
  WARPMIND_CHECK(check_whole(space, file.header(), which, catalogue));
  return space;
}

}  // namespace

Result<void> save_space(const OpenBase& base, Space which, const VectorSpace& space,
                        std::int64_t last_sequence) {
  SnapshotHeader header;
  header.space = std::string(name_of(which));
  header.embedder = embedder_of(which);
  header.library = VectorSpace::library_version();
  header.dimension = static_cast<std::uint32_t>(space.dimension());
  header.count = space.size();
  header.last_sequence = last_sequence;
  const auto named = base.read([&](const Database& database, const std::string&) -> Result<void> {
    WARPMIND_TRY(const auto state, read_state(database));
    header.base = state.base_id;
    WARPMIND_TRY(header.chain, chain_at(database, last_sequence));
    return {};
  });
  WARPMIND_CHECK(named);
  WARPMIND_CHECK(make_private_directory(base.location().index()));
  return write_snapshot(path_of(base, which), header,
                        [&](const WritePiece& write) { return space.save(write); });
}

std::optional<VectorSpace> load_space(const OpenBase& base, const Database& database, Space which,
                                      const Catalogue& catalogue) {
  auto space = try_load(base, database, which, catalogue);
  if (space) return std::move(*space);
  if (space.error().code != Errc::not_found) {
    log::warn("knowledge_base", "index file not used, the index is made again",
              {{"space", name_of(which)}, {"why", space.error().message}});
  }
  return std::nullopt;
}

void drop_spaces(const OpenBase& base) {
  std::error_code ec;
  for (const Space which : kSpaces) std::filesystem::remove(path_of(base, which), ec);
}

}  // namespace warpmind::knowledge_base
