#include "knowledge_base/packs/pack_format.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/hash.h"
#include "base/sequence.h"
#include "base/text.h"

#include <array>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

constexpr codec::JsonLimits kLineLimits{.depth = 12, .nodes = 20'000};

constexpr std::array<std::string_view, 12> kClaimMembers = {"id",
                                                            "kind",
                                                            "claim",
                                                            "mechanism",
                                                            "action",
                                                            "scope",
                                                            "profile_signature",
                                                            "code_signature",
                                                            "space",
                                                            "provenance",
                                                            "supersedes",
                                                            "attestations"};

tl::unexpected<Error> refuse(std::string why) {
  return fail(Errc::invalid_argument, std::move(why));
}

json claim_json(const Insight& insight) {
  json all(insight);
  json body = json::object();
  for (const auto member : kClaimMembers) {
    const std::string name(member);
    body[name] = std::move(all[name]);
  }
  body["provenance"].erase("source");  // the receiver's is the pack
  return body;
}

json body_of(const Technique& technique) {
  json body(technique);
  body.erase("edited");
  body.erase("source");  // the receiver's is the pack
  return body;
}
json body_of(const Fact& fact) { return fact; }
json body_of(const PackedClaim& claim) {
  json body = claim_json(claim.insight);
  if (claim.first) {
    json first = claim_json(*claim.first);
    for (const char* name : {"id", "attestations", "profile_signature", "code_signature",
                             "provenance", "supersedes", "mechanism"}) {
      first.erase(name);
    }
    body["first"] = std::move(first);
  }
  return body;
}

json body_of(const PackedSkill& skill) { return skill; }

std::string_view kind_of(const PackRecord& record) {
  constexpr std::array<std::string_view, 4> kNames = {"technique", "fact", "insight", "skill"};
  return kNames.at(record.index());
}

std::string line_of(const json& object) { return codec::dump_json(object) + "\n"; }

Result<json> parse_line(std::string_view line) {
  auto parsed = codec::parse_json(line, kLineLimits);
  if (!parsed) return refuse("is no JSON: " + parsed.error().message);
  if (!parsed->is_object()) return refuse("is no JSON object");
  return parsed;
}

/// Member of `object` as T. Errors name it.
template <class T>
Result<T> member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return refuse("has no '" + std::string(name) + "'");
  auto value = codec::from_json<T>(*found, name);
  if (!value) return refuse(value.error().message);
  return value;
}

template <class Allowed>
Result<void> allow_only(const json& object, const Allowed& allowed) {
  for (const auto& [name, value] : object.items()) {
    if (!contains(allowed, name)) {
      return refuse("carries '" + name + "', which no pack of this version may");
    }
  }
  return {};
}

template <class T>
Result<T> body_as(const json& body, const char* what) {
  if (!body.is_object()) return refuse("has a body that is no object");
  auto value = codec::from_json<T>(body, what);
  if (!value) return refuse("is " + value.error().message);
  return value;
}

Result<PackRecord> parse_claim(json body) {
  PackedClaim packed;
  if (!body.is_object()) return refuse("has a body that is no object");
  if (const auto first = body.find("first"); first != body.end()) {
    constexpr std::array<std::string_view, 5> kFirst = {"kind", "claim", "action", "scope",
                                                        "space"};
    if (!first->is_object()) return refuse("has a 'first' that is no object");
    WARPMIND_CHECK(allow_only(*first, kFirst));
    WARPMIND_TRY(packed.first, body_as<Insight>(*first, "insight"));
    body.erase(first);
  }
  WARPMIND_CHECK(allow_only(body, kClaimMembers));
  WARPMIND_TRY(packed.insight, body_as<Insight>(body, "insight"));
  packed.insight.provenance.source.clear();
  if (packed.first) packed.first->id = packed.insight.id;
  const Insight& hashed = packed.first ? *packed.first : packed.insight;
  if (packed.insight.id != id_of(hashed)) {
    return refuse("calls its claim " + packed.insight.id.str() + ", but the content is that of " +
                  id_of(hashed).str());
  }
  return PackRecord(std::move(packed));
}

Result<PackRecord> parse_body(const std::string& type, json body) {
  if (type == "insight") return parse_claim(std::move(body));
  if (type == "technique") {
    for (const char* local : {"edited", "source"}) {
      if (body.is_object() && body.contains(local)) {
        return refuse("carries '" + std::string(local) + "', which no pack of this version may");
      }
    }
    WARPMIND_TRY(auto technique, body_as<Technique>(body, "technique"));
    return PackRecord(std::move(technique));
  }
  if (type == "fact") {
    WARPMIND_TRY(auto fact, body_as<Fact>(body, "fact"));
    return PackRecord(std::move(fact));
  }
  if (type == "skill") {
    constexpr std::array<std::string_view, 3> kMembers = {"name", "licence", "files"};
    if (body.is_object()) WARPMIND_CHECK(allow_only(body, kMembers));
    WARPMIND_TRY(auto skill, body_as<PackedSkill>(body, "skill"));
    return PackRecord(std::move(skill));
  }
  return refuse("is a '" + type + "', which this build does not know");
}

}  // namespace

