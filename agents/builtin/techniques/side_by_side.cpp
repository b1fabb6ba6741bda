/// \file
/// Blocks that walk down one column each become one block of a few columns side by side, so that
/// its loads are whole sectors.

#include "agents/builtin/techniques/side_by_side.h"

#include "agents/builtin/loops/column_blocks.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/virtual_thread.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr std::string_view kAxisNames = "xyz";
constexpr std::int64_t kStaticSharedLimit = 49152;  // bytes that need no attribute

std::string refusal_of(const Scene& scene, const KernelBody& body, const ColumnBlocks& blocks) {
  const Function& function = body.function();
  const std::string name = "'" + function.name + "'";
  for (const std::string_view own : {"wm_column", "wm_columns", "wm_place", "wm_lane"}) {
    if (!scene.tree().uses(function.node, own).empty()) return name + " is mapped already";
  }
  if (!blocks.refusal.empty()) return name + ": " + blocks.refusal;
  if (scene.context().task.contract.tolerance == ToleranceClass::exact) {
    return name + ": the contract asks for exact sums";
  }
  return {};
}

std::string columns_text(std::int64_t columns) { return std::to_string(columns) + "u"; }

void move_names(const SyntaxTree& tree, const KernelBody& body, const ColumnBlocks& blocks,
                const ColumnTile& tile, std::vector<TextEdit>& edits) {
  const std::string block = std::string("blockIdx.") + kAxisNames[blocks.axis];
  for (const NodeId field : tree.descendants(body.function().body, "field_expression")) {
    const auto text = tree.plain_text(field);
    std::string instead;
    if (text == "threadIdx.x") instead = "threadIdx.y";
    if (text == "blockDim.x") instead = columns_text(tile.lanes);
    if (text == block) instead = "wm_column";
    if (!instead.empty()) edits.push_back({tree.node(field).range, std::move(instead)});
  }
}

/// Every column gets its own elements, those of neighbours side by side.
void widen_shared(const SyntaxTree& tree, const KernelBody& body, const ColumnBlocks& blocks,
                  const ColumnTile& tile, std::vector<TextEdit>& edits) {
  const std::string columns = columns_text(tile.columns);
  for (const auto& shared : blocks.shared) {
    const std::size_t name_end = tree.node(shared.local->identifier).range.end;
    if (!shared.local->is_array) {
      edits.push_back({{name_end, name_end}, "[" + columns + "]"});
    } else if (shared.size != kNoNode) {
      const Range size = tree.node(shared.size).range;
      edits.push_back({{size.begin, size.begin}, "("});
      edits.push_back({{size.end, size.end}, ") * " + columns});
    }
    for (const NodeId use : body.uses_of(*shared.local, body.function().body)) {
      const std::size_t end = tree.node(use).range.end;
      if (!shared.local->is_array) {
        edits.push_back({{end, end}, "[threadIdx.x]"});
        continue;
      }
      for (const auto& access : body.accesses()) {
        if (access.index == kNoNode || tree.node(use).parent != access.node) continue;
        const Range index = tree.node(access.index).range;
        edits.push_back({{index.begin, index.begin}, "("});
        edits.push_back({{index.end, index.end}, ") * " + columns + " + threadIdx.x"});
        break;
      }
    }
  }
}

void mask_stores(const SyntaxTree& tree, const ColumnBlocks& blocks, std::vector<TextEdit>& edits) {
  for (const NodeId statement : blocks.stores) {
    const Range range = tree.node(statement).range;
    const bool braces = !tree.is(tree.node(statement).parent, "compound_statement");
    const std::string open = braces ? "{ " : "";
    edits.push_back({{range.begin, range.begin}, open + "if (wm_place < wm_columns) "});
    if (braces) edits.push_back({{range.end, range.end}, " }"});
  }
}

