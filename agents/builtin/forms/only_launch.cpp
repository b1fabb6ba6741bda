#include "agents/builtin/forms/only_launch.h"

#include "agents/builtin/loops/scene_loops.h"

#include <string_view>

namespace warpmind::agents::builtin {

Result<OnlyLaunch> only_launch(const Scene& scene, const Function& function) {
  constexpr std::int64_t kMostThreads = 1024;
  if (auto why = reason_not_to_edit(scene.source(), function); !why.empty()) {
    return fail(Errc::not_found, std::move(why));
  }
  const auto running = launches_running(scene, function);
  if (running.size() != 1) return fail(Errc::not_found, "it is launched several times");
  const auto block = fixed_block(scene, function);
  if (!block) return fail(Errc::not_found, "it is launched with blocks of several sizes");
  OnlyLaunch found{running.front(), *block};
  if (std::int64_t{found.block[0]} * found.block[1] * found.block[2] > kMostThreads) {
    return fail(Errc::not_found, "its blocks are too large");
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::string blocks = scene.plan().launches[found.launch].grid.at(axis);
    for (std::size_t i = 0; i < 3; ++i) {
      blocks = with_number(blocks, std::string("block_") + "xyz"[i], found.block.at(i));
    }
    found.grid.at(axis) = std::move(blocks);
  }
  return found;
}

std::string rows_of_grid(std::int64_t rows_a_block, const std::array<std::string, 3>& grid) {
  std::string plan = std::to_string(rows_a_block);
  for (const auto& blocks : grid) {
    if (blocks != "1") plan += " * (" + blocks + ")";
  }
  return plan;
}

std::string obstacle_to_positions(const SyntaxTree& tree, const Function& function) {
  if (tree.text(function.body).find("wm_problem_") != std::string_view::npos) {
    return "it is written around a skill already";
  }
  for (const NodeId define : tree.descendants(tree.root(), "preproc_def")) {
    for (const std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
      if (tree.text(define).find(name) != std::string_view::npos) {
        return "a macro reads " + std::string(name);
      }
    }
  }
  return {};
}

}  // namespace warpmind::agents::builtin
