#pragma once
/// \file
/// Tests of a skill that need no compiler of ours: a .cu file whose first comment says the task, as
/// task.toml does, and what is expected (docs/skills.md).

#include "agents/builtin/skills/skill.h"
#include "base/model/task.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

struct SkillTest {
  std::string name;     ///< of the file
  bool applies = true;  ///< else refused
  std::string refusal;  ///< a part of the reason that is expected
  Task task;            ///< the given kernel is its reference
};

/// Errors: invalid_argument as `file:line:column: what; how`.
[[nodiscard]] Result<SkillTest> read_skill_test(std::string_view text, std::string_view file);

/// What a skill does to the task of one of its tests.
struct SkillTestRun {
  std::string complaint;  ///< one sentence; empty: as expected, as far as no kernel was run
  std::vector<std::pair<std::string, Kernel>> kernels;  ///< by parameters, the fastest first
};

/// `reason` of a kernel that the skill wrote, with places in template.cuh instead of those in
/// `source` that its text stands at: "kernel.cu(40)" and "line 40".
[[nodiscard]] std::string with_template_lines(const std::string& reason, const std::string& source,
                                              const Skill& skill);

/// On the device `device`. Where the test expects that the skill applies, `kernels` are what must
/// compute what the given kernel does.
[[nodiscard]] SkillTestRun try_skill(const Skill& skill, const SkillTest& test,
                                     const DeviceSpec& device);

}  // namespace warpmind::agents::builtin