std::optional<Kernel> side_by_side(const Scene& scene, const KernelBody& body,
                                   const ColumnBlocks& blocks, const ColumnTile& tile) {
  const Function& function = body.function();
  const SyntaxTree& tree = scene.tree();
  const auto given = *fixed_block(scene, function);
  if (tile.lanes > given[0] || (blocks.keeps_threads && tile.lanes != given[0])) {
    return std::nullopt;
  }
  const auto bytes = shared_bytes_of(scene, body, blocks);
  if (!bytes || *bytes * tile.columns > kStaticSharedLimit) return std::nullopt;
  const std::string axis(1, kAxisNames[blocks.axis]);
  std::vector<TextEdit> edits;
  const std::size_t list_end = tree.node(function.parameter_list).range.end - 1;
  edits.push_back({{list_end, list_end}, ", int wm_columns"});
  const std::size_t begin = tree.node(function.body).range.begin + 1;
  edits.push_back(
      {{begin, begin},
       "\n  // " + std::to_string(tile.columns) +
           " blocks of the given kernel side by side; what is too many repeats the last "
           "one.\n  const int wm_place = blockIdx." +
           axis + " * " + columns_text(tile.columns) +
           " + threadIdx.x;\n  const int wm_column = min(wm_place, wm_columns - 1);"});
  mask_stores(tree, blocks, edits);
  move_names(tree, body, blocks, tile, edits);
  widen_shared(tree, body, blocks, tile, edits);
  drop_launch_bounds(body, edits);
  Kernel kernel = with_edits(scene, std::move(edits));
  constexpr std::array<std::string_view, 3> kBlockNames{"block_x", "block_y", "block_z"};
  for (const std::size_t index : launches_running(scene, function)) {
    Launch& launch = kernel.plan.launches[index];
    const auto with_given = [&](std::string text) {
      for (std::size_t i = 0; i < 3; ++i) text = with_number(text, kBlockNames[i], given[i]);
      return text;
    };
    for (auto& extent : launch.grid) extent = with_given(extent);
    launch.arguments.push_back("i32:" + launch.grid[blocks.axis]);
    launch.grid[blocks.axis] = divided_text(launch.grid[blocks.axis], tile.columns);
    launch.block = {std::to_string(tile.columns), std::to_string(tile.lanes), "1"};
    if (launch.shared_bytes != "0") {
      launch.shared_bytes =
          "(" + with_given(launch.shared_bytes) + ") * " + std::to_string(tile.columns);
    }
  }
  if (!plan_fits(scene, kernel.plan)) return std::nullopt;
  return kernel;
}

/// A load of a warp met a sector a thread; threads without an element wait at the barriers.
double gain_of(const Scene& scene, const KernelBody& body, const ColumnBlocks& blocks,
               const ColumnTile& tile) {
  const double bytes = blocks.element_bytes;
  const double used = std::min(1.0, static_cast<double>(tile.columns) * bytes / 32.0);
  const auto length = static_cast<double>(blocks.length);
  const auto given = static_cast<double>((*fixed_block(scene, body.function()))[0]);
  const double busy = std::min(1.0, length / given);
  const double kept = std::min(1.0, length / static_cast<double>(tile.lanes));
  const double long_columns = length > 64 * static_cast<double>(tile.lanes) ? 0.8 : 1.0;
  return std::clamp(used * 32.0 / bytes * std::sqrt(kept / busy) * long_columns, 0.8, 40.0);
}

template <class Use>
std::string for_each_column_kernel(const Scene& scene, Use use) {
  return for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    auto why = reason_not_to_edit(scene.source(), function);
    if (!why.empty()) return why;
    const KernelBody body(scene.source(), function);
    const ColumnBlocks blocks = find_column_blocks(scene, body);
    why = refusal_of(scene, body, blocks);
    if (why.empty()) use(body, blocks, launch);
    return why;
  });
}

}  // namespace

Offer offer_side_by_side(const Scene& scene, const std::vector<ColumnTile>& tiles) {
  std::vector<Move> moves;
  std::string none;
  auto refusal = for_each_column_kernel(scene, [&](const KernelBody& body,
                                                   const ColumnBlocks& blocks, std::size_t launch) {
    none = "'" + body.function().name + "': no tile fits its threads and shared memory";
    for (const ColumnTile& tile : tiles) {
      if (!side_by_side(scene, body, blocks, tile)) continue;
      moves.push_back({"coalesced_mapping",
                       "kernel=" + body.function().name + ";columns=" +
                           std::to_string(tile.columns) + ";lanes=" + std::to_string(tile.lanes),
                       scene.plan_gain(launch, gain_of(scene, body, blocks, tile))});
    }
  });
  return best_first(std::move(moves), none.empty() ? std::move(refusal) : std::move(none));
}

std::optional<Kernel> apply_side_by_side(const Scene& scene, const std::optional<std::string>& name,
                                         const ColumnTile& tile) {
  std::optional<Kernel> kernel;
  for_each_column_kernel(
      scene, [&](const KernelBody& body, const ColumnBlocks& blocks, std::size_t /*launch*/) {
        if (name && *name != body.function().name) return;
        if (!kernel) kernel = side_by_side(scene, body, blocks, tile);
      });
  return kernel;
}

}  // namespace warpmind::agents::builtin
