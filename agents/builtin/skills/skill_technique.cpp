#include "agents/builtin/skills/skill_technique.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/skills/skill_choice.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Of one form; the search asks for more when these were tried.
constexpr std::size_t kMostMoves = 4;
/// Of a form whose given time nobody knows: for the order of a list that nothing was measured for.
constexpr double kUnknownGain = 4;

/// What the given launches may take where each thread goes over its share of the terms, one behind
/// the other; over all timed workloads. 0: the form does not count terms.
double given_nanoseconds(const Scene& scene, const NormalForm& form) {
  constexpr double kTermNs = 36;  ///< of a thread alone on an H200
  constexpr double kBytesATerm = 8;
  constexpr double kAnyBandwidth = 500;
  if (form.fact("rows") == nullptr || form.fact("length") == nullptr) return 0;
  const double bandwidth = std::max(scene.context().device.memory_bandwidth_gb_s, kAnyBandwidth);
  double sum = 0;
  for (const std::size_t index : form.launches) {
    const auto launches = scene.launches_of(index);
    for (std::size_t at = 0; at < form.timed && at < launches.size(); ++at) {
      const double terms = static_cast<double>(form.fact("rows")->values[at]) *
                           static_cast<double>(form.fact("length")->values[at]);
      const auto threads = static_cast<double>(std::max<std::int64_t>(launches[at].threads(), 1));
      sum += std::max(terms / threads * kTermNs, terms * kBytesATerm / bandwidth);
    }
  }
  return sum;
}

double plan_gain_of(const Scene& scene, const SkillChoice& choice) {
  const NormalForm& form = *choice.form;
  const auto timed = static_cast<double>(std::max<std::size_t>(form.timed, 1));
  double guess = form.given_ns > 0 ? form.given_ns : given_nanoseconds(scene, form);
  if (guess <= 0) guess = choice.nanoseconds * kUnknownGain;
  return scene.plan_gain_by_time(form.launches, guess / timed, choice.nanoseconds / timed);
}

std::string move_parameters(const SkillChoice& choice) {
  const std::string values = choice.parameters();
  return "kernel=" + choice.form->kernel + (values.empty() ? "" : ";" + values);
}

Offer offer_skill(const Scene& scene, const Skill& skill) {
  SkillChoices choices = choices_of(scene, skill);
  std::vector<Move> moves;
  std::map<const NormalForm*, std::size_t> offered;
  for (const SkillChoice& choice : choices.all) {
    if (offered[choice.form] == kMostMoves) continue;
    if (const auto kernel = apply_skill(scene, skill, choice); !kernel) {
      if (choices.refusal.empty()) choices.refusal = kernel.error().message;
      continue;
    }
    ++offered[choice.form];
    moves.push_back({skill.name, move_parameters(choice), plan_gain_of(scene, choice)});
  }
  return best_first(std::move(moves), std::move(choices.refusal));
}

bool names_choice(std::string_view parameters, const SkillChoice& choice) {
  const auto kernel = parameter_text(parameters, "kernel");
  if (kernel && *kernel != choice.form->kernel) return false;
  return std::all_of(choice.values.begin(), choice.values.end(), [&](const auto& value) {
    return parameter_number(parameters, value.first) == value.second;
  });
}

std::optional<Kernel> apply_named(const Scene& scene, const Skill& skill,
                                  std::string_view parameters) {
  const SkillChoices choices = choices_of(scene, skill);
  for (const SkillChoice& choice : choices.all) {
    if (!names_choice(parameters, choice)) continue;
    auto kernel = apply_skill(scene, skill, choice);
    if (!kernel) return std::nullopt;
    return std::move(*kernel);
  }
  return std::nullopt;
}

}  // namespace

std::string parameter_ranges(const Skill& skill) {
  return join_text(skill.parameters, ";", [](const SkillParameter& parameter) {
    std::vector<std::string> values;
    for (const std::int64_t value : parameter.values) values.push_back(std::to_string(value));
    return parameter.name + "=" + join_choices(values);
  });
}

Technique technique_of(const std::shared_ptr<const Skill>& skill) {
  Technique technique;
  technique.name = skill->name;
  technique.rationale = skill->summary;
  technique.parameters = parameter_ranges(*skill);
  technique.writes_anew = true;
  technique.offer = [skill](const Scene& scene) { return offer_skill(scene, *skill); };
  technique.apply = [skill](const Scene& scene, std::string_view parameters) {
    return apply_named(scene, *skill, parameters);
  };
  return technique;
}

}  // namespace warpmind::agents::builtin