std::string header_line(const PackHeader& header) {
  json line{{"format", kPackFormat},           {"version", header.version},
            {"origin", header.origin},         {"sequence", header.sequence},
            {"created", header.created.value}, {"techniques", header.techniques},
            {"facts", header.facts},           {"insights", header.insights}};
  if (header.version >= kSkillsVersion) line["skills"] = header.skills;
  return line_of(line);
}

std::string record_line(const PackRecord& record, std::string& hash) {
  json body = std::visit([](const auto& value) { return body_of(value); }, record);
  hash = to_hex(sha256(codec::dump_json(body)));
  return line_of({{"type", kind_of(record)}, {"hash", hash}, {"body", std::move(body)}});
}

std::string end_line(const PackEnd& end) {
  json line{
      {"type", "end"}, {"records", end.records}, {"content", end.content}, {"sha256", end.sum}};
  if (end.signature) {
    line["signature"] = {{"algorithm", "ed25519"},
                         {"key", encode_hex(end.signature->public_key)},
                         {"value", encode_hex(end.signature->bytes)}};
  }
  return line_of(line);
}

std::string signed_message(std::string_view sum) {
  // Named, so that a signature over something else never fits a pack.
  return std::string(kPackFormat) + " " + std::string(sum);
}

Result<PackHeader> parse_header(std::string_view line) {
  const auto not_a_pack = [] {
    return refuse("this is no pack: its first line is not {\"format\":\"warpmind-pack\",…}");
  };
  auto object = parse_line(line);
  if (!object) return not_a_pack();
  const auto format = object->find("format");
  if (format == object->end() || *format != kPackFormat) return not_a_pack();
  PackHeader header;
  WARPMIND_TRY(header.version, member<std::int64_t>(*object, "version"));
  if (header.version > kPackVersion) {
    return refuse("the pack has version " + std::to_string(header.version) +
                  ", this build reads up to " + std::to_string(kPackVersion) +
                  ": update warpmind, or export it again with an older one");
  }
  if (header.version < 1) return refuse("the pack has no valid version");
  WARPMIND_TRY(header.origin, member<std::string>(*object, "origin"));
  WARPMIND_TRY(header.sequence, member<std::int64_t>(*object, "sequence"));
  WARPMIND_TRY(header.created.value, member<std::int64_t>(*object, "created"));
  WARPMIND_TRY(header.techniques, member<std::int64_t>(*object, "techniques"));
  WARPMIND_TRY(header.facts, member<std::int64_t>(*object, "facts"));
  WARPMIND_TRY(header.insights, member<std::int64_t>(*object, "insights"));
  if (header.version >= kSkillsVersion) {
    WARPMIND_TRY(header.skills, member<std::int64_t>(*object, "skills"));
  }
  constexpr std::int64_t kMostCounted = 1'000'000'000;
  for (const auto count : {header.techniques, header.facts, header.insights, header.skills}) {
    if (count < 0 || count > kMostCounted) return refuse("the pack's header counts impossibly");
  }
  return header;
}

Result<HashedRecord> parse_record(std::string_view line) {
  WARPMIND_TRY(auto object, parse_line(line));
  WARPMIND_TRY(const auto type, member<std::string>(object, "type"));
  WARPMIND_TRY(const auto hash, member<std::string>(object, "hash"));
  const auto body = object.find("body");
  if (body == object.end()) return refuse("has no 'body'");
  if (to_hex(sha256(codec::dump_json(*body))) != hash) {
    return refuse("does not have the hash that it says: it was changed after the export");
  }
  WARPMIND_TRY(auto record, parse_body(type, std::move(*body)));
  return HashedRecord{std::move(record), hash};
}

Result<PackEnd> parse_end(std::string_view line) {
  WARPMIND_TRY(const auto object, parse_line(line));
  WARPMIND_TRY(const auto type, member<std::string>(object, "type"));
  if (type != "end") return refuse("is no end line");
  PackEnd end;
  WARPMIND_TRY(end.records, member<std::int64_t>(object, "records"));
  WARPMIND_TRY(end.content, member<std::string>(object, "content"));
  WARPMIND_TRY(end.sum, member<std::string>(object, "sha256"));
  const auto signature = object.find("signature");
  if (signature == object.end()) return end;
  if (!signature->is_object()) return refuse("has a signature that is no object");
  WARPMIND_TRY(const auto algorithm, member<std::string>(*signature, "algorithm"));
  if (algorithm != "ed25519") {
    return refuse("is signed by '" + algorithm + "', this build knows ed25519");
  }
  WARPMIND_TRY(const auto key, member<std::string>(*signature, "key"));
  WARPMIND_TRY(const auto value, member<std::string>(*signature, "value"));
  end.signature = Signature{decode_hex(key).value_or(""), decode_hex(value).value_or("")};
  return end;
}

}  // namespace warpmind::knowledge_base
