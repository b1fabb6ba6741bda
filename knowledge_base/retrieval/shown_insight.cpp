#include "knowledge_base/retrieval/shown_insight.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/sequence.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/sealed_json.h"

namespace warpmind::knowledge_base {
namespace {

/// Steps over the pieces of a compact JSON text. Positions are size() at its end.
class JsonSteps {
 public:
  explicit JsonSteps(std::string_view text) : text_(text) {}

  [[nodiscard]] bool is_at(std::size_t at, char c) const {
    return at < text_.size() && text_[at] == c;
  }
  /// Position after the string that starts at `at`.
  [[nodiscard]] std::size_t after_string(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      if (text_[at] == '\\') {
        ++at;
      } else if (text_[at] == '"') {
        return at + 1;
      }
    }
    return text_.size();
  }
  /// Position after the value that starts at `at`.
  [[nodiscard]] std::size_t after_value(std::size_t at) const {
    std::size_t depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"') {
        at = after_string(at);
        if (depth == 0) return at;
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      const bool closes = c == '}' || c == ']';
      // A number or a word ends where the object goes on.
      if (depth == 0 && (closes || c == ',')) return at;
      if (closes && --depth == 0) return at + 1;
      ++at;
    }
    return text_.size();
  }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<std::string> without_members(std::string_view object,
                                           std::initializer_list<std::string_view> names) {
  const JsonSteps steps(object);
  if (!steps.is_at(0, '{')) return std::nullopt;
  std::string kept = "{";
  kept.reserve(object.size());
  std::size_t at = 1;
  while (steps.is_at(at, '"')) {
    const std::size_t colon = steps.after_string(at);
    if (!steps.is_at(colon, ':')) return std::nullopt;
    const auto name = object.substr(at + 1, colon - at - 2);
    if (name.find('\\') != std::string_view::npos) return std::nullopt;
    const std::size_t end = steps.after_value(colon + 1);
    if (!contains(names, name)) {
      if (kept.size() > 1) kept += ',';
      kept += object.substr(at, end - at);
    }
    if (!steps.is_at(end, ',')) {
      const bool whole = steps.is_at(end, '}') && end + 1 == object.size();
      if (!whole) return std::nullopt;
      kept += '}';
      return kept;
    }
    at = end + 1;
  }
  return std::nullopt;
}

Result<Insight> read_shown_insight(const Database& database, const InsightId& id) {
  WARPMIND_TRY(const auto bytes, database.get(Family::insights, insight_key(id)));
  if (!bytes) return fail(Errc::not_found, "no insight " + id.str());
  WARPMIND_TRY(const auto text, unseal(*bytes, "insight"));
  const auto kept =
      without_members(text, {"attestations", "code_signature", "fold", "profile_signature"});
  auto json = codec::parse_json(kept ? std::string_view(*kept) : text);
  if (!json) return fail(std::move(json).error().while_doing("stored insight"));
  return codec::from_json<Insight>(*json, "stored insight");
}

}  // namespace warpmind::knowledge_base
