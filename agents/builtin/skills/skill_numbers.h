#pragma once
/// \file
/// The expressions of a skill: as numbers in one workload, and as text for launch plans.

#include "agents/builtin/skills/skill.h"
#include "base/model/device.h"

#include <string>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

/// "sm_count", …: what expressions may ask of a device.
[[nodiscard]] std::vector<std::string> device_number_names();

using SkillValues = std::vector<std::pair<std::string, std::int64_t>>;

/// One form, one device, one value for each parameter. All must outlive it.
class SkillNumbers {
 public:
  SkillNumbers(const Skill& skill, const NormalForm& form, const DeviceSpec& device,
               const SkillValues& values);

  /// In workload `workload` of the form. Errors: invalid_argument that names the expression.
  [[nodiscard]] Result<std::int64_t> number(const std::string& expression,
                                            std::size_t workload) const;
  /// The number that it is in every workload. Errors: also when it differs.
  [[nodiscard]] Result<std::int64_t> constant(const std::string& expression) const;
  /// With facts as the plan has them and everything else as numbers. Errors: invalid_argument for a
  /// fact that no plan can say, and for unknown names.
  [[nodiscard]] Result<std::string> plan_text(const std::string& expression) const;

 private:
  [[nodiscard]] Result<std::string> plan_text(const std::string& expression, int depth) const;

  const Skill& skill_;
  const NormalForm& form_;
  Sizes fixed_;  ///< parameters, the device, sizes of types
  std::vector<Sizes> names_;
  std::string error_;  ///< of [let], by the first workload that has one
};

}  // namespace warpmind::agents::builtin
