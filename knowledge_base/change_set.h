#pragma once
/// \file
/// What one change writes, and the group of changes that becomes one batch.

#include "base/clock.h"
#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

class ChangeGroup;

/// What happens to one key.
struct Write {
  enum class Kind { put, erase, append };
  Kind kind = Kind::put;
  std::string bytes;
};

/// Writes by key, over ranges that are erased first.
struct Writes {
  using Key = std::pair<Family, std::string>;
  std::map<Key, Write> keys;
  std::vector<Key> erased;  ///< family and prefix

  [[nodiscard]] bool empty() const { return keys.empty() && erased.empty(); }
  /// What `key` holds when `below` is what lay there before.
  template <class Below>
  [[nodiscard]] Result<std::optional<std::string>> value(Family family, const std::string& key,
                                                         const Below& below) const;
  /// Later writes win.
  void absorb(Writes later);
};

/// One change while it is made: reads see its own writes, then those of changes before it in the
/// group, then the database. Dropped without a trace if it is not absorbed by the group.
class ChangeSet {
 public:
  /// `group` must outlive it.
  explicit ChangeSet(const ChangeGroup& group);

  [[nodiscard]] Result<std::optional<std::string>> get(Family family, const std::string& key) const;
  /// Reads all keys with `prefix`, in order.
  [[nodiscard]] Result<std::vector<std::string>> values(Family family,
                                                        const std::string& prefix) const;
  /// Keys and values with `prefix`, in order.
  [[nodiscard]] Result<std::map<std::string, std::string>> entries(Family family,
                                                                   const std::string& prefix) const;
  /// Adds or replaces a secondary record: not counted.
  void put(Family family, std::string key, std::string value);
  /// Adds a record that did not exist, and counts it.
  void add(Family family, std::string key, std::string value);
  void erase(Family family, std::string key);
  /// Erases a record that exists, and no longer counts it.
  void remove(Family family, std::string key);
  /// Appends bytes to a value of the terms family without reading it.
  void append(Family family, std::string key, std::string_view bytes);
  /// Erases every key of `family` that starts with `prefix`, as it was before this change.
  void erase_all(Family family, std::string prefix);

  /// Counters as they will be after this change.
  [[nodiscard]] StoreState& state() { return state_; }
  /// What the log will call it.
  void describe(std::string kind, std::vector<std::string> ids);
  /// Search documents that this change made or altered: readers of the index are told.
  void touch_document(std::int64_t number) { documents_.push_back(number); }
  /// Position in the log that it gets.
  [[nodiscard]] std::int64_t sequence() const { return state_.last_sequence + 1; }

 private:
  friend class ChangeGroup;

  const ChangeGroup& group_;
  Writes writes_;
  StoreState state_;
  std::string kind_;
  std::vector<std::string> ids_;
  std::vector<std::int64_t> documents_;
};

/// Changes in order, over one database. Not thread-safe.
class ChangeGroup {
 public:
  ChangeGroup(const Database& database, StoreState state)
      : database_(database), state_(std::move(state)) {}

  /// Takes a finished change in: gives it its sequence, log record and place in the chain.
  [[nodiscard]] Result<void> absorb(ChangeSet change, UnixMillis at);

  /// Takes in what a rebuild replayed: it has its log record already. For copies only.
  void absorb_unlogged(ChangeSet change);

  [[nodiscard]] bool empty() const { return writes_.empty(); }
  /// Search documents that the changes touched.
  [[nodiscard]] const std::vector<std::int64_t>& documents() const { return documents_; }
  /// What the log calls the changes.
  [[nodiscard]] const std::set<std::string>& kinds() const { return kinds_; }
  [[nodiscard]] const StoreState& state() const { return state_; }
  /// Everything, with the counters of state() in the meta family.
  [[nodiscard]] Result<rocksdb::WriteBatch> to_batch() const;

 private:
  friend class ChangeSet;

  const Database& database_;
  StoreState state_;
  Writes writes_;
  std::vector<std::int64_t> documents_;
  std::set<std::string> kinds_;
};

/// SHA-256(chain || digest).
[[nodiscard]] Digest next_in_chain(const Digest& chain, const Digest& digest);

}  // namespace warpmind::knowledge_base
