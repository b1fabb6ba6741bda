#include "knowledge_base/database.h"

#include "knowledge_base/rocksdb_options.h"

#include <rocksdb/env.h>

namespace warpmind::knowledge_base {
namespace {

rocksdb::Slice slice_of(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view_of(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

/// First key after all that start with `prefix`; prefixes here never consist of 0xff only.
std::string end_of(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xffU) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

}  // namespace

Error to_error(const rocksdb::Status& status, std::string_view what) {
  const Errc code = status.IsNoSpace() || status.subcode() == rocksdb::Status::kSpaceLimit
                        ? Errc::unavailable
                    : status.IsCorruption() ? Errc::corrupt_data
                                            : Errc::external_failure;
  return {code, std::string(what) + ": " + status.ToString()};
}

Result<bool> Database::exists(const std::filesystem::path& path, rocksdb::Env* env) {
  auto* used = env != nullptr ? env : rocksdb::Env::Default();
  const auto status = used->FileExists((path / "CURRENT").string());
  if (status.ok()) return true;
  if (status.IsNotFound()) return false;
  return fail(to_error(status, "cannot look at " + path.string()));
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path, Mode mode,
                                                 rocksdb::Env* env, std::size_t cache_mib) {
  auto options = database_options(env);
  options.create_if_missing = mode == Mode::read_write;
  options.create_missing_column_families = mode == Mode::read_write;
  const auto family = family_options(make_block_cache(cache_mib));
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.reserve(kColumnFamilies.size() + 1);
  for (const auto& spec : kColumnFamilies) {
    descriptors.emplace_back(std::string(spec.name), family);
  }
  // RocksDB insists on a family of this name; nothing is in it.
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, family);
  std::vector<rocksdb::ColumnFamilyHandle*> columns;
  rocksdb::DB* db = nullptr;
  const auto status =
      mode == Mode::read_write
          ? rocksdb::DB::Open(options, path.string(), descriptors, &columns, &db)
          : rocksdb::DB::OpenForReadOnly(options, path.string(), descriptors, &columns, &db);
  if (!status.ok()) return fail(to_error(status, "cannot open the database " + path.string()));
  DatabaseHandles handles;
  handles.db.reset(db);
  for (auto* column : columns) handles.columns.emplace_back(column, ColumnDeleter{db});
  return std::unique_ptr<Database>(new Database(std::move(handles)));
}

Result<std::optional<std::string>> Database::get(Family family, std::string_view key,
                                                 const rocksdb::Snapshot* snapshot) const {
  std::string value;
  const auto status =
      handles_.db->Get(verified_read(snapshot), column(family), slice_of(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) {
    return fail(to_error(status, "cannot read from family " + std::string(name_of(family))));
  }
  return std::optional<std::string>(std::move(value));
}

Result<void> Database::scan(const Range& range, const Visitor& visit) const {
  const auto options = verified_read(range.snapshot);
  const std::unique_ptr<rocksdb::Iterator> at(
      handles_.db->NewIterator(options, column(range.family)));
  const bool ascending = range.order == ScanOrder::ascending;
  if (ascending) {
    at->Seek(range.prefix);
  } else {
    const std::string end = end_of(range.prefix);
    at->SeekForPrev(end);
    if (at->Valid() && view_of(at->key()) == end) at->Prev();
  }
  while (at->Valid() && view_of(at->key()).starts_with(range.prefix)) {
    WARPMIND_TRY(const bool more, visit(view_of(at->key()), view_of(at->value())));
    if (!more) return {};
    if (ascending) {
      at->Next();
    } else {
      at->Prev();
    }
  }
  if (at->status().ok()) return {};
  return fail(
      to_error(at->status(), "cannot read from family " + std::string(name_of(range.family))));
}

Result<void> Database::write(rocksdb::WriteBatch& batch) {
  const auto status = handles_.db->Write(durable_write(), &batch);
  if (!status.ok()) return fail(to_error(status, "cannot write to the knowledge base"));
  return {};
}

Snapshot Database::snapshot() const {
  return {handles_.db->GetSnapshot(), SnapshotDeleter{handles_.db.get()}};
}

}  // namespace warpmind::knowledge_base
