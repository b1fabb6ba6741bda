#pragma once
/// \file
/// Which ways there are to apply a skill to a scene, what each is expected to take, and the kernel.

#include "agents/builtin/skills/skill.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

/// A form of the scene and a value for each parameter of the skill.
struct SkillChoice {
  const NormalForm* form = nullptr;  ///< of find_forms(scene)
  std::vector<std::pair<std::string, std::int64_t>> values;
  double nanoseconds = 0;  ///< of its launches, over all timed workloads

  /// "threads=256;items=8".
  [[nodiscard]] std::string parameters() const;
};

struct SkillChoices {
  std::vector<SkillChoice> all;  ///< the fastest first
  std::string refusal;           ///< one clause, when there is none
};

/// Every choice that the skill's requirements and the device allow.
[[nodiscard]] SkillChoices choices_of(const Scene& scene, const Skill& skill);

/// The kernel with the skill's launches in place of the form's. Errors: not_found or
/// invalid_argument where a name is taken, or a launch cannot be said in the plan or asks for too
/// much.
[[nodiscard]] Result<Kernel> apply_skill(const Scene& scene, const Skill& skill,
                                         const SkillChoice& choice);

}  // namespace warpmind::agents::builtin
