#include "knowledge_base/change_set.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/rocksdb_options.h"

namespace warpmind::knowledge_base {
namespace {

using Writes = std::map<std::pair<Family, std::string>, std::optional<std::string>>;

/// Over every key and value, each preceded by its length, in key order.
Digest digest_of(const Writes& writes) {
  std::string input;
  for (const auto& [key, value] : writes) {
    input += hash_input({name_of(key.first), key.second, value ? "put" : "erase",
                         value ? std::string_view(*value) : std::string_view()});
  }
  return sha256(input);
}

void overlay(const Writes& writes, Family family, const std::string& prefix,
             std::map<std::string, std::optional<std::string>>& found) {
  for (auto at = writes.lower_bound({family, prefix});
       at != writes.end() && at->first.first == family && at->first.second.starts_with(prefix);
       ++at) {
    found[at->first.second] = at->second;
  }
}

}  // namespace

Digest next_in_chain(const Digest& chain, const Digest& digest) {
  std::string input(chain.begin(), chain.end());
  input.append(digest.begin(), digest.end());
  return sha256(input);
}

ChangeSet::ChangeSet(const ChangeGroup& group) : group_(group), state_(group.state_) {}

Result<std::optional<std::string>> ChangeSet::get(Family family, const std::string& key) const {
  for (const auto* writes : {&writes_, &group_.writes_}) {
    const auto found = writes->find({family, key});
    if (found != writes->end()) return found->second;
  }
  return group_.database_.get(family, key);
}

Result<std::vector<std::string>> ChangeSet::values(Family family, const std::string& prefix) const {
  std::map<std::string, std::optional<std::string>> found;
  WARPMIND_CHECK(group_.database_.scan(
      {family, prefix}, [&found](std::string_view key, std::string_view value) -> Result<bool> {
        found[std::string(key)] = std::string(value);
        return true;
      }));
  overlay(group_.writes_, family, prefix, found);
  overlay(writes_, family, prefix, found);
  std::vector<std::string> values;
  for (auto& [key, value] : found) {
    if (value) values.push_back(std::move(*value));
  }
  return values;
}

void ChangeSet::put(Family family, std::string key, std::string value) {
  writes_[{family, std::move(key)}] = std::move(value);
}

void ChangeSet::add(Family family, std::string key, std::string value) {
  put(family, std::move(key), std::move(value));
  ++state_.records[std::string(name_of(family))];
}

void ChangeSet::erase(Family family, std::string key) {
  writes_[{family, std::move(key)}] = std::nullopt;
}

void ChangeSet::describe(std::string kind, std::vector<std::string> ids) {
  kind_ = std::move(kind);
  ids_ = std::move(ids);
}

Result<void> ChangeGroup::absorb(ChangeSet change, UnixMillis at) {
  LogRecord record;
  record.kind = std::move(change.kind_);
  record.at = at;
  record.ids = std::move(change.ids_);
  record.digest = digest_of(change.writes_);
  record.chain = next_in_chain(state_.chain, record.digest);
  const std::int64_t sequence = change.sequence();
  WARPMIND_TRY(auto bytes, encode_log(record));
  change.add(Family::log, log_key(sequence), std::move(bytes));
  change.state_.last_sequence = sequence;
  change.state_.chain = record.chain;
  for (auto& [key, value] : change.writes_) writes_[key] = std::move(value);
  state_ = std::move(change.state_);
  return {};
}

Result<rocksdb::WriteBatch> ChangeGroup::to_batch() const {
  rocksdb::WriteBatch batch(0, 0, kProtectionBytesPerKey, 0);
  for (const auto& [key, value] : writes_) {
    auto* column = database_.column(key.first);
    const auto status =
        value ? batch.Put(column, key.second, *value) : batch.Delete(column, key.second);
    if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  }
  WARPMIND_TRY(const auto state, encode_state(state_));
  const auto status = batch.Put(database_.column(Family::meta), state_key(), state);
  if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  return batch;
}

}  // namespace warpmind::knowledge_base
