#include "agents/builtin/contraction/contraction_text.h"

#include "agents/builtin/contraction/lift_text.h"
#include "agents/builtin/technique.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

namespace warpmind::agents::builtin {
namespace {

/// `__launch_bounds__(…)` in place of the one that is there.
TextEdit bounds_edit(const SyntaxTree& tree, const Function& function,
                     const ContractionTile& tile) {
  const std::string text = " __launch_bounds__(" + std::to_string(tile.threads) + ", " +
                           std::to_string(tile.blocks_per_multiprocessor) + ")";
  const std::size_t end = tree.node(function.name_node).range.begin;
  const std::size_t old =
      tree.source().find("__launch_bounds__", tree.node(function.node).range.begin);
  if (old == std::string::npos || old >= end) {
    return {{function.attribute_end, function.attribute_end}, text};
  }
  std::size_t at = tree.source().find('(', old);
  int depth = 0;
  for (; at < end; ++at) {
    if (tree.source()[at] == '(') ++depth;
    if (tree.source()[at] == ')' && --depth == 0) break;
  }
  return {{old, at + 1}, text.substr(1)};
}

}  // namespace

std::string reason_not_to_lift(const Scene& scene, const Contraction& contraction) {
  for (const auto& scratch : scene.plan().scratch) {
    if (scratch.name == "wm_parts") return "the plan has parts of sums already";
  }
  return lift_left_out(scene, contraction);
}

namespace {

/// Parameters that say what only the grid said: ", unsigned wm_layers_z".
std::string added_parameters(const Contraction& contraction) {
  std::string text;
  for (const auto& axis : contraction.outputs.axes) {
    if (axis.grid_dimension) text += ", unsigned " + axis.extent;
  }
  return text;
}
void add_arguments(const Contraction& contraction, Launch& launch) {
  for (const auto& axis : contraction.outputs.axes) {
    if (!axis.grid_dimension) continue;
    launch.arguments.push_back("u32:" + launch.grid.at(*axis.grid_dimension));
  }
}

/// What the template needs of the build and of the launch that calls it.
void prepare(Kernel& kernel, Launch& launch, const ContractionTile& tile) {
  auto& flags = kernel.build_flags;
  if (!tile.build_flag.empty() && !contains(flags, tile.build_flag)) {
    flags.push_back(tile.build_flag);
  }
  launch.block = {std::to_string(tile.threads), "1", "1"};
  launch.shared_bytes = std::to_string(tile.shared_bytes);
}

void paste_templates(const SyntaxTree& tree, const ContractionTile& tile,
                     std::vector<TextEdit>& edits) {
  std::vector<std::string_view> names{"virtual_threads", "tile_outputs"};
  names.insert(names.end(), tile.templates.begin(), tile.templates.end());
  for (const std::string_view name : names) {
    if (auto paste = paste_template(tree, name)) edits.push_back(std::move(*paste));
  }
}

std::string across_of_plan(const Contraction& contraction, const ContractionTile& tile) {
  if (tile.tall == 0) return divided_text(contraction.plan_columns, tile.columns);
  const auto& extents = contraction.plan_column_extents;
  std::string boxes = divided_text(extents[0], tile.wide);
  if (extents.size() > 1) boxes += " * " + divided_text(extents[1], tile.tall);
  for (std::size_t i = 2; i < extents.size(); ++i) boxes += " * " + extents[i];
  return divided_text(boxes, tile.repeat);
}

std::string tiles_of_plan(const Contraction& contraction, const ContractionTile& tile) {
  return across_of_plan(contraction, tile) + " * ceil_div(" + contraction.plan_rows + ", " +
         std::to_string(tile.rows) + ") * (" + contraction.plan_batches + ")";
}

/// The kernel with another body.
Kernel with_body(const Scene& scene, const Contraction& contraction, const ContractionTile& tile,
                 std::string body) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  paste_templates(tree, tile, edits);
  edits.push_back(bounds_edit(tree, *contraction.function, tile));
  const std::size_t end = tree.node(contraction.function->parameter_list).range.end - 1;
  edits.push_back({{end, end}, added_parameters(contraction)});
  edits.push_back({tree.node(contraction.function->body).range, std::move(body)});
  Kernel kernel = with_edits(scene, std::move(edits));
  Launch& launch = kernel.plan.launches[contraction.launch];
  add_arguments(contraction, launch);
  launch.grid = {tiles_of_plan(contraction, tile), "1", "1"};
  prepare(kernel, launch, tile);
  return kernel;
}

}  // namespace

Kernel lifted_kernel(const Scene& scene, const Contraction& contraction,
                     const ContractionTile& tile) {
  return with_body(scene, contraction, tile, lifted_body(scene, contraction, tile));
}

Kernel gathered_kernel(const Scene& scene, const SeparableTerms& terms,
                       const ContractionTile& tile) {
  return with_body(scene, terms.contraction, tile, gathered_body(scene, terms, tile));
}

Kernel split_kernel(const Scene& scene, const Contraction& contraction, const ContractionTile& tile,
                    int splits) {
  const SyntaxTree& tree = scene.tree();
  const Function& function = *contraction.function;
  PartTexts texts = part_texts(scene, contraction, tile);
  const std::string name = "wm_parts_of_" + function.name;
  const Range list = tree.node(function.parameter_list).range;
  const std::string parameters = tree.source().substr(list.begin + 1, list.end - list.begin - 2);
  const std::string added = added_parameters(contraction);
  std::vector<TextEdit> edits;
  paste_templates(tree, tile, edits);
  NodeId whole = function.node;
  if (tree.is(tree.node(whole).parent, "linkage_specification")) whole = tree.node(whole).parent;
  edits.push_back(
      {{tree.node(whole).range.begin, tree.node(whole).range.begin},
       "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(tile.threads) + ", " +
           std::to_string(tile.blocks_per_multiprocessor) + ") " + name + "(" + parameters + added +
           ", float* wm_parts, unsigned wm_part_count) " + texts.body + "\n\n"});
  edits.push_back(
      {{list.end - 1, list.end - 1}, added + ", const float* wm_parts, unsigned wm_part_count"});
  for (auto& edit : texts.sum_of_parts) edits.push_back(std::move(edit));
  Kernel kernel = with_edits(scene, std::move(edits));
  auto& plan = kernel.plan;
  const std::string outputs = "(" + contraction.plan_rows + ") * (" + contraction.plan_columns +
                              ") * (" + contraction.plan_batches + ")";
  plan.scratch.push_back({"wm_parts", Dtype::f32, std::to_string(splits) + " * " + outputs, false});
  Launch first = plan.launches[contraction.launch];
  add_arguments(contraction, first);
  first.arguments.emplace_back("wm_parts");
  first.arguments.push_back("u32:" + std::to_string(splits));
  plan.launches[contraction.launch].arguments = first.arguments;
  first.kernel = name;
  first.grid = {tiles_of_plan(contraction, tile) + " * " + std::to_string(splits), "1", "1"};
  prepare(kernel, first, tile);
  plan.launches.insert(plan.launches.begin() + static_cast<std::ptrdiff_t>(contraction.launch),
                       std::move(first));
  return kernel;
}

}  // namespace warpmind::agents::builtin
