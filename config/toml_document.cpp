#include "config/toml_document.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <toml++/toml.h>

namespace warpmind::config {
namespace {

TomlPlace place_of(const toml::source_region& source) {
  return {static_cast<std::uint32_t>(source.begin.line),
          static_cast<std::uint32_t>(source.begin.column)};
}

// Depth is bounded by toml++ (TOML_MAX_NESTED_VALUES, 256).
Result<TomlValue> converted(const toml::node& node, std::string_view file) {
  TomlValue out;
  out.place = place_of(node.source());
  if (const auto* table = node.as_table()) {
    TomlValue::Table entries;
    for (const auto& [key, child] : *table) {
      WARPMIND_TRY(TomlValue value, converted(child, file));
      entries.push_back({std::string(key.str()), place_of(key.source()), std::move(value)});
    }
    std::sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    out.value = std::move(entries);
  } else if (const auto* array = node.as_array()) {
    TomlValue::Array elements;
    for (const auto& child : *array) {
      WARPMIND_TRY(TomlValue value, converted(child, file));
      elements.push_back(std::move(value));
    }
    out.value = std::move(elements);
  } else if (const auto* text = node.as_string()) {
    out.value = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.value = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    out.value = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.value = boolean->get();
  } else {
    return fail(Errc::invalid_argument,
                at_place(file, out.place, "dates and times have no meaning here; quote the text"));
  }
  return out;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto* table = get<Table>();
  if (table == nullptr) return nullptr;
  const auto found = std::find_if(table->begin(), table->end(),
                                  [&](const auto& entry) { return entry.key == key; });
  return found == table->end() ? nullptr : &found->value;
}

std::string_view TomlValue::kind() const {
  constexpr std::array<std::string_view, 6> kNames{"a boolean", "an integer", "a number",
                                                   "a string",  "an array",   "a table"};
  return kNames.at(value.index());
}

Result<TomlValue> parse_toml(std::string_view text, std::string_view file) {
  try {
    const toml::table root = toml::parse(text);
    WARPMIND_TRY(TomlValue document, converted(root, file));
    document.place = {1, 1};
    return document;
  } catch (const toml::parse_error& error) {
    return fail(Errc::invalid_argument,
                at_place(file, place_of(error.source()), error.description()));
  }
}

std::string at_place(std::string_view file, TomlPlace place, std::string_view message) {
  std::string out(file);
  if (place.line != 0) {
    out += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }
  return out + ": " + std::string(message);
}

}  // namespace warpmind::config
