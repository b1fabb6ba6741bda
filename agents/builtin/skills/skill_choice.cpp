#include "agents/builtin/skills/skill_choice.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/skills/skill_numbers.h"
#include "agents/builtin/techniques/split_passes.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostChoices = 4096;  ///< of parameters; a skill with more says too much

/// C++ and plan type of a scratch buffer.
struct ScratchType {
  std::string code;
  Dtype plan = Dtype::u8;
};

std::optional<ScratchType> scratch_type(const NormalForm& form, const std::string& dtype) {
  if (dtype == "u64") return ScratchType{"unsigned long long", Dtype::i64};
  if (dtype.starts_with("type:")) {
    const auto type = form.types.find(dtype.substr(5));
    if (type == form.types.end()) return std::nullopt;
    const auto plan = scratch_dtype(type->second);
    return plan ? std::optional(ScratchType{type->second, *plan}) : std::nullopt;
  }
  const auto plan = parse_enum<Dtype>(dtype);
  if (!plan) return std::nullopt;
  switch (*plan) {
    case Dtype::f16: return ScratchType{"__half", *plan};
    case Dtype::bf16: return ScratchType{"__nv_bfloat16", *plan};
    case Dtype::f32: return ScratchType{"float", *plan};
    case Dtype::f64: return ScratchType{"double", *plan};
    case Dtype::i8: return ScratchType{"signed char", *plan};
    case Dtype::u8: return ScratchType{"unsigned char", *plan};
    case Dtype::i32: return ScratchType{"int", *plan};
    case Dtype::u32: return ScratchType{"unsigned", *plan};
    case Dtype::i64: return ScratchType{"long long", *plan};
  }
  return std::nullopt;
}

/// Why the skill is not for that device or that form whatever its parameters, or empty.
std::string refusal_of(const Scene& scene, const Skill& skill, const NormalForm& form) {
  const DeviceSpec& device = scene.context().device;
  const std::int64_t capability = device.compute_major * 10 + device.compute_minor;
  if (capability != 0 && capability < skill.least_capability) {
    return "it needs compute capability " + std::to_string(skill.least_capability / 10) + "." +
           std::to_string(skill.least_capability % 10);
  }
  if (capability > skill.most_capability) {
    return "it is for devices up to compute capability " +
           std::to_string(skill.most_capability / 10) + "." +
           std::to_string(skill.most_capability % 10);
  }
  for (const auto& [name, allowed] : skill.types) {
    const auto type = form.types.find(name);
    if (type == form.types.end()) return "the form has no type '" + name + "'";
    if (!contains(allowed, type->second)) {
      return "its " + name + " is " + type->second + ", not " + join_choices(allowed);
    }
  }
  for (const auto& flag : skill.build_flags) {
    if (!flag.starts_with("-arch=")) continue;
    for (const auto& present : scene.kernel().build_flags) {
      if (present.starts_with("-arch=") && present != flag) {
        return "the kernel is built with " + present;
      }
    }
  }
  return {};
}

bool meets(const SkillRequirement& requirement, std::int64_t value) {
  return (!requirement.at_least || value >= *requirement.at_least) &&
         (!requirement.at_most || value <= *requirement.at_most) &&
         (!requirement.equals || value == *requirement.equals);
}

/// Every combination of the parameters' values.
std::vector<SkillValues> combinations(const Skill& skill) {
  std::vector<SkillValues> all{{}};
  for (const SkillParameter& parameter : skill.parameters) {
    std::vector<SkillValues> longer;
    for (const auto& begun : all) {
      for (const std::int64_t value : parameter.values) {
        longer.push_back(begun);
        longer.back().emplace_back(parameter.name, value);
      }
    }
    if (longer.size() > kMostChoices) return {};
    all = std::move(longer);
  }
  return all;
}

/// What its launches take in all timed workloads. Errors: not_found with the clause of a
/// requirement that is not met; invalid_argument for an expression that has no value.
Result<double> expected_nanoseconds(const Skill& skill, const NormalForm& form,
                                    const SkillNumbers& numbers) {
  double sum = 0;
  const std::size_t considered = std::max<std::size_t>(form.timed, 1);
  for (std::size_t i = 0; i < considered && i < form.workloads.size(); ++i) {
    for (const auto& requirement : skill.requirements) {
      WARPMIND_TRY(const auto value, numbers.number(requirement.that, i));
      if (!meets(requirement, value)) return fail(Errc::not_found, requirement.otherwise);
    }
    WARPMIND_TRY(const auto nanoseconds, numbers.number(skill.nanoseconds, i));
    if (nanoseconds < 1) {
      return fail(Errc::invalid_argument, "[cost] nanoseconds is " + std::to_string(nanoseconds) +
                                              " in '" + form.workloads[i] +
                                              "'; a launch alone takes about 2000");
    }
    sum += static_cast<double>(nanoseconds);
  }
  return sum;
}

