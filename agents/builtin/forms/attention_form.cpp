#include "agents/builtin/forms/attention_form.h"

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/forms/attention_kernel.h"
#include "agents/builtin/forms/attention_text.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/probe/kernel_prober.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

/// One launch of the plan, read as attention.
class FormWriter {
 public:
  FormWriter(const Scene& scene, std::size_t launch)
      : scene_(scene), launch_(launch), launches_(scene.launches_of(launch)) {}

  Result<NormalForm> write() {
    const Function* function = scene_.function_of(launch_);
    if (function == nullptr) return in_the_way("the launched kernel is not defined once");
    if (auto why = reason_not_to_edit(scene_.source(), *function); !why.empty()) {
      return in_the_way(why);
    }
    const auto block = fixed_block(scene_, *function);
    if (launches_.empty() || !block)
      return in_the_way("it is launched with blocks of several sizes");
    const KernelBody body(scene_.source(), *function);
    WARPMIND_TRY(const auto kernel, read_attention(body));
    WARPMIND_TRY(const auto types, attention_types(body, kernel));
    WARPMIND_CHECK(check_buffers(body, kernel));
    grid_.block = *block;
    grid_.is_per_thread = kernel.keys.step == kNoNode;
    if (grid_.is_per_thread && ((*block)[1] != 1 || (*block)[2] != 1)) {
      return in_the_way("its blocks are not one thread deep");
    }
    order_axes(body, kernel);
    NormalForm form;
    form.kind = FormKind::attention;
    form.launches = {launch_};
    form.kernel = function->name;
    WARPMIND_TRY(form.problem, attention_problem(body, kernel, grid_, types));
    form.types = {{"element", types.element}, {"output", types.output}};
    for (const auto& one : launches_) {
      form.workloads.push_back(one.workload);
      form.timed += one.timed ? 1 : 0;
    }
    name_parameters(*function, form);
    WARPMIND_CHECK(add_facts(body, kernel, form));
    form.summary = "attention of " + types.element + "; queries=" + first_of(form, "queries") +
                   ", keys=" + first_of(form, "length") + ", dim=" + first_of(form, "dim") +
                   (kernel.seen.empty() ? "" : ", masked");
    return form;
  }

 private:
  /// Nothing that is read may be written by the same launch.
  Result<void> check_buffers(const KernelBody& body, const AttentionKernel& kernel) const {
    const auto buffer = buffer_names(scene_, body.function());
    const NodeId left = body.tree().bare(body.tree().field(kernel.store, "left"));
    std::string output;
    for (const auto& access : body.accesses()) {
      if (access.node == left) output = access.root;
    }
    for (const auto& access : body.accesses()) {
      if (!access.is_load || access.is_shared || access.is_private) continue;
      if (access.root.empty() || buffer(access.root) == buffer(output)) {
        return in_the_way("'" + output + "' may be read by the same launch");
      }
    }
    return {};
  }

  /// The axis along which queries share their keys first; of several the longest.
  void order_axes(const KernelBody& body, const AttentionKernel& kernel) {
    if (grid_.is_per_thread) return;
    const auto decides = axes_of_keys(body, kernel);
    const auto& shape = launches_.front().shape.grid;
    std::size_t first = 0;
    std::uint32_t longest = 0;
    for (std::size_t axis = 0; axis < decides.size(); ++axis) {
      if (decides.at(axis) || shape.at(axis) <= longest) continue;
      longest = shape.at(axis);
      first = axis;
    }
    grid_.order = {first, (first + 1) % 3, (first + 2) % 3};
    if (grid_.order[1] > grid_.order[2]) std::swap(grid_.order[1], grid_.order[2]);
  }

  /// Blocks of the given launch along an axis, without the names of its block.
  [[nodiscard]] std::string blocks(std::size_t axis) const {
    std::string text = scene_.plan().launches[launch_].grid.at(axis);
    for (std::size_t i = 0; i < 3; ++i) {
      text = with_number(text, std::string("block_") + "xyz"[i], grid_.block.at(i));
    }
    return text;
  }
  /// Queries along an axis of the grid.
  [[nodiscard]] std::string extent(std::size_t axis) const {
    if (!grid_.is_per_thread || axis != 0) return "(" + blocks(axis) + ")";
    return "((" + blocks(axis) + ") * " + std::to_string(grid_.block[0]) + ")";
  }
  [[nodiscard]] std::int64_t extent(const SceneLaunch& launch, std::size_t axis) const {
    return std::int64_t{launch.shape.grid.at(axis)} *
           (grid_.is_per_thread && axis == 0 ? grid_.block[0] : 1);
  }

