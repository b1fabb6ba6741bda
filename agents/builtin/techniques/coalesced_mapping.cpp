/// \file
/// A thread that walks down a column becomes several, which share the column's elements: blocks are
/// a few columns wide, so that their loads are whole sectors, and many lanes high.

#include "agents/builtin/loops/keyed_extremes.h"
#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/loop_split.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/virtual_thread.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/techniques/side_by_side.h"
#include "agents/builtin/templates/device_templates.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

using Tile = ColumnTile;
constexpr std::array<Tile, 8> kTiles{
    {{8, 32}, {8, 64}, {8, 128}, {16, 32}, {16, 64}, {32, 8}, {32, 16}, {32, 32}}};

bool same_tile(const Tile& a, const Tile& b) {
  return a.columns == b.columns && a.lanes == b.lanes;
}

std::string refusal_to_map(const Scene& scene, const KernelBody& body, const LoopSplit& split) {
  const Function& function = body.function();
  const std::string name = "'" + function.name + "'";
  if (!fixed_block(scene, function)) return name + " is launched with blocks of several sizes";
  if (!scene.tree().uses(function.body, "wm_lane").empty()) {
    return name + " is shared by lanes already";
  }
  if (!split.refusal.empty()) return name + ": " + split.refusal;
  const CountedLoop& loop = split.facts.header;
  const bool across = std::any_of(
      split.facts.loads.begin(), split.facts.loads.end(), [&](const MemoryAccess* load) {
        if (load->index == kNoNode || !scene.tree().contains(loop.body, load->node)) return false;
        if (coefficient(body, load->index, *loop.variable, loop.node) == 0) return false;
        return typical_thread_stride(scene, function, *load) == 1;
      });
  if (!across) return name + ": neighbouring threads do not read neighbouring elements";
  for (const std::string_view axis : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
    for (const NodeId use : scene.tree().uses(function.body, axis)) {
      if (!scene.tree().is(scene.tree().node(use).parent, "field_expression")) {
        return name + ": it passes " + std::string(axis) + " on";
      }
    }
  }
  return {};
}

/// Threads wait for memory: the time falls with their number until the device is full.
double gain_of_tile(const Scene& scene, const KernelBody& body, const LoopSplit& split,
                    const Tile& tile) {
  const auto trips = static_cast<double>(
      typical_trips(scene, body.function(), split.facts.header.node).value_or(64));
  const auto threads = static_cast<double>(typical_threads(scene, body.function()));
  const double full = std::max(1, scene.context().device.sm_count) * 2048.0;
  const auto lanes = static_cast<double>(tile.lanes);
  if (trips < 2 * lanes) return 0.8;
  const double before = std::min(1.0, threads / full);
  const double after = std::min(1.0, threads * lanes / full);
  const double waste = trips < 8 * lanes ? 0.9 : 1.0;  // combining costs as much as summing
  return std::min(std::pow(after / before, 0.8), 30.0) * waste * (tile.columns < 16 ? 0.98 : 1.0);
}

std::string parts_text(const LoopSplit& split, bool with_types, const std::string& mark) {
  std::string text;
  for (std::size_t i = 0; i < split.facts.reductions.size(); ++i) {
    const auto& type = split.facts.reductions[i].variable->type;
    text += ", " + (with_types ? type + mark : std::string()) + "wm_part_" + std::to_string(i + 1);
  }
  return text;
}

/// The kernel's own body: the lanes' parts meet in shared memory.
std::string meeting_body(const KernelBody& body, const LoopSplit& split, const Tile& tile) {
  const std::string columns = std::to_string(tile.columns);
  const std::string lanes = std::to_string(tile.lanes);
  const std::string arguments = argument_names(body.function());
  const std::string sep = arguments.empty() ? "" : ", ";
  std::string text =
      "\n  // " + columns + " threads of the given kernel, each shared by " + lanes + " lanes.\n";
  text += "  const int wm_lane = threadIdx.y;\n";
  text += "  const unsigned wm_group = blockIdx.x * " + columns + "u + threadIdx.x;\n";
  std::string halves;
  std::string results;
  for (std::size_t i = 0; i < split.facts.reductions.size(); ++i) {
    const auto& reduction = split.facts.reductions[i];
    const std::string n = std::to_string(i + 1);
    text += "  " + reduction.variable->type + " wm_part_" + n + " = 0;\n";
    text += joined({"  __shared__ ", reduction.variable->type, " wm_parts_", n, "[", lanes, "][",
                    columns, "];\n"});
    const std::string own = "wm_parts_" + n + "[wm_lane][threadIdx.x]";
    halves += joined({"      ", own, " = ", combiner_of(reduction.how), "::of(", own, ", wm_parts_",
                      n, "[wm_lane + wm_half][threadIdx.x]);\n"});
    results += ", wm_parts_" + n + "[0][threadIdx.x]";
  }
  text += "  wm_part_of_" + body.function().name + "(" + arguments + sep + "wm_group, wm_lane" +
          parts_text(split, false, "") + ");\n";
  for (std::size_t i = 0; i < split.facts.reductions.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    text += joined({"  wm_parts_", n, "[wm_lane][threadIdx.x] = wm_part_", n, ";\n"});
  }
  text += "  __syncthreads();\n";
  text += "  for (int wm_half = " + std::to_string(tile.lanes / 2) +
          "; wm_half > 0; wm_half /= 2) {\n    if (wm_lane < wm_half) {\n" + halves +
          "    }\n    __syncthreads();\n  }\n";
  text += "  if (wm_lane == 0) wm_rest_of_" + body.function().name + "(" + arguments + sep +
          "wm_group" + results + ");\n";
  return text;
}

