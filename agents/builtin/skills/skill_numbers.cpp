#include "agents/builtin/skills/skill_numbers.h"

#include "agents/builtin/loops/kernel_body.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kFunctions{"ceil_div", "min", "max", "next_pow2"};
constexpr int kDeepest = 32;  ///< a [let] that names itself ends there
constexpr std::int64_t kKib = 1024;
constexpr double kBytesPerMib = 1024.0 * 1024.0;

/// What a skill may ask of a device, under the names that docs/skills.md lists.
Sizes device_numbers(const DeviceSpec& device) {
  const auto at_least = [](double value, std::int64_t fallback) {
    return value >= 1 ? static_cast<std::int64_t>(std::llround(value)) : fallback;
  };
  // A device that says nothing counts as a small one of today.
  return {{"sm_count", at_least(device.sm_count, 64)},
          {"bandwidth_gbs", at_least(device.memory_bandwidth_gb_s, 500)},
          {"l2_bytes", at_least(device.l2_mib * kBytesPerMib, 4 * kKib * kKib)},
          {"shared_bytes_per_block", at_least(device.shared_kib_per_block, 99) * kKib},
          {"shared_bytes_per_sm", at_least(device.shared_kib_per_sm, 100) * kKib},
          {"threads_per_sm", at_least(device.threads_per_sm, 1536)},
          {"fp32_gflops", at_least(device.fp32_tflops * 1000, 10000)},
          {"fp64_gflops", at_least(device.fp64_tflops * 1000, 500)},
          {"tensor_gflops", at_least(device.fp16_tensor_tflops * 1000, 50000)},
          {"capability", device.compute_major * 10 + device.compute_minor}};
}

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

}  // namespace

std::vector<std::string> device_number_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : device_numbers({})) names.push_back(name);
  return names;
}

SkillNumbers::SkillNumbers(const Skill& skill, const NormalForm& form, const DeviceSpec& device,
                           const SkillValues& values)
    : skill_(skill), form_(form), fixed_(device_numbers(device)) {
  for (const auto& [name, type] : form.types) {
    if (const int bytes = size_of_type(type); bytes > 0) fixed_["bytes_" + name] = bytes;
  }
  for (const auto& [name, value] : values) fixed_[name] = value;
  for (std::size_t i = 0; i < form.workloads.size(); ++i) {
    Sizes names = fixed_;
    for (const FormFact& fact : form.facts) {
      if (i < fact.values.size()) names[fact.name] = fact.values[i];
    }
    for (const auto& [name, expression] : skill.let) {
      const auto value = evaluate(expression, names);
      if (value) {
        names[name] = *value;
      } else if (error_.empty()) {
        error_ = "[let] " + name + ": " + value.error().message;
      }
    }
    names_.push_back(std::move(names));
  }
}

Result<std::int64_t> SkillNumbers::number(const std::string& expression,
                                          std::size_t workload) const {
  if (!error_.empty()) return fail(Errc::invalid_argument, error_);
  return evaluate(expression, names_.at(workload));
}

Result<std::int64_t> SkillNumbers::constant(const std::string& expression) const {
  std::optional<std::int64_t> common;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    WARPMIND_TRY(const auto value, number(expression, i));
    if (common && *common != value) {
      return fail(Errc::invalid_argument,
                  "'" + expression + "' must be the same in every workload");
    }
    common = value;
  }
  if (!common) return fail(Errc::invalid_argument, "the form was found in no workload");
  return *common;
}

Result<std::string> SkillNumbers::plan_text(const std::string& expression) const {
  return plan_text(expression, 0);
}

Result<std::string> SkillNumbers::plan_text(const std::string& expression, int depth) const {
  if (depth > kDeepest) {
    return fail(Errc::invalid_argument, "'" + expression + "' is defined by itself");
  }
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    if (!is_name_start(expression[at])) {
      text += expression[at++];
      continue;
    }
    std::size_t end = at;
    while (end < expression.size() && is_name_part(expression[end])) ++end;
    const std::string name = expression.substr(at, end - at);
    at = end;
    const auto let = std::find_if(skill_.let.begin(), skill_.let.end(),
                                  [&](const auto& one) { return one.first == name; });
    if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) {
      text += std::to_string(fixed->second);
    } else if (std::find(kFunctions.begin(), kFunctions.end(), name) != kFunctions.end()) {
      text += name;
    } else if (const FormFact* fact = form_.fact(name)) {
      if (fact->plan.empty()) {
        return fail(Errc::invalid_argument,
                    "'" + name + "' is only known for the choice, not for launches");
      }
      text.append("(").append(fact->plan).append(")");
    } else if (let != skill_.let.end()) {
      WARPMIND_TRY(const auto inner, plan_text(let->second, depth + 1));
      text.append("(").append(inner).append(")");
    } else {
      std::string why = "'";
      why.append(expression).append("' names '").append(name);
      why.append("', which is neither a fact of the form ").append(name_of(form_.kind));
      return fail(Errc::invalid_argument, why.append(" nor a parameter nor in [let]"));
    }
  }
  return text;
}

}  // namespace warpmind::agents::builtin
