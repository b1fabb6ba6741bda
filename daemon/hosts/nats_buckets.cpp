#include "daemon/hosts/nats_buckets.h"

#include <utility>

namespace warpmind::daemon::hosts {
namespace {

/// Keys in the library's own memory.
struct Keys {
  kvKeysList list{};
  Keys() = default;
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() { kvKeysList_Destroy(&list); }
};

}  // namespace

Result<void> put(NatsLink& link, kvStore* bucket, const std::string& key,
                 const std::string& value) {
  NatsOutcome outcome{
      kvStore_Put(nullptr, bucket, key.c_str(), value.data(), static_cast<int>(value.size()))};
  if (!outcome) return fail(link.note(outcome, "writing " + key));
  return {};
}

Result<std::optional<std::string>> get(NatsLink& link, kvStore* bucket, const std::string& key) {
  kvEntry* raw = nullptr;
  const NatsOutcome outcome{kvStore_Get(&raw, bucket, key.c_str())};
  const UniqueEntry entry(raw);
  if (outcome.is_absent()) return std::optional<std::string>();
  if (!outcome) return fail(link.note(outcome, "reading " + key));
  const int length = kvEntry_ValueLen(entry.get());
  if (length <= 0) return std::optional<std::string>("");
  return std::optional<std::string>(std::in_place,
                                    static_cast<const char*>(kvEntry_Value(entry.get())),
                                    static_cast<std::size_t>(length));
}

Result<void> erase(NatsLink& link, kvStore* bucket, const std::string& key) {
  const NatsOutcome outcome{kvStore_Delete(bucket, key.c_str())};
  if (!outcome && !outcome.is_absent()) return fail(link.note(outcome, "removing " + key));
  return {};
}

Result<std::map<std::string, std::string>> values(NatsLink& link, kvStore* bucket,
                                                  std::string_view prefix) {
  Keys keys;
  const NatsOutcome outcome{kvStore_Keys(&keys.list, bucket, nullptr)};
  std::map<std::string, std::string> found;
  if (outcome.is_absent()) return found;
  if (!outcome) return fail(link.note(outcome, "listing a bucket"));
  for (int i = 0; i < keys.list.Count; ++i) {
    const std::string key = keys.list.Keys[i];
    if (!key.starts_with(prefix)) continue;
    // One that was forgotten meanwhile is not there.
    WARPMIND_TRY(auto value, get(link, bucket, key));
    if (value) found.emplace(key, std::move(*value));
  }
  return found;
}

}  // namespace warpmind::daemon::hosts
