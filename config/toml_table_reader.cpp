#include "config/toml_table_reader.h"

#include "base/sequence.h"
#include "config/nearest_name.h"

namespace warpmind::config {

Result<TableReader> TableReader::open(std::string_view file, std::string_view what,
                                      const TomlValue& value) {
  TableReader reader(file, what, value);
  if (value.get<TomlValue::Table>() == nullptr) {
    return reader.error_at(
        value.place, std::string(what) + " must be a table, not " + std::string(value.kind()));
  }
  return reader;
}

Result<void> TableReader::allow_only(const std::vector<std::string_view>& keys) const {
  for (const auto& entry : *table_->get<TomlValue::Table>()) {
    if (!contains(keys, entry.key)) {
      return error_at(entry.place,
                      "unknown key '" + entry.key + "' in " + what_ + suggestion(entry.key, keys));
    }
  }
  return {};
}

Result<const TomlValue*> TableReader::need(std::string_view key, std::string_view example) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return error_at(place(),
                    what_ + " lacks '" + std::string(key) + "'; write " + std::string(example));
  }
  return value;
}

Result<std::string> TableReader::text(std::string_view key, std::string_view example) const {
  WARPMIND_TRY(const TomlValue* value, need(key, example));
  if (const auto* found = value->get<std::string>()) return *found;
  return wrong_type(key, *value, "a string");
}

Result<std::string> TableReader::text_or(std::string_view key, std::string fallback) const {
  if (find(key) == nullptr) return fallback;
  return text(key, "");
}

Result<bool> TableReader::boolean_or(std::string_view key, bool fallback) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return fallback;
  if (const auto* found = value->get<bool>()) return *found;
  return wrong_type(key, *value, "true or false");
}

Result<std::int64_t> TableReader::integer(std::string_view key, std::string_view example) const {
  WARPMIND_TRY(const TomlValue* value, need(key, example));
  if (const auto* found = value->get<std::int64_t>()) return *found;
  return wrong_type(key, *value, "an integer");
}

Result<double> TableReader::number(std::string_view key, std::string_view example) const {
  WARPMIND_TRY(const TomlValue* value, need(key, example));
  if (const auto* found = value->get<double>()) return *found;
  if (const auto* found = value->get<std::int64_t>()) return static_cast<double>(*found);
  return wrong_type(key, *value, "a number");
}

Result<double> TableReader::number_or(std::string_view key, double fallback) const {
  if (find(key) == nullptr) return fallback;
  return number(key, "");
}

Result<std::vector<double>> TableReader::numbers_or_empty(std::string_view key) const {
  std::vector<double> out;
  const TomlValue* value = find(key);
  if (value == nullptr) return out;
  const auto* array = value->get<TomlValue::Array>();
  if (array == nullptr) return wrong_type(key, *value, "an array of numbers");
  for (const auto& element : *array) {
    const auto* integer = element.get<std::int64_t>();
    const auto* decimal = element.get<double>();
    if (integer == nullptr && decimal == nullptr) {
      return wrong_type(key, element, "an array of numbers");
    }
    out.push_back(decimal != nullptr ? *decimal : static_cast<double>(*integer));
  }
  return out;
}

Result<std::string> TableReader::expression(std::string_view key, std::string_view example) const {
  WARPMIND_TRY(const TomlValue* value, need(key, example));
  return as_expression(key, *value);
}

Result<std::string> TableReader::as_expression(std::string_view key, const TomlValue& value) const {
  if (const auto* integer = value.get<std::int64_t>()) return std::to_string(*integer);
  if (const auto* found = value.get<std::string>(); found != nullptr && !found->empty()) {
    return *found;
  }
  return wrong_type(key, value, "an integer or an expression such as \"rows * 2\"");
}

Result<std::vector<std::string>> TableReader::expressions_or_empty(std::string_view key) const {
  std::vector<std::string> out;
  const TomlValue* value = find(key);
  if (value == nullptr) return out;
  const auto* array = value->get<TomlValue::Array>();
  if (array == nullptr) return wrong_type(key, *value, "an array such as [\"rows\", 4]");
  for (const auto& element : *array) {
    WARPMIND_TRY(std::string text, as_expression(key, element));
    out.push_back(std::move(text));
  }
  return out;
}

Result<std::vector<std::string>> TableReader::texts_or_empty(std::string_view key) const {
  std::vector<std::string> out;
  const TomlValue* value = find(key);
  if (value == nullptr) return out;
  const auto* array = value->get<TomlValue::Array>();
  if (array == nullptr) return wrong_type(key, *value, "an array of strings");
  for (const auto& element : *array) {
    const auto* text = element.get<std::string>();
    if (text == nullptr) return wrong_type(key, element, "an array of strings");
    out.push_back(*text);
  }
  return out;
}

Result<std::vector<TableReader>> TableReader::tables(std::string_view key,
                                                     std::string_view what) const {
  std::vector<TableReader> out;
  const TomlValue* value = find(key);
  if (value == nullptr) return out;
  const auto* array = value->get<TomlValue::Array>();
  if (array == nullptr) {
    return wrong_type(key, *value, "a list of tables: write " + std::string(what));
  }
  for (const auto& element : *array) {
    WARPMIND_TRY(TableReader table, open(file_, what, element));
    out.push_back(std::move(table));
  }
  return out;
}

tl::unexpected<Error> TableReader::error_at(TomlPlace place, std::string_view message) const {
  return fail(Errc::invalid_argument, at_place(file_, place, message));
}

tl::unexpected<Error> TableReader::error_at_key(std::string_view key,
                                                std::string_view message) const {
  const TomlValue* value = find(key);
  return error_at(value == nullptr ? place() : value->place, message);
}

tl::unexpected<Error> TableReader::wrong_type(std::string_view key, const TomlValue& value,
                                              std::string_view wanted) const {
  const auto* text = value.get<std::string>();
  const std::string found =
      text != nullptr && text->empty() ? "an empty string" : std::string(value.kind());
  return error_at(value.place, "'" + std::string(key) + "' of " + what_ + " must be " +
                                   std::string(wanted) + ", not " + found);
}

}  // namespace warpmind::config
