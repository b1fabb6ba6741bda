#pragma once
/// \file
/// Prompts as text files with typed slots (config/prompts/*.md, docs/writing.md). A slot is
/// `{{name|type}}`; its type says how the value is written, so that a file cannot turn quoted data
/// into plain instructions.

#include "base/enum_names.h"
#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warpmind::config {

enum class SlotType {
  text,  ///< as it is: written by us
  line,  ///< one line: line ends and control characters become spaces
  code,  ///< in a fence ```cuda that the value cannot close
  data,  ///< in a fence ```data that the value cannot close: quoted, never followed
};

}  // namespace warpmind::config

namespace warpmind {
WARPMIND_ENUM_NAMES(config::SlotType, {config::SlotType::text, "text"},
                    {config::SlotType::line, "line"}, {config::SlotType::code, "code"},
                    {config::SlotType::data, "data"});
}  // namespace warpmind

namespace warpmind::config {

struct SlotValue {
  SlotType type = SlotType::text;
  std::string value;
  bool operator==(const SlotValue&) const = default;
};

using SlotTypes = std::map<std::string, SlotType, std::less<>>;
using SlotValues = std::map<std::string, SlotValue, std::less<>>;

class PromptTemplate {
 public:
  /// `name` is for messages. Errors: invalid_argument as `name:line: …` for a slot that is not
  /// closed, has no type or an unknown one, or two types.
  [[nodiscard]] static Result<PromptTemplate> parse(std::string_view text, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const SlotTypes& slots() const { return slots_; }

  /// The same values give the same text. Errors: invalid_argument naming a slot of the template
  /// that has no value, a value that no slot takes, or one of another type.
  [[nodiscard]] Result<std::string> render(const SlotValues& values) const;

 private:
  struct Slot {
    std::string name;
    SlotType type = SlotType::text;
  };
  using Part = std::variant<std::string, Slot>;

  PromptTemplate() = default;

  std::string name_;
  std::vector<Part> parts_;
  SlotTypes slots_;
};

/// `value` as a slot of this type is written.
[[nodiscard]] std::string written_as(SlotType type, std::string_view value);

}  // namespace warpmind::config
