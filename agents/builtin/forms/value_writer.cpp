#include "agents/builtin/forms/value_writer.h"

#include "agents/builtin/loops/lane_edits.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::size_t kLongestText = 20000;

bool is_leaf(const RowValue& value) {
  return value.kind == Kind::number || value.kind == Kind::name || value.kind == Kind::unset;
}

/// Parts that are computed whatever the others are.
std::vector<RowValueId> certain_parts(const RowValue& value) {
  const bool is_short = value.kind == Kind::operation && value.parts.size() == 2 &&
                        (value.text == "&&" || value.text == "||");
  if (value.kind == Kind::choice || is_short) return {value.parts[0]};
  return value.parts;
}

void collect(const RowValues& values, RowValueId id, bool is_certain, std::set<RowValueId>& found) {
  if (!found.insert(id).second) return;
  const RowValue& value = values.at(id);
  for (const RowValueId part : is_certain ? certain_parts(value) : value.parts) {
    collect(values, part, is_certain, found);
  }
}

}  // namespace

std::set<RowValueId> always_needed(const RowValues& values, const std::vector<RowValueId>& roots) {
  std::set<RowValueId> found;
  for (const RowValueId root : roots) collect(values, root, true, found);
  return found;
}

std::set<RowValueId> all_below(const RowValues& values, const std::vector<RowValueId>& roots) {
  std::set<RowValueId> found;
  for (const RowValueId root : roots) collect(values, root, false, found);
  return found;
}

std::string ValueWriter::of(RowValueId id) {
  if (const auto known = texts_.find(id); known != texts_.end()) return known->second;
  const RowValue& value = values_.at(id);
  if (is_leaf(value)) return leaf(value);
  const std::string text = expression(id, false);
  std::string name = "wm_v" + std::to_string(id);
  line("const auto " + name + " = " + text + ";");
  texts_.emplace(id, name);
  return name;
}

std::string ValueWriter::closed(RowValueId id) {
  if (const auto known = texts_.find(id); known != texts_.end()) return known->second;
  const RowValue& value = values_.at(id);
  if (is_leaf(value)) return leaf(value);
  std::string text = expression(id, true);
  if (text.size() > kLongestText) {
    failed_ = true;
    return "0";
  }
  return text;
}

std::string ValueWriter::leaf(const RowValue& value) {
  if (value.kind == Kind::name) return value.text;
  if (value.kind == Kind::unset) return value.type.empty() ? "0" : value.type + "{}";
  const std::string digits = std::to_string(value.number);
  if (value.type == "bool") return value.number != 0 ? "true" : "false";
  if (value.type == "unsigned") return digits + "u";
  if (value.type == "int") return value.number < 0 ? "(" + digits + ")" : digits;
  if (value.type == "long long") return value.number < 0 ? "(" + digits + "ll)" : digits + "ll";
  return "static_cast<" + value.type + ">(" + digits + ")";
}

std::string ValueWriter::pointer(RowValueId base, bool is_closed) {
  const RowValue& value = values_.at(base);
  if (value.kind == Kind::name) return value.text;
  if (value.kind != Kind::pointer_cast) {
    failed_ = true;
    return "nullptr";
  }
  const std::string index = is_closed ? closed(value.parts[1]) : of(value.parts[1]);
  return joined({"reinterpret_cast<", value.type, ">(", pointer(value.parts[0], is_closed), " + ",
                 index, ")"});
}

std::string ValueWriter::expression(RowValueId id, bool is_closed) {
  const RowValue& value = values_.at(id);
  const auto part = [&](std::size_t i) {
    return is_closed ? closed(value.parts[i]) : of(value.parts[i]);
  };
  switch (value.kind) {
    case Kind::operation: {
      if (value.parts.size() == 1) return joined({"(", value.text, part(0), ")"});
      const bool is_short = value.text == "&&" || value.text == "||";
      const std::string left = part(0);
      const std::string right = is_short ? closed(value.parts[1]) : part(1);
      return joined({"(", left, " ", value.text, " ", right, ")"});
    }
    case Kind::choice: {
      const std::string condition = part(0);
      return joined(
          {"(", condition, " ? ", closed(value.parts[1]), " : ", closed(value.parts[2]), ")"});
    }
    case Kind::cast: return joined({"static_cast<", value.type, ">(", part(0), ")"});
    case Kind::field: return part(0) + "." + value.text;
    case Kind::load: {
      const std::string index = part(1);
      return joined({pointer(value.parts[0], is_closed), "[", index, "]"});
    }
    case Kind::place: {
      const std::string index = part(1);
      return joined({"(", pointer(value.parts[0], is_closed), " + ", index, ")"});
    }
    case Kind::call:
    case Kind::vector: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < value.parts.size(); ++i) parts.push_back(part(i));
      const std::string name = value.kind == Kind::call ? value.text : "make_" + value.type;
      return joined({name, "(", join_text(parts, ", "), ")"});
    }
    default: break;
  }
  failed_ = true;
  return "0";
}

}  // namespace warpmind::agents::builtin
