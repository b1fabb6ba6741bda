#include "daemon/hosts/claim_entry_codec.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"

#include <cstdint>

namespace warpmind::daemon::hosts {
namespace {

using knowledge_base::ClaimLogEntry;
using knowledge_base::HeardMark;
using nlohmann::json;

constexpr int kVersion = 1;

template <class T>
Result<T> member(const json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) {
    return fail(Errc::corrupt_data,
                "a message between hosts has no member '" + std::string(name) + "'");
  }
  return codec::from_json<T>(object.at(name), std::string("member '") + name + "'");
}

}  // namespace

std::string encode(const ClaimLogEntry& entry) {
  return codec::dump_json({{"version", kVersion},
                           {"node", entry.node},
                           {"era", entry.era},
                           {"from", entry.from},
                           {"upto", entry.upto},
                           {"chain", entry.chain},
                           {"pack", entry.pack}});
}

Result<ClaimLogEntry> decode_entry(std::string_view bytes) {
  WARPMIND_TRY(const auto parsed, codec::parse_json(bytes));
  WARPMIND_TRY(const auto version, member<std::int64_t>(parsed, "version"));
  if (version != kVersion) {
    return fail(Errc::corrupt_data, "an entry of a claim log has version " +
                                        std::to_string(version) + ": it needs a newer build");
  }
  ClaimLogEntry entry;
  WARPMIND_TRY(entry.node, member<std::string>(parsed, "node"));
  WARPMIND_TRY(entry.era, member<std::int64_t>(parsed, "era"));
  WARPMIND_TRY(entry.from, member<std::int64_t>(parsed, "from"));
  WARPMIND_TRY(entry.upto, member<std::int64_t>(parsed, "upto"));
  WARPMIND_TRY(entry.chain, member<std::string>(parsed, "chain"));
  WARPMIND_TRY(entry.pack, member<std::string>(parsed, "pack"));
  return entry;
}

std::string encode(const HeardMark& mark) {
  return codec::dump_json({{"era", mark.era}, {"upto", mark.upto}});
}

Result<HeardMark> decode_mark(std::string_view bytes) {
  WARPMIND_TRY(const auto parsed, codec::parse_json(bytes));
  HeardMark mark;
  WARPMIND_TRY(mark.era, member<std::int64_t>(parsed, "era"));
  WARPMIND_TRY(mark.upto, member<std::int64_t>(parsed, "upto"));
  return mark;
}

}  // namespace warpmind::daemon::hosts
