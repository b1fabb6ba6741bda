#pragma once
/// \file
/// A skill: knowledge that can be applied. Which normal form it takes, what it needs, device code
/// with slots, launches, and what it costs; data, read from a folder (docs/skills.md).

#include "agents/builtin/forms/normal_form.h"
#include "base/expression.h"
#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// `[[parameter]]`: what may be chosen.
struct SkillParameter {
  std::string name;
  std::vector<std::int64_t> values;
};

/// `[[require]]`: an expression over facts and parameters, and what it must be in every timed
/// workload. What must hold at every size belongs into the template.
struct SkillRequirement {
  std::string that;
  std::optional<std::int64_t> at_least, at_most, equals;
  std::string otherwise;  ///< one clause without a full stop
};

/// `[[scratch]]`: memory between the launches.
struct SkillScratch {
  std::string name;
  std::string dtype;  ///< "u32", or "type:value" for a type of the form
  std::string elements;
  bool zeroed = false;
};

/// `[[launch]]`: a kernel that calls `entry<problem, template arguments…>(problem, scratch…)`.
struct SkillLaunch {
  std::string entry;
  std::array<std::string, 3> grid{"1", "1", "1"};
  std::string threads;                    ///< of a block, along x; of parameters alone
  std::string blocks_per_multiprocessor;  ///< that registers must leave room for; may be empty
  std::string shared_bytes = "0";
  std::vector<std::string> template_arguments;  ///< "threads", "type:value", expressions
  std::vector<std::string> scratch;             ///< names, in the order of the entry's parameters
  std::vector<std::string> sizes;               ///< expressions that the entry takes as `unsigned`
  bool cooperative = false;
};

struct Skill {
  std::string name;
  FormKind form = FormKind::pointwise;
  std::string summary;  ///< why it can help: one clause without a full stop
  std::string origin;   ///< who made it, and from what
  std::string licence;  ///< SPDX
  std::int64_t least_capability = 70, most_capability = 999;  ///< 90 = 9.0
  std::vector<std::string> build_flags;
  std::map<std::string, std::vector<std::string>, std::less<>> types;  ///< "value" → allowed
  std::vector<SkillParameter> parameters;
  /// Names for expressions over facts, parameters, device numbers and earlier names.
  std::vector<std::pair<std::string, std::string>> let;
  std::vector<SkillRequirement> requirements;
  std::vector<SkillScratch> scratch;
  std::vector<SkillLaunch> launches;
  std::string nanoseconds;  ///< expected of all launches together, an expression
  std::string toml;         ///< skill.toml
  std::string device_code;  ///< template.cuh
  std::string notes;        ///< notes.md
};

/// The files of a skill's folder. Errors: invalid_argument as `file:line:column: what; how`.
[[nodiscard]] Result<Skill> parse_skill(std::string_view toml, std::string_view device_code,
                                        std::string_view notes, std::string_view file);

/// Functions and types that its device code defines, without members: "wm_sum_rows".
[[nodiscard]] Result<std::vector<std::string>> own_names(const Skill& skill);

}  // namespace warpmind::agents::builtin
