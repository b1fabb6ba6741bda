#include "knowledge_base/change_set.h"

#include "knowledge_base/fault_points.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/rocksdb_options.h"

#include <algorithm>

namespace warpmind::knowledge_base {
namespace {

std::string_view name_of_kind(Write::Kind kind) {
  switch (kind) {
    case Write::Kind::put: return "put";
    case Write::Kind::erase: return "erase";
    case Write::Kind::append: return "append";
  }
  return "put";
}

/// Over every key and value, each preceded by its length, in key order.
Digest digest_of(const Writes& writes) {
  std::string input;
  for (const auto& [family, prefix] : writes.erased) {
    input += hash_input({name_of(family), prefix, "erase_all", ""});
  }
  for (const auto& [key, write] : writes.keys) {
    input += hash_input({name_of(key.first), key.second, name_of_kind(write.kind), write.bytes});
  }
  return sha256(input);
}

bool is_erased(const Writes& writes, Family family, std::string_view key) {
  return std::any_of(writes.erased.begin(), writes.erased.end(), [&](const Writes::Key& range) {
    return range.first == family && key.starts_with(range.second);
  });
}

void overlay(const Writes& writes, Family family, const std::string& prefix,
             std::map<std::string, std::string>& found) {
  if (!writes.erased.empty()) {
    std::erase_if(found, [&](const auto& entry) { return is_erased(writes, family, entry.first); });
  }
  for (auto at = writes.keys.lower_bound({family, prefix});
       at != writes.keys.end() && at->first.first == family && at->first.second.starts_with(prefix);
       ++at) {
    const auto& [key, write] = *at;
    switch (write.kind) {
      case Write::Kind::put: found[key.second] = write.bytes; break;
      case Write::Kind::erase: found.erase(key.second); break;
      case Write::Kind::append: found[key.second] += write.bytes; break;
    }
  }
}

/// The first key after all those with `prefix`. Keys begin with a kind byte, none with 0xff.
std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return "\xff";
  ++prefix.back();
  return prefix;
}

}  // namespace

template <class Below>
Result<std::optional<std::string>> Writes::value(Family family, const std::string& key,
                                                 const Below& below) const {
  const auto found = keys.find({family, key});
  if (found != keys.end() && found->second.kind == Write::Kind::put) return found->second.bytes;
  if (found != keys.end() && found->second.kind == Write::Kind::erase) {
    return std::optional<std::string>();
  }
  std::optional<std::string> value;
  if (!is_erased(*this, family, key)) {
    WARPMIND_TRY(value, below());
  }
  if (found != keys.end()) value = value.value_or("") + found->second.bytes;
  return value;
}

void Writes::absorb(Writes later) {
  if (empty()) {
    *this = std::move(later);
    return;
  }
  for (auto& range : later.erased) {
    std::erase_if(keys, [&](const auto& entry) {
      return entry.first.first == range.first && entry.first.second.starts_with(range.second);
    });
    erased.push_back(std::move(range));
  }
  for (auto& [key, write] : later.keys) {
    const auto found = keys.find(key);
    if (write.kind != Write::Kind::append || found == keys.end()) {
      keys[key] = std::move(write);
    } else if (found->second.kind == Write::Kind::erase) {
      found->second = {Write::Kind::put, std::move(write.bytes)};
    } else {
      found->second.bytes += write.bytes;
    }
  }
}

Digest next_in_chain(const Digest& chain, const Digest& digest) {
  std::string input(chain.begin(), chain.end());
  input.append(digest.begin(), digest.end());
  return sha256(input);
}

ChangeSet::ChangeSet(const ChangeGroup& group) : group_(group), state_(group.state_) {}

Result<std::optional<std::string>> ChangeSet::get(Family family, const std::string& key) const {
  const auto stored = [&] { return group_.database_.get(family, key); };
  if (fault::seeded(SeededBug::group_blind_reads)) return writes_.value(family, key, stored);
  const auto grouped = [&] { return group_.writes_.value(family, key, stored); };
  return writes_.value(family, key, grouped);
}

