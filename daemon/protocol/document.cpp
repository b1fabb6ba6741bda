#include "daemon/protocol/document.h"

#include "base/codec/json_guard.h"

#include <utility>

namespace warpmind::daemon::protocol {

Document::Document() = default;
Document::Document(nlohmann::json value)
    : value_(std::make_unique<nlohmann::json>(std::move(value))) {}
Document::Document(Document&& other) noexcept = default;
Document& Document::operator=(Document&& other) noexcept = default;
Document::~Document() = default;

Result<Document> Document::parse(std::string_view text) {
  WARPMIND_TRY(nlohmann::json value, codec::parse_json(text));
  return Document(std::move(value));
}

const nlohmann::json& Document::json() const {
  static const nlohmann::json null;
  return value_ ? *value_ : null;
}

bool Document::is_null() const { return json().is_null(); }

std::string Document::text() const { return codec::dump_json(json()); }

}  // namespace warpmind::daemon::protocol
