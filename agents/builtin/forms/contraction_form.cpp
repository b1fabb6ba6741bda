#include "agents/builtin/forms/contraction_form.h"

#include "agents/builtin/contraction/lift_text.h"
#include "agents/builtin/contraction/tile_choice.h"
#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/technique.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 5> kElements{"half", "__half", "__nv_bfloat16",
                                                    "nv_bfloat16", "float"};

/// One name for each type, whatever the kernel calls it.
std::string plain_name(const std::string& element) {
  if (element == "half") return "__half";
  if (element == "nv_bfloat16") return "__nv_bfloat16";
  return element;
}

std::string reason_against(const Scene& scene, const Contraction& found) {
  if (auto why = reason_not_to_tile(scene, found, kElements); !why.empty()) return why;
  if (const auto name = reserved_name_used(scene, found); !name.empty()) {
    return "'" + name + "' of the file would be hidden by a member of the problem";
  }
  return {};
}

/// "f * g" in the language of launch plans; empty when a factor cannot be said there.
std::string plan_depth(const Scene& scene, const Contraction& found) {
  const UniformExpressions expressions(scene, *found.function, found.launches);
  std::string text;
  for (const auto& trips : found.trips) {
    const auto one = expressions.plan_text(trips);
    if (!one) return {};
    text += (text.empty() ? "" : " * ") + ("(" + *one + ")");
  }
  return text.empty() ? "1" : text;
}

/// One thread an output, as far as the finder can tell.
double given_nanoseconds(const Scene& scene, const Contraction& found, std::size_t timed) {
  const DeviceSpec& device = scene.context().device;
  const double flops_a_ns =
      register_template().rates(device).serial * std::max(device.sm_count, 1) / 1000;
  double sum = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(timed, 1) && i < found.rows.size(); ++i) {
    sum += 1000 * kLaunchMicroseconds +
           2.0 * static_cast<double>(found.rows[i]) * static_cast<double>(found.columns[i]) *
               static_cast<double>(found.depth[i]) * static_cast<double>(found.batches[i]) /
               std::max(flops_a_ns, 1.0);
  }
  return sum;
}

std::string summary_of(const NormalForm& form, const Contraction& found) {
  const auto side = [&](std::size_t which) {
    const ContractionSide& one = found.sides.at(which);
    return std::string(which == 0 ? "left" : "right") +
           (one.along_depth ? " along the depth"
            : which == 0    ? " along rows"
                            : " along columns") +
           (one.is_even ? "" : ", unevenly spaced");
  };
  return "contraction of " + form.types.at("element") +
         ", rows=" + std::to_string(found.rows.front()) +
         ", columns=" + std::to_string(found.columns.front()) +
         ", depth=" + std::to_string(found.depth.front()) +
         ", batches=" + std::to_string(found.batches.front()) + ", " + side(0) + ", " + side(1);
}

NormalForm form_of(const Scene& scene, const Contraction& found) {
  NormalForm form;
  form.kind = FormKind::contraction;
  form.launches = {found.launch};
  form.kernel = found.function->name;
  for (const auto& launch : found.launches) {
    form.workloads.push_back(launch.workload);
    if (launch.timed) ++form.timed;
  }
  for (const auto& one : found.function->parameters) {
    form.parameters.push_back(one.type + " " + one.name);
  }
  const Launch& launch = scene.plan().launches[found.launch];
  form.arguments = launch.arguments;
  for (const auto& axis : found.outputs.axes) {
    if (!axis.grid_dimension) continue;
    form.parameters.push_back("unsigned " + axis.extent);
    form.arguments.push_back("u32:" + launch.grid.at(*axis.grid_dimension));
  }
  const ProblemText problem = problem_text(scene, found);
  form.problem = problem.definition;
  form.types["element"] = plain_name(found.sides[0].element);
  if (!problem.output.empty()) form.types["output"] = plain_name(problem.output);
  form.facts = {{"rows", found.plan_rows, found.rows},
                {"columns", found.plan_columns, found.columns},
                {"batches", found.plan_batches, found.batches},
                {"depth", plan_depth(scene, found), found.depth}};
  const auto fact = [&](const char* name, bool value) {
    form.facts.push_back(
        {name, value ? "1" : "0", std::vector<std::int64_t>(found.launches.size(), value)});
  };
  const auto& [left, right] = found.sides;
  fact("is_plain_left", left.is_even && left.is_contiguous);
  fact("is_plain_right", right.is_even && right.is_contiguous);
  fact("is_left_contiguous", left.is_contiguous);
  fact("is_right_contiguous", right.is_contiguous);
  fact("left_along_depth", left.along_depth);
  fact("right_along_depth", right.along_depth);
  fact("is_wide", !problem.output.empty());
  fact("is_output_even", problem.is_output_even);
  fact("is_bfloat16", form.types["element"] == "__nv_bfloat16");
  fact("is_tf32_allowed", scene.context().task.contract.tf32_allowed);
  form.given_ns = given_nanoseconds(scene, found, form.timed);
  form.summary = summary_of(form, found);
  return form;
}

}  // namespace

Result<std::vector<NormalForm>> find_contraction_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  std::optional<Error> first;
  for (const std::size_t launch : launches_by_time(scene)) {
    const auto found = find_contraction(scene, launch);
    std::string why = found ? reason_against(scene, *found) : found.error().message;
    if (why.empty()) {
      forms.push_back(form_of(scene, *found));
    } else if (!first) {
      first = Error{Errc::not_found, std::move(why)};
    }
  }
  if (!forms.empty()) return forms;
  if (!first) return fail(Errc::not_found, kNoLaunch);
  return tl::unexpected(*first);
}

}  // namespace warpmind::agents::builtin
