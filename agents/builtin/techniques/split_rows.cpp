/// \file
/// One long loop a thread becomes the work of several blocks, whose sums a second launch adds up in
/// a fixed order.

#include "agents/builtin/loops/keyed_extremes.h"
#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/loop_split.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/virtual_thread.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/techniques/split_passes.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 5> kParts{4, 8, 16, 32, 64};

std::string refusal_to_split(const Scene& scene, const KernelBody& body, const LoopSplit& split) {
  const Function& function = body.function();
  const std::string name = "'" + function.name + "'";
  const auto running = launches_running(scene, function);
  if (scene.source().kernel(function.name + "_wm_rest") != nullptr ||
      function.name.ends_with("_wm_rest")) {
    return name + " is split already";
  }
  if (!scene.tree().uses(function.body, "wm_lane").empty()) {
    return name + " is shared by lanes already";
  }
  if (running.size() != 1) return name + " is launched several times";
  const auto block = fixed_block(scene, function);
  if (!block) return name + " is launched with blocks of several sizes";
  if (!split.refusal.empty()) return name + ": " + split.refusal;
  for (const auto& reduction : split.facts.reductions) {
    if (!scratch_dtype(reduction.variable->type)) {
      return name + ": no buffer holds a " + reduction.variable->type;
    }
  }
  const Launch& launch = scene.plan().launches[running.front()];
  if (launch.grid[1] != "1" || launch.grid[2] != "1" || (*block)[1] != 1 || (*block)[2] != 1) {
    return name + " is launched over two axes";
  }
  for (const std::string_view axis : {"blockIdx", "gridDim"}) {
    for (const NodeId use : scene.tree().uses(function.body, axis)) {
      if (scene.tree().plain_text(scene.tree().node(use).parent) != std::string(axis) + ".x") {
        return name + " reads " + std::string(axis) + " along y or z";
      }
    }
  }
  return {};
}

double gain_of_parts(const Scene& scene, const KernelBody& body, const LoopSplit& split,
                     std::int64_t parts) {
  const auto threads = static_cast<double>(typical_threads(scene, body.function()));
  const auto trips = static_cast<double>(
      typical_trips(scene, body.function(), split.facts.header.node).value_or(64));
  const auto count = static_cast<double>(parts);
  if (trips < 16 * count) return 0.8;
  const double full = std::max(1, scene.context().device.sm_count) * 2048.0;
  const double before = std::min(1.0, threads / full);
  const double after = std::min(1.0, threads * count / full);
  if (after <= before) return 0.9;
  // The second launch and its trips cost as much as some hundred trips of the first.
  const double faster = std::pow(after / before, 0.8);
  return 1 / (1 / faster + (50 + count) / trips);
}

std::string index_text(const std::string& part) {
  return "(" + part + " * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x";
}

Kernel split_kernel(const Scene& scene, const KernelBody& body, const LoopSplit& split,
                    std::int64_t parts) {
  const Function& function = body.function();
  const SyntaxTree& tree = scene.tree();
  std::string written;
  std::string taken;
  std::string stores;
  std::string loads;
  for (std::size_t i = 0; i < split.facts.reductions.size(); ++i) {
    const auto& reduction = split.facts.reductions[i];
    const std::string& name = reduction.variable->name;
    const std::string buffer = "wm_parts_" + std::to_string(i + 1);
    stores += ", " + reduction.variable->type + "* " + buffer;
    loads += ", const " + reduction.variable->type + "* " + buffer;
    written += joined({"  ", buffer, "[", index_text("blockIdx.y"), "] = ", name, ";\n"});
    taken += joined({"\n    ", name, " = ", combiner_of(reduction.how), "::of(", name, ", ", buffer,
                     "[", index_text("wm_from"), "]);"});
  }
  taken = "\n#pragma unroll 8\n  for (unsigned wm_from = 0; wm_from < " + std::to_string(parts) +
          "u; ++wm_from) {" + taken + "\n  }";
  const std::string parameters = parameter_text_of(body);
  const std::string rest = "extern \"C\" __global__ void " + function.name + "_wm_rest(" +
                           parameters + loads + ") {" + rest_body(body, split, taken, {}) + "}\n\n";
  const Range list = tree.node(function.parameter_list).range;
  const Range inside{tree.node(function.body).range.begin + 1,
                     tree.node(function.body).range.end - 1};
  const std::size_t place = syntax::place_above(body.tree(), body.function());
  std::vector<TextEdit> edits;
  if (auto paste = paste_template(tree, "lanes")) edits.push_back(std::move(*paste));
  edits.push_back({{place, place}, rest});
  edits.push_back({{list.end - 1, list.end - 1}, stores});
  edits.push_back({inside, "\n  // One of " + std::to_string(parts) + " parts of the loop; " +
                               function.name +
                               "_wm_rest adds them up.\n  const int wm_lane = blockIdx.y;" +
                               part_body(body, split, "wm_lane", parts, written, {})});
  return with_edits(scene, std::move(edits));
}