std::optional<Kernel> mapped(const Scene& scene, const KernelBody& body, const LoopSplit& split,
                             const Tile& tile) {
  const Function& function = body.function();
  const SyntaxTree& tree = scene.tree();
  const Regrouping regrouping{*fixed_block(scene, function), tile.columns};
  if (regrouping.given_threads() % tile.columns != 0) return std::nullopt;
  const VirtualThread thread = virtual_thread(body, regrouping);
  std::string written;
  std::string instead;
  for (std::size_t i = 0; i < split.facts.reductions.size(); ++i) {
    const auto& reduction = split.facts.reductions[i];
    const std::string part = "wm_part_" + std::to_string(i + 1);
    written += "  " + part + " = " + reduction.variable->name + ";\n";
    instead += (i > 0 ? "\n  " : "") + reduction.variable->name + " = " +
               std::string(combiner_of(reduction.how)) + "::of(" + reduction.variable->name + ", " +
               part + ");";
  }
  const std::string parameters = parameter_text_of(body);
  const std::string sep = parameters.find_first_not_of(" \n") == std::string::npos ? "" : ", ";
  const std::string head = "static __device__ __forceinline__ void wm_";
  std::string functions = head + "part_of_" + function.name + "(" + parameters + sep +
                          "unsigned wm_group, int wm_lane" + parts_text(split, true, "& ") +
                          ") {\n" + thread.declarations +
                          part_body(body, split, "wm_lane", tile.lanes, written, thread.edits) +
                          "}\n\n";
  functions += head + "rest_of_" + function.name + "(" + parameters + sep + "unsigned wm_group" +
               parts_text(split, true, " ") + ") {\n" + thread.declarations +
               rest_body(body, split, instead, thread.edits) + "}\n\n";
  const std::size_t place = syntax::place_above(body.tree(), body.function());
  const Range inside{tree.node(function.body).range.begin + 1,
                     tree.node(function.body).range.end - 1};
  std::vector<TextEdit> edits;
  if (auto paste = paste_template(tree, "lanes")) edits.push_back(std::move(*paste));
  edits.push_back({{place, place}, std::move(functions)});
  edits.push_back({inside, meeting_body(body, split, tile)});
  drop_launch_bounds(body, edits);
  Kernel kernel = with_edits(scene, std::move(edits));
  for (const std::size_t index : launches_running(scene, function)) {
    kernel.plan.launches[index] = regrouped_launch(
        scene.plan().launches[index], regrouping,
        {static_cast<std::uint32_t>(tile.columns), static_cast<std::uint32_t>(tile.lanes), 1});
  }
  if (!plan_fits(scene, kernel.plan)) return std::nullopt;
  return kernel;
}

Offer offer_coalesced_mapping_as_given(const Scene& scene) {
  std::vector<Move> moves;
  auto refusal =
      for_each_loop_split(scene, refusal_to_map,
                          [&](const KernelBody& body, const LoopSplit& split, std::size_t launch) {
                            for (const Tile& tile : kTiles) {
                              if (!mapped(scene, body, split, tile)) continue;
                              const double gain = gain_of_tile(scene, body, split, tile);
                              moves.push_back({"coalesced_mapping",
                                               "kernel=" + body.function().name +
                                                   ";columns=" + std::to_string(tile.columns) +
                                                   ";lanes=" + std::to_string(tile.lanes),
                                               scene.plan_gain(launch, gain)});
                            }
                          });
  auto blocks = offer_side_by_side(scene, {kTiles.begin(), kTiles.end()});
  moves.insert(moves.end(), blocks.moves.begin(), blocks.moves.end());
  if (!blocks.refusal.empty() && blocks.refusal != refusal) refusal += "; " + blocks.refusal;
  return best_first(std::move(moves), std::move(refusal));
}

std::optional<Kernel> apply_coalesced_mapping_as_given(const Scene& scene,
                                                       std::string_view parameters) {
  const auto name = parameter_text(parameters, "kernel");
  const Tile wanted{parameter_number(parameters, "columns").value_or(0),
                    parameter_number(parameters, "lanes").value_or(0)};
  if (std::none_of(kTiles.begin(), kTiles.end(),
                   [&](const Tile& tile) { return same_tile(tile, wanted); })) {
    return std::nullopt;
  }
  std::optional<Kernel> kernel;
  for_each_loop_split(scene, refusal_to_map,
                      [&](const KernelBody& body, const LoopSplit& split, std::size_t) {
                        if (name && *name != body.function().name) return;
                        if (!kernel) kernel = mapped(scene, body, split, wanted);
                      });
  return kernel ? kernel : apply_side_by_side(scene, name, wanted);
}

Offer offer_coalesced_mapping(const Scene& scene) {
  return offer_also_keyed(scene, offer_coalesced_mapping_as_given);
}

std::optional<Kernel> apply_coalesced_mapping(const Scene& scene, std::string_view parameters) {
  return apply_also_keyed(scene, parameters, apply_coalesced_mapping_as_given);
}

}  // namespace

Technique coalesced_mapping_technique() {
  return {"coalesced_mapping",
          "lanes of a block that share a column keep more loads in flight, and a few columns side "
          "by side still make whole sectors",
          "kernel=NAME;columns=8, 16 or 32;lanes=8 … 128", offer_coalesced_mapping,
          apply_coalesced_mapping};
}

}  // namespace warpmind::agents::builtin