/// The name that a declaration "const float* x" declares.
std::string declared_name(std::string_view declaration) {
  std::size_t begin = declaration.size();
  while (begin > 0) {
    const char c = declaration[begin - 1];
    const bool is_part =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_part) break;
    --begin;
  }
  return std::string(declaration.substr(begin));
}

/// Writes the kernel of one choice.
class SkillWriter {
 public:
  SkillWriter(const Scene& scene, const Skill& skill, const SkillChoice& choice)
      : scene_(scene),
        skill_(skill),
        form_(*choice.form),
        numbers_(skill, form_, scene.context().device, choice.values) {}

  Result<Kernel> write() {
    WARPMIND_CHECK(write_scratch());
    for (std::size_t i = 0; i < skill_.launches.size(); ++i) WARPMIND_CHECK(write_launch(i));
    std::vector<TextEdit> edits;
    if (auto paste = paste_device_code(scene_.tree(), skill_.device_code)) {
      edits.push_back(std::move(*paste));
    }
    const Function* last = nullptr;
    for (const std::size_t index : form_.launches) {
      const Function* function = scene_.function_of(index);
      if (function == nullptr) return fail(Errc::not_found, "a kernel is not defined once");
      if (last == nullptr || last->node < function->node) last = function;
    }
    if (last == nullptr) return fail(Errc::not_found, "the form has no launch");
    const std::size_t place = syntax::place_above(scene_.tree(), *last);
    edits.push_back({{place, place}, form_.problem + "\n\n" + kernels_});
    remove_given(edits);
    Kernel kernel = with_edits(scene_, std::move(edits));
    replace_launches(kernel.plan);
    for (const auto& flag : skill_.build_flags) append_unique(kernel.build_flags, flag);
    return kernel;
  }

 private:
  Result<void> write_scratch() {
    for (const SkillScratch& one : skill_.scratch) {
      const auto type = scratch_type(form_, one.dtype);
      if (!type) return fail(Errc::not_found, "no buffer holds the type of '" + one.name + "'");
      std::string name = "wm_" + one.name;
      const auto taken = [&] {
        const auto& known = scene_.plan().scratch;
        return std::any_of(known.begin(), known.end(),
                           [&](const ScratchBuffer& buffer) { return buffer.name == name; });
      };
      for (int number = 2; taken(); ++number) name = "wm_" + one.name + std::to_string(number);
      WARPMIND_TRY(const auto elements, numbers_.plan_text(one.elements));
      scratch_.push_back({name, type->plan, elements, one.zeroed});
      scratch_types_.push_back(type->code);
    }
    return {};
  }

  [[nodiscard]] std::size_t scratch_named(const std::string& name) const {
    std::size_t i = 0;
    while (skill_.scratch[i].name != name) ++i;
    return i;
  }

