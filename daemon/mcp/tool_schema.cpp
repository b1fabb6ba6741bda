#include "daemon/mcp/tool_schema.h"

#include "daemon/protocol/method_table.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;

/// What an argument of this name may be, in every tool.
constexpr std::string_view kBounds = R"J({
"directory":{"minLength":1,"maxLength":4096},
"path":{"minLength":1,"maxLength":4096},
"source":{"minLength":1,"maxLength":1048576},
"kernel":{"maxLength":1048576},
"device":{"minLength":1,"maxLength":64},
"job":{"type":"string","minLength":1,"maxLength":64},
"step":{"minimum":0},
"against":{"minimum":0},
"edits":{"minimum":0},
"insights":{"minimum":0,"maximum":10},
"evaluations":{"minimum":1,"maximum":100000},
"seconds":{"minimum":1},
"gpu_seconds":{"minimum":0},
"predicted_gain":{"minimum":0.01,"maximum":1000},
"technique":{"maxLength":64},
"parameters":{"maxLength":200},
"build_flags":{"maxItems":32,"items":{"maxLength":200}},
"model":{"maxLength":100},
"operator_family":{"maxLength":64},
"dtypes":{"maxItems":12}})J";

json schema_of(const WireType& type) {
  using Kind = WireType::Kind;
  switch (type.kind) {
    case Kind::text: return {{"type", "string"}};
    case Kind::integer: return {{"type", "integer"}};
    case Kind::number: return {{"type", "number"}};
    case Kind::boolean: return {{"type", "boolean"}};
    case Kind::choice: return {{"type", "string"}, {"enum", type.choices}};
    case Kind::list: return {{"type", "array"}, {"items", schema_of(type.element.front())}};
    case Kind::map:
      return {{"type", "object"}, {"additionalProperties", schema_of(type.element.front())}};
    case Kind::object: break;
  }
  return {{"type", "object"}};
}

/// Throws where a tool names what no method has: a test builds every tool.
const WireMember& find_member(const std::vector<WireMember>& members, std::string_view method,
                              const char* name) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [name](const WireMember& one) { return one.name == name; });
  if (found != members.end()) return *found;
  throw std::logic_error(std::string(method) + " has no member '" + name + "'");
}

const protocol::MethodSpec& method_of(const Forwarded& forwarded) {
  const auto* method = protocol::find_method(forwarded.method);
  if (method != nullptr) return *method;
  throw std::logic_error("there is no method " + std::string(forwarded.method));
}

/// Sentences of several modes: "start, open: …" where they say the same, else one after the other.
struct Sentence {
  std::string modes;
  std::string text;
};

std::string sentence_of(const std::vector<Sentence>& sentences) {
  std::string text;
  for (const auto& [modes, meaning] : sentences) {
    if (!text.empty()) text += ". ";
    if (!modes.empty()) text += modes + ": ";
    text += meaning;
  }
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z' && sentences[0].modes.empty()) {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

void add_sentence(std::vector<Sentence>& sentences, std::string_view mode, std::string_view text) {
  for (auto& known : sentences) {
    // "as for `task.submit`" is what the first one says.
    if (known.text != text && !text.starts_with("as for ")) continue;
    if (!mode.empty()) known.modes += ", " + std::string(mode);
    return;
  }
  sentences.push_back({std::string(mode), std::string(text)});
}

}  // namespace

std::string input_schema(const std::vector<Forwarded>& forwarded, std::string_view own,
                         const std::vector<std::string>& required) {
  json properties = json::object();
  std::map<std::string, std::vector<Sentence>> sentences;
  for (const auto& group : forwarded) {
    const auto members = method_of(group).params_type.members();
    for (const char* name : group.names) {
      const WireMember& member = find_member(members, group.method, name);
      properties[name] = schema_of(member.type);
      add_sentence(sentences[name], group.mode, member.doc);
    }
  }
  for (const auto& [name, said] : sentences) properties[name]["description"] = sentence_of(said);
  const json more = json::parse(own);
  const json bounds = json::parse(kBounds);
  for (const auto& [name, bound] : bounds.items()) {
    if (properties.contains(name) || more.contains(name)) properties[name].merge_patch(bound);
  }
  properties.merge_patch(more);
  json schema{
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return schema.dump();
}

std::string output_schema(const std::vector<Forwarded>& forwarded, std::string_view own) {
  json properties{{"status", {{"type", "string"}, {"enum", {"done", "working"}}}},
                  {"handle", {{"type", "string"}}}};
  for (const auto& group : forwarded) {
    const auto members = method_of(group).result_type.members();
    for (const char* name : group.names) {
      WireType type = find_member(members, group.method, name).type;
      if (type.kind == WireType::Kind::choice) type.kind = WireType::Kind::text;
      properties[name] = schema_of(type);
    }
  }
  properties.merge_patch(json::parse(own));
  return json{{"type", "object"},
              {"required", json::array({"status"})},
              {"properties", std::move(properties)}}
      .dump();
}

}  // namespace warpmind::daemon::mcp
