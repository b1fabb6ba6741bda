#include "agents/builtin/loops/virtual_thread.h"

#include "agents/builtin/loops/scene_loops.h"

#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::string_view kAxes = "xyz";

std::string unsigned_text(std::int64_t number) { return std::to_string(number) + "u"; }

/// Value of `thread_<axis>` from the number of the thread in its block.
std::string thread_value(const Regrouping& regrouping, std::size_t axis) {
  const auto& block = regrouping.given_block;
  std::string value = "wm_group % " + unsigned_text(regrouping.given_threads());
  std::int64_t below = 1;
  for (std::size_t i = 0; i < axis; ++i) below *= block[i];
  if (below > 1) value += " / " + unsigned_text(below);
  if (below * block[axis] < regrouping.given_threads()) value += " % " + unsigned_text(block[axis]);
  return value;
}

}  // namespace

VirtualThread virtual_thread(const KernelBody& body, const Regrouping& regrouping) {
  const SyntaxTree& tree = body.tree();
  VirtualThread result;
  std::set<std::string> declared;
  const auto declare = [&](const std::string& name, const std::string& value) {
    if (declared.insert(name).second) {
      result.declarations += "  const unsigned " + name + " = " + value + ";\n";
    }
  };
  for (const NodeId node : tree.descendants(body.function().body, "field_expression")) {
    const auto object = tree.text(tree.field(node, "argument"));
    const auto field = tree.text(tree.field(node, "field"));
    const auto axis = field.size() == 1 ? kAxes.find(field) : std::string_view::npos;
    if (axis == std::string_view::npos) continue;
    std::string text;
    if (object == "threadIdx") {
      text = "wm_thread_" + std::string(field);
      declare(text, thread_value(regrouping, axis));
    } else if (object == "blockDim") {
      text = unsigned_text(regrouping.given_block[axis]);
    } else if (object == "blockIdx" && axis == 0) {
      text = "wm_block_x";
      declare(text, "wm_group / " + unsigned_text(regrouping.given_threads()));
    } else if (object == "gridDim" && axis == 0 && regrouping.factor() > 1) {
      text = "(gridDim.x / " + unsigned_text(regrouping.factor()) + ")";
    } else {
      continue;
    }
    result.edits.push_back({tree.node(node).range, std::move(text)});
  }
  return result;
}

Launch regrouped_launch(const Launch& given, const Regrouping& regrouping,
                        const BlockExtents& block) {
  Launch launch = given;
  static constexpr std::array<std::string_view, 3> kNames{"block_x", "block_y", "block_z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < 3; ++i) {
      launch.grid[axis] = with_number(launch.grid[axis], kNames[i], regrouping.given_block[i]);
    }
    launch.block[axis] = std::to_string(block[axis]);
  }
  if (regrouping.factor() > 1) {
    launch.grid[0] = "(" + launch.grid[0] + ") * " + std::to_string(regrouping.factor());
  }
  return launch;
}

void drop_launch_bounds(const KernelBody& body, std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId node : tree.descendants(body.function().node, "launch_bounds")) {
    if (tree.node(node).range.begin >= tree.node(body.function().body).range.begin) break;
    Range range = tree.node(node).range;
    if (range.begin > 0 && tree.source()[range.begin - 1] == ' ') --range.begin;
    edits.push_back({range, ""});
  }
}

}  // namespace warpmind::agents::builtin