std::optional<Kernel> in_parts(const Scene& scene, const KernelBody& body, const LoopSplit& split,
                               std::int64_t parts) {
  Kernel kernel = split_kernel(scene, body, split, parts);
  const std::size_t index = launches_running(scene, body.function()).front();
  const auto block = *fixed_block(scene, body.function());
  auto& plan = kernel.plan;
  Launch first = plan.launches[index];
  const std::string grid = with_number(first.grid[0], "block_x", block[0]);
  first.grid[1] = std::to_string(parts);
  Launch second = plan.launches[index];
  second.kernel += "_wm_rest";
  for (const auto& reduction : split.facts.reductions) {
    const std::string name = "wm_parts_" + std::to_string(plan.scratch.size() + 1);
    plan.scratch.push_back({name, *scratch_dtype(reduction.variable->type),
                            "(" + grid + ") * " + std::to_string(parts * block[0]), false});
    first.arguments.push_back(name);
    second.arguments.push_back(name);
  }
  plan.launches[index] = std::move(first);
  plan.launches.insert(plan.launches.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                       std::move(second));
  if (!plan_fits(scene, plan)) return std::nullopt;
  return kernel;
}

Offer offer_split_rows_as_given(const Scene& scene) {
  std::vector<Move> moves;
  auto refusal = for_each_loop_split(
      scene, refusal_to_split,
      [&](const KernelBody& body, const LoopSplit& split, std::size_t launch) {
        for (const std::int64_t parts : kParts) {
          if (!in_parts(scene, body, split, parts)) continue;
          const double gain = gain_of_parts(scene, body, split, parts);
          moves.push_back({"split_rows",
                           "kernel=" + body.function().name + ";parts=" + std::to_string(parts),
                           scene.plan_gain(launch, gain)});
        }
      });
  // Blocks that pass over their row several times; what is split above is left out.
  auto passes = offer_split_passes(scene);
  std::set<std::optional<std::string>> known;
  for (const auto& move : moves) known.insert(parameter_text(move.parameters, "kernel"));
  for (auto& move : passes.moves) {
    const auto kernel = parameter_text(move.parameters, "kernel");
    if (!known.contains(kernel)) moves.push_back(std::move(move));
  }
  if (!passes.refusal.empty() && passes.refusal != refusal) refusal += "; " + passes.refusal;
  return best_first(std::move(moves), std::move(refusal));
}

std::optional<Kernel> apply_split_rows_as_given(const Scene& scene, std::string_view parameters) {
  const auto name = parameter_text(parameters, "kernel");
  const auto parts = parameter_number(parameters, "parts");
  if (!parts || !contains(kParts, *parts)) {
    return std::nullopt;
  }
  std::optional<Kernel> kernel;
  for_each_loop_split(scene, refusal_to_split,
                      [&](const KernelBody& body, const LoopSplit& split, std::size_t) {
                        if (name && *name != body.function().name) return;
                        if (!kernel) kernel = in_parts(scene, body, split, *parts);
                      });
  return kernel ? kernel : apply_split_passes(scene, parameters);
}

Offer offer_split_rows(const Scene& scene) {
  return offer_also_keyed(scene, offer_split_rows_as_given);
}

std::optional<Kernel> apply_split_rows(const Scene& scene, std::string_view parameters) {
  return apply_also_keyed(scene, parameters, apply_split_rows_as_given);
}

}  // namespace

Technique split_rows_technique() {
  return {"split_rows",
          "blocks that share a long reduction fill a device that has more multiprocessors than the "
          "launch has blocks",
          "kernel=NAME;parts=4, 8, 16, 32 or 64", offer_split_rows, apply_split_rows};
}

}  // namespace warpmind::agents::builtin
