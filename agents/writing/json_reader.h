#pragma once
/// \file
/// Strict access to a JSON object that a model wrote: every member is asked for by name and type,
/// and none is left over. Include from .cpp files only.

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::agents::writing {

/// Errors of all members: invalid_argument as `claims[2].text: …`.
class JsonReader {
 public:
  /// `where` is a path for messages, empty for the whole answer. The value must outlive the reader.
  JsonReader(const nlohmann::json& value, std::string where)
      : value_(value), where_(std::move(where)) {}

  /// It is an object with no other members than these.
  [[nodiscard]] Result<void> allow_only(std::initializer_list<std::string_view> members) const;
  [[nodiscard]] bool has(std::string_view member) const;  ///< and it is not null
  /// At most `limit` bytes; one line. `fallback` when absent or null.
  [[nodiscard]] Result<std::string> line(std::string_view member, std::size_t limit,
                                         std::string fallback) const;
  /// Absent or null is an error, and so is an empty one.
  [[nodiscard]] Result<std::string> wanted_line(std::string_view member, std::size_t limit) const;
  [[nodiscard]] Result<double> number(std::string_view member, double least, double most) const;
  [[nodiscard]] Result<std::int64_t> integer(std::string_view member, std::int64_t least,
                                             std::int64_t most) const;
  /// Elements of a list, at most `limit`; empty when absent or null.
  [[nodiscard]] Result<std::vector<JsonReader>> list(std::string_view member,
                                                     std::size_t limit) const;

  [[nodiscard]] const nlohmann::json& value() const { return value_.get(); }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] Error error(std::string_view member, const std::string& what) const;

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view member) const;

  std::reference_wrapper<const nlohmann::json> value_;
  std::string where_;
};

/// A string or an integer as the text of an expression.
[[nodiscard]] Result<std::string> expression_of(const JsonReader& element);

}  // namespace warpmind::agents::writing