Result<std::map<std::string, std::string>> ChangeSet::entries(Family family,
                                                              const std::string& prefix) const {
  std::map<std::string, std::string> found;
  WARPMIND_CHECK(group_.database_.scan(
      {family, prefix}, [&found](std::string_view key, std::string_view value) -> Result<bool> {
        found[std::string(key)] = std::string(value);
        return true;
      }));
  overlay(group_.writes_, family, prefix, found);
  overlay(writes_, family, prefix, found);
  return found;
}

Result<std::vector<std::string>> ChangeSet::values(Family family, const std::string& prefix) const {
  WARPMIND_TRY(auto found, entries(family, prefix));
  std::vector<std::string> values;
  values.reserve(found.size());
  for (auto& [key, value] : found) values.push_back(std::move(value));
  return values;
}

void ChangeSet::put(Family family, std::string key, std::string value) {
  writes_.keys[{family, std::move(key)}] = {Write::Kind::put, std::move(value)};
}

void ChangeSet::add(Family family, std::string key, std::string value) {
  put(family, std::move(key), std::move(value));
  ++state_.records[std::string(name_of(family))];
}

void ChangeSet::erase(Family family, std::string key) {
  writes_.keys[{family, std::move(key)}] = {Write::Kind::erase, {}};
}

void ChangeSet::remove(Family family, std::string key) {
  erase(family, std::move(key));
  --state_.records[std::string(name_of(family))];
}

void ChangeSet::append(Family family, std::string key, std::string_view bytes) {
  // One search of the tree: a change of many documents appends hundreds of thousands of times.
  const auto [at, is_new] =
      writes_.keys.try_emplace({family, std::move(key)}, Write{Write::Kind::append, {}});
  auto& write = at->second;
  if (write.kind == Write::Kind::erase) write.kind = Write::Kind::put;
  write.bytes += bytes;
}

void ChangeSet::erase_all(Family family, std::string prefix) {
  Writes range;
  range.erased.emplace_back(family, std::move(prefix));
  writes_.absorb(std::move(range));
}

void ChangeSet::describe(std::string kind, std::vector<std::string> ids) {
  kind_ = std::move(kind);
  ids_ = std::move(ids);
}

Result<void> ChangeGroup::absorb(ChangeSet change, UnixMillis at) {
  LogRecord record;
  record.kind = std::move(change.kind_);
  kinds_.insert(record.kind);
  record.at = at;
  record.ids = std::move(change.ids_);
  record.digest = digest_of(change.writes_);
  record.chain = next_in_chain(state_.chain, record.digest);
  const std::int64_t sequence = change.sequence();
  WARPMIND_TRY(auto bytes, encode_log(record));
  change.add(Family::log, log_key(sequence), std::move(bytes));
  change.state_.last_sequence = sequence;
  change.state_.chain = record.chain;
  writes_.absorb(std::move(change.writes_));
  documents_.insert(documents_.end(), change.documents_.begin(), change.documents_.end());
  state_ = std::move(change.state_);
  return {};
}

void ChangeGroup::absorb_unlogged(ChangeSet change) {
  writes_.absorb(std::move(change.writes_));
  state_ = std::move(change.state_);
}

Result<rocksdb::WriteBatch> ChangeGroup::to_batch() const {
  rocksdb::WriteBatch batch(0, 0, kProtectionBytesPerKey, 0);
  rocksdb::Status status;
  for (const auto& [family, prefix] : writes_.erased) {
    status = batch.DeleteRange(database_.column(family), prefix, after_prefix(prefix));
    if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  }
  for (const auto& [key, write] : writes_.keys) {
    auto* column = database_.column(key.first);
    switch (write.kind) {
      case Write::Kind::put: status = batch.Put(column, key.second, write.bytes); break;
      case Write::Kind::erase: status = batch.Delete(column, key.second); break;
      case Write::Kind::append: status = batch.Merge(column, key.second, write.bytes); break;
    }
    if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  }
  WARPMIND_TRY(const auto state, encode_state(state_));
  status = batch.Put(database_.column(Family::meta), state_key(), state);
  if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  return batch;
}

}  // namespace warpmind::knowledge_base
