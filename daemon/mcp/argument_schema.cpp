#include "daemon/mcp/argument_schema.h"

#include "base/text.h"
#include "config/nearest_name.h"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;

bool is_of_type(std::string_view type, const json& value) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

/// `where`: the path of a value, "evidence.step" or "tags[1]"; empty for all of them.
Result<void> wrong(const std::string& where, const std::string& what) {
  const std::string named = where.empty() ? "the arguments" : "argument " + quoted_name(where);
  return fail(Errc::invalid_argument, named + " " + what);
}

Result<void> check_value(const json& schema, const json& value, const std::string& where);

Result<void> check_string(const json& schema, const json& value, const std::string& where) {
  const auto size = value.get_ref<const std::string&>().size();
  if (const auto most = schema.find("maxLength"); most != schema.end() && size > *most) {
    return wrong(where, "may have at most " + most->dump() + " bytes, not " + std::to_string(size));
  }
  if (const auto least = schema.find("minLength"); least != schema.end() && size < *least) {
    return wrong(where, "must not be empty");
  }
  if (const auto known = schema.find("enum"); known != schema.end()) {
    for (const auto& one : *known) {
      if (one == value) return {};
    }
    return wrong(where, "must be one of " + known->dump() + ", not " +
                            quoted_name(value.get_ref<const std::string&>()));
  }
  return {};
}

Result<void> check_number(const json& schema, const json& value, const std::string& where) {
  const double number = value.get<double>();
  if (const auto least = schema.find("minimum"); least != schema.end() && number < *least) {
    return wrong(where, "must be at least " + least->dump());
  }
  if (const auto most = schema.find("maximum"); most != schema.end() && number > *most) {
    return wrong(where, "must be at most " + most->dump());
  }
  return {};
}

Result<void> check_array(const json& schema, const json& value, const std::string& where) {
  if (const auto most = schema.find("maxItems"); most != schema.end() && value.size() > *most) {
    return wrong(where, "may have at most " + most->dump() + " items");
  }
  const auto items = schema.find("items");
  if (items == schema.end()) return {};
  for (std::size_t i = 0; i < value.size(); ++i) {
    WARPMIND_CHECK(check_value(*items, value[i], where + "[" + std::to_string(i) + "]"));
  }
  return {};
}

std::string nearest_property(const json& properties, const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& [property, schema] : properties.items()) known.push_back(property);
  return config::suggestion(std::string_view(name).substr(0, 64), known);
}

Result<void> check_object(const json& schema, const json& value, const std::string& where) {
  static const json none = json::object();
  const auto found = schema.find("properties");
  const json& properties = found == schema.end() ? none : *found;
  const auto others = schema.find("additionalProperties");
  const std::string prefix = where.empty() ? "" : where + ".";
  for (const auto& [name, member] : value.items()) {
    const auto property = properties.find(name);
    const std::string place = prefix + name;
    if (property != properties.end()) {
      WARPMIND_CHECK(check_value(*property, member, place));
    } else if (others != schema.end() && others->is_object()) {
      WARPMIND_CHECK(check_value(*others, member, place));
    } else if (others != schema.end() && *others == false) {
      return wrong(place, "is not known" + nearest_property(properties, name));
    }
  }
  if (const auto required = schema.find("required"); required != schema.end()) {
    for (const auto& name : *required) {
      const auto& text = name.get_ref<const std::string&>();
      if (!value.contains(text)) return wrong(prefix + text, "is missing");
    }
  }
  return {};
}

Result<void> check_value(const json& schema, const json& value, const std::string& where) {
  const auto type = schema.find("type");
  if (type != schema.end() && !is_of_type(type->get_ref<const std::string&>(), value)) {
    return wrong(where,
                 "must be of type " + type->get<std::string>() + ", not " + value.type_name());
  }
  if (value.is_string()) return check_string(schema, value, where);
  if (value.is_number()) return check_number(schema, value, where);
  if (value.is_array()) return check_array(schema, value, where);
  if (value.is_object()) return check_object(schema, value, where);
  return {};
}

}  // namespace

Result<void> check_arguments(const json& schema, const json& arguments) {
  return check_value(schema, arguments, "");
}

}  // namespace warpmind::daemon::mcp
