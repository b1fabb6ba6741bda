#pragma once
/// \file
/// Typed reads from one TOML table, with `file:line:column` and a way out in every message.

#include "base/result.h"
#include "config/toml_document.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

/// Views a table of a document that outlives it.
class TableReader {
 public:
  /// `what` names the table in messages: "[contract]".
  /// Errors (of the reads too): invalid_argument.
  [[nodiscard]] static Result<TableReader> open(std::string_view file, std::string_view what,
                                                const TomlValue& value);

  /// Refuses every other key, and names the nearest of these.
  [[nodiscard]] Result<void> allow_only(const std::vector<std::string_view>& keys) const;

  [[nodiscard]] const TomlValue* find(std::string_view key) const { return table_->find(key); }
  /// `example` shows how to write the missing entry: `name = "vector_add"`.
  [[nodiscard]] Result<const TomlValue*> need(std::string_view key, std::string_view example) const;

  [[nodiscard]] Result<std::string> text(std::string_view key, std::string_view example) const;
  [[nodiscard]] Result<std::string> text_or(std::string_view key, std::string fallback) const;
  [[nodiscard]] Result<bool> boolean_or(std::string_view key, bool fallback) const;
  [[nodiscard]] Result<std::int64_t> integer(std::string_view key, std::string_view example) const;
  /// An integer is taken for a number too.
  [[nodiscard]] Result<double> number(std::string_view key, std::string_view example) const;
  [[nodiscard]] Result<double> number_or(std::string_view key, double fallback) const;
  /// An array of numbers.
  [[nodiscard]] Result<std::vector<double>> numbers_or_empty(std::string_view key) const;
  /// An expression: a string, or an integer. An empty string is refused.
  [[nodiscard]] Result<std::string> expression(std::string_view key,
                                               std::string_view example) const;
  [[nodiscard]] Result<std::vector<std::string>> expressions_or_empty(std::string_view key) const;
  [[nodiscard]] Result<std::vector<std::string>> texts_or_empty(std::string_view key) const;
  /// The tables of `[[key]]`; empty when there is none.
  [[nodiscard]] Result<std::vector<TableReader>> tables(std::string_view key,
                                                        std::string_view what) const;

  [[nodiscard]] tl::unexpected<Error> error_at(TomlPlace place, std::string_view message) const;
  /// At the entry `key`, or at the table when it is missing.
  [[nodiscard]] tl::unexpected<Error> error_at_key(std::string_view key,
                                                   std::string_view message) const;
  [[nodiscard]] TomlPlace place() const { return table_->place; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  TableReader(std::string_view file, std::string_view what, const TomlValue& table)
      : file_(file), what_(what), table_(&table) {}
  [[nodiscard]] tl::unexpected<Error> wrong_type(std::string_view key, const TomlValue& value,
                                                 std::string_view wanted) const;
  [[nodiscard]] Result<std::string> as_expression(std::string_view key,
                                                  const TomlValue& value) const;

  std::string file_;
  std::string what_;
  const TomlValue* table_;
};

}  // namespace warpmind::config