  void name_parameters(const Function& function, NormalForm& form) const {
    const auto& arguments = scene_.plan().launches[launch_].arguments;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      form.parameters.push_back(function.parameters[i].type + " " + function.parameters[i].name);
      form.arguments.push_back(arguments.at(i));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      form.parameters.push_back("unsigned " + grid_name(axis));
      form.arguments.push_back("u32:" + blocks(axis));
    }
  }

  Result<void> add_facts(const KernelBody& body, const AttentionKernel& kernel, NormalForm& form) {
    FormFact queries{"queries", extent(0) + " * " + extent(1) + " * " + extent(2), {}};
    FormFact group{"group", extent(grid_.order[0]), {}};
    FormFact groups{"groups", extent(grid_.order[1]) + " * " + extent(grid_.order[2]), {}};
    const UniformExpressions expressions(scene_, body.function(), launches_);
    FormFact dim{"dim", {}, {}};
    if (const auto text = expressions.closed_text(kernel.dot.bound)) {
      dim.plan = expressions.plan_text(*text).value_or("");
      dim.values = expressions.values(*text).value_or(std::vector<std::int64_t>{});
    }
    if (dim.values.size() != launches_.size()) {
      return in_the_way("the length of a row is not known");
    }
    FormFact length{"length", {}, {}};
    FormFact is_even{"is_even", {}, {}};
    FormFact is_masked{"is_masked", {}, {}};
    FormFact sees_alike{"groups_see_alike", {}, {}};
    const bool alike = groups_see_alike(body, kernel, grid_);
    const bool even = has_even_rows(body, kernel);
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const SceneLaunch& one = launches_[i];
      queries.values.push_back(extent(one, 0) * extent(one, 1) * extent(one, 2));
      group.values.push_back(extent(one, grid_.order[0]));
      groups.values.push_back(extent(one, grid_.order[1]) * extent(one, grid_.order[2]));
      length.values.push_back(keys_of(body, kernel, one, dim.values[i], groups.values[i]));
      is_even.values.push_back(even ? 1 : 0);
      is_masked.values.push_back(kernel.seen.empty() ? 0 : 1);
      sees_alike.values.push_back(alike ? 1 : 0);
    }
    if (const auto text = expressions.matching(length.values, kernel.keys.variable->name)) {
      length.plan = expressions.plan_text(*text).value_or("");
    }
    form.facts = {std::move(queries),   std::move(group),     std::move(groups),
                  std::move(dim),       std::move(length),    std::move(is_even),
                  std::move(is_masked), std::move(sees_alike)};
    return {};
  }

  /// The most keys of a query; where data say it, as many as there are rows for a group.
  [[nodiscard]] std::int64_t keys_of(const KernelBody& body, const AttentionKernel& kernel,
                                     const SceneLaunch& launch, std::int64_t dim,
                                     std::int64_t groups) const {
    const KernelProber prober(scene_.source(), body.function(), launch);
    if (const auto largest = largest_value(prober, kernel.keys.bound)) {
      return std::max<std::int64_t>(*largest + (kernel.keys.is_inclusive ? 1 : 0), 1);
    }
    for (const auto& access : body.accesses()) {
      if (access.node != kernel.key) continue;
      const auto extent = launch.extents.find(access.root);
      if (extent == launch.extents.end()) break;
      return std::max<std::int64_t>(extent->second / std::max<std::int64_t>(dim * groups, 1), 1);
    }
    return 1;
  }

  static std::string first_of(const NormalForm& form, std::string_view name) {
    const FormFact* fact = form.fact(name);
    return fact == nullptr || fact->values.empty() ? "?" : std::to_string(fact->values.front());
  }

  const Scene& scene_;
  std::size_t launch_;
  std::vector<SceneLaunch> launches_;
  AttentionGrid grid_;
};

}  // namespace

Result<std::vector<NormalForm>> find_attention_forms(const Scene& scene) {
  std::vector<NormalForm> found;
  std::string refusal;
  double largest_share = -1;
  for (std::size_t launch = 0; launch < scene.plan().launches.size(); ++launch) {
    auto form = FormWriter(scene, launch).write();
    if (form) {
      found.push_back(std::move(*form));
      continue;
    }
    // The reason of the launch that takes most of the time.
    if (scene.time_share(launch) > largest_share) {
      largest_share = scene.time_share(launch);
      refusal = "'" + scene.plan().launches[launch].kernel + "': " + form.error().message;
    }
  }
  if (!found.empty()) return found;
  return in_the_way(refusal.empty() ? std::string(kNoLaunch) : refusal);
}

}  // namespace warpmind::agents::builtin