  Result<void> write_launch(std::size_t number) {
    const SkillLaunch& given = skill_.launches[number];
    Launch launch;
    launch.kernel = form_.kernel + "_" + skill_.name;
    if (number > 0) launch.kernel += "_" + std::to_string(number + 1);
    if (scene_.tree().source().find(launch.kernel) != std::string::npos) {
      return fail(Errc::not_found, "'" + launch.kernel + "' is there already");
    }
    launch.cooperative = given.cooperative;
    launch.arguments = form_.arguments;
    std::vector<std::string> parameters = form_.parameters;
    std::vector<std::string> passed{"wm_problem"};
    for (const auto& name : given.scratch) {
      const std::size_t which = scratch_named(name);
      launch.arguments.push_back(scratch_[which].name);
      parameters.push_back(scratch_types_[which] + "* wm_" + name);
      passed.push_back("wm_" + name);
    }
    for (std::size_t i = 0; i < given.sizes.size(); ++i) {
      WARPMIND_TRY(const auto text, numbers_.plan_text(given.sizes[i]));
      const std::string name = "wm_size_" + std::to_string(i + 1);
      launch.arguments.push_back("u32:" + text);
      parameters.push_back("unsigned " + name);
      passed.push_back(name);
    }
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
      WARPMIND_TRY(launch.grid.at(i), numbers_.plan_text(given.grid.at(i)));
    }
    WARPMIND_TRY(const auto threads, numbers_.constant(given.threads));
    launch.block = {std::to_string(threads), "1", "1"};
    WARPMIND_TRY(launch.shared_bytes, numbers_.plan_text(given.shared_bytes));
    std::string bounds = std::to_string(threads);
    if (!given.blocks_per_multiprocessor.empty()) {
      WARPMIND_TRY(const auto blocks, numbers_.constant(given.blocks_per_multiprocessor));
      bounds += ", " + std::to_string(blocks);
    }
    WARPMIND_TRY(const auto arguments, template_arguments(given));
    kernels_ += "extern \"C\" __global__ void __launch_bounds__(" + bounds + ") " + launch.kernel +
                "(" + join_text(parameters, ", ") + ") {\n  const " + problem_name() +
                " wm_problem{" + join_text(problem_members(), ", ") + "};\n  " + given.entry + "<" +
                arguments + ">(" + join_text(passed, ", ") + ");\n}\n\n";
    launches_.push_back(std::move(launch));
    return {};
  }

  [[nodiscard]] std::string problem_name() const { return "wm_problem_" + form_.kernel; }

  [[nodiscard]] std::vector<std::string> problem_members() const {
    std::vector<std::string> names;
    for (const auto& parameter : form_.parameters) names.push_back(declared_name(parameter));
    return names;
  }

  [[nodiscard]] Result<std::string> template_arguments(const SkillLaunch& launch) const {
    std::string text = problem_name();
    for (const auto& argument : launch.template_arguments) {
      if (argument.starts_with("type:")) {
        const auto type = form_.types.find(argument.substr(5));
        if (type == form_.types.end()) {
          return fail(Errc::invalid_argument, "the form has no " + argument);
        }
        text += ", " + type->second;
        continue;
      }
      WARPMIND_TRY(const auto number, numbers_.constant(argument));
      text += ", " + std::to_string(number);
    }
    return text;
  }

  /// Kernels that no launch runs any more; host code may still name them, then they stay.
  void remove_given(std::vector<TextEdit>& edits) const {
    std::set<std::string> removed;
    const auto& all = scene_.plan().launches;
    for (const std::size_t index : form_.launches) {
      const std::string& name = all[index].kernel;
      bool is_used = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        is_used = is_used || (all[i].kernel == name && !contains(form_.launches, i));
      }
      for (const auto& launch : scene_.source().launches) {
        is_used = is_used || launch.kernel == name;
      }
      if (!is_used && removed.insert(name).second) {
        edits.push_back(syntax::without_function(scene_.tree(), *scene_.function_of(index)));
      }
    }
  }

  void replace_launches(LaunchPlan& plan) {
    plan.scratch.insert(plan.scratch.end(), scratch_.begin(), scratch_.end());
    std::vector<Launch> kept;
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      if (i == form_.launches.front()) {
        kept.insert(kept.end(), launches_.begin(), launches_.end());
      }
      if (!contains(form_.launches, i)) kept.push_back(plan.launches[i]);
    }
    plan.launches = std::move(kept);
    drop_unused_scratch(plan);
  }

  static void drop_unused_scratch(LaunchPlan& plan) {
    std::erase_if(plan.scratch, [&](const ScratchBuffer& buffer) {
      return std::none_of(plan.launches.begin(), plan.launches.end(), [&](const Launch& launch) {
        return contains(launch.arguments, buffer.name);
      });
    });
  }

  const Scene& scene_;
  const Skill& skill_;
  const NormalForm& form_;
  SkillNumbers numbers_;
  std::vector<ScratchBuffer> scratch_;
  std::vector<std::string> scratch_types_;
  std::vector<Launch> launches_;
  std::string kernels_;
};

}  // namespace

std::string SkillChoice::parameters() const {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ";") + name + "=" + std::to_string(value);
  }
  return text;
}

SkillChoices choices_of(const Scene& scene, const Skill& skill) {
  SkillChoices choices;
  for (const FormFinding& finding : find_forms(scene)) {
    if (finding.kind != skill.form) continue;
    choices.refusal = finding.refusal;
    for (const NormalForm& form : finding.forms) {
      if (auto why = refusal_of(scene, skill, form); !why.empty()) {
        choices.refusal = "'" + form.kernel + "': " + why;
        continue;
      }
      for (auto& values : combinations(skill)) {
        const SkillNumbers numbers(skill, form, scene.context().device, values);
        const auto nanoseconds = expected_nanoseconds(skill, form, numbers);
        if (!nanoseconds) {
          choices.refusal = "'" + form.kernel + "': " + nanoseconds.error().message;
          continue;
        }
        choices.all.push_back({&form, std::move(values), *nanoseconds});
      }
    }
  }
  if (choices.all.empty() && choices.refusal.empty()) {
    choices.refusal = "nothing here is a " + std::string(name_of(skill.form));
  }
  std::stable_sort(
      choices.all.begin(), choices.all.end(),
      [](const SkillChoice& a, const SkillChoice& b) { return a.nanoseconds < b.nanoseconds; });
  return choices;
}

Result<Kernel> apply_skill(const Scene& scene, const Skill& skill, const SkillChoice& choice) {
  WARPMIND_TRY(auto kernel, SkillWriter(scene, skill, choice).write());
  WARPMIND_CHECK(check_plan(scene, kernel.plan));
  return kernel;
}

}  // namespace warpmind::agents::builtin
