#pragma once
/// \file
/// A parsed JSON value. Its library stays in the .cpp files of those who look inside.

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace warpmind::daemon::protocol {

/// Owns one JSON value; a default-constructed one is null. Not thread-safe.
class Document {
 public:
  Document();
  explicit Document(nlohmann::json value);
  Document(Document&& other) noexcept;
  Document& operator=(Document&& other) noexcept;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document();

  /// Parses foreign text, with the limits of base/codec/json_guard. Errors: corrupt_data.
  [[nodiscard]] static Result<Document> parse(std::string_view text);

  [[nodiscard]] const nlohmann::json& json() const;
  [[nodiscard]] bool is_null() const;
  /// One line; bytes that are not UTF-8 become U+FFFD.
  [[nodiscard]] std::string text() const;

 private:
  std::unique_ptr<nlohmann::json> value_;  // empty = null
};

}  // namespace warpmind::daemon::protocol
