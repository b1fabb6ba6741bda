/// \file
/// A block that passes over a long row several times becomes several blocks: each pass that sums is
/// a launch of its own, whose parts the next launch adds up in a fixed order.

#include "agents/builtin/techniques/split_passes.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/loop_split.h"
#include "agents/builtin/loops/row_passes.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 5> kPassParts{4, 8, 16, 32, 64};
constexpr std::string_view kAxisNames = "xyz";

/// The axis of the grid that the parts get; nullopt: none is free.
std::optional<std::size_t> free_axis(const Scene& scene, const Function& function,
                                     const Launch& launch) {
  const SyntaxTree& tree = scene.tree();
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    bool is_free = launch.grid[axis] == "1";
    for (const std::string name : {"blockIdx", "gridDim"}) {
      for (const NodeId use : tree.uses(function.body, name)) {
        const auto text = tree.plain_text(tree.node(use).parent);
        is_free = is_free && text.starts_with(name + ".") && text.back() != kAxisNames[axis];
      }
    }
    if (is_free) return axis;
  }
  return std::nullopt;
}

std::string refusal_of_kernel(const Scene& scene, const KernelBody& body, const RowPasses& passes) {
  const Function& function = body.function();
  const std::string name = "'" + function.name + "'";
  if (function.name.find("_wm_") != std::string::npos ||
      scene.source().kernel(function.name + "_wm_pass_1") != nullptr ||
      scene.source().kernel(function.name + "_wm_rest") != nullptr) {
    return name + " is split already";
  }
  const auto running = launches_running(scene, function);
  if (running.size() != 1) return name + " is launched several times";
  if (!scene.tree().uses(function.body, "wm_part").empty()) return name + " is split already";
  if (!fixed_block(scene, function)) return name + " is launched with blocks of several sizes";
  if (!passes.refusal.empty()) return name + ": " + passes.refusal;
  for (const auto& pass : passes.sums) {
    for (const auto& sum : pass.sums) {
      if (!scratch_dtype(sum.variable->type)) {
        return name + ": no buffer holds a " + sum.variable->type;
      }
    }
  }
  if (!free_axis(scene, function, scene.plan().launches[running.front()])) {
    return name + " is launched over three axes";
  }
  return {};
}

/// A launch takes 3 us, an iteration with its load 0.1 us of a thread, and one that reads parts a
/// third of that.
double gain_of_passes(const Scene& scene, const KernelBody& body, const RowPasses& passes,
                      std::int64_t parts) {
  double trips = 0;
  double longest = 0;
  const auto add = [&](const LoopFacts& facts) {
    const auto own =
        static_cast<double>(typical_trips(scene, body.function(), facts.header.node).value_or(64));
    trips += own;
    longest = std::max(longest, own);
  };
  for (const auto& pass : passes.sums) {
    for (const auto& loop : pass.loops) add(loop);
  }
  for (const auto& loop : passes.last) add(loop);
  const auto threads = static_cast<double>(typical_threads(scene, body.function()));
  const auto count = static_cast<double>(parts);
  if (longest < 2 * count) return 0.7;
  const double full = std::max(1, scene.context().device.sm_count) * 2048.0;
  const double before = std::min(1.0, threads / full);
  const double after = std::min(1.0, threads * count / full);
  const auto launches = static_cast<double>(passes.sums.size());
  const double taken = 3.0 + 0.1 * trips;
  const double faster = std::pow(after / before, 0.9);
  return taken / (3.0 + launches * (3.0 + 0.03 * count) + 0.1 * trips / faster);
}

std::string declared_sums(const RowPasses& passes, std::size_t pass) {
  std::string text;
  std::size_t number = 1;
  for (std::size_t i = 0; i < passes.sums.size() && i <= pass; ++i) {
    for (const auto& sum : passes.sums[i].sums) {
      text += joined({", ", i < pass ? "const " : "", sum.variable->type, "* wm_parts_",
                      std::to_string(number++)});
    }
  }
  return text;
}

/// A launch for each pass and the last one in place of the given launch, and buffers for the sums.
void launch_passes(const Scene& scene, const Function& function, const RowPasses& passes,
                   std::int64_t parts, LaunchPlan& plan) {
  const std::size_t index = launches_running(scene, function).front();
  const Launch given = scene.plan().launches[index];
  const std::size_t axis = *free_axis(scene, function, given);
  const std::size_t other = 3 - axis;
  const auto block = *fixed_block(scene, function);
  const std::int64_t threads = std::int64_t{block[0]} * block[1] * block[2];
  std::vector<Launch> launches;
  Launch launch = given;
  launch.grid[axis] = std::to_string(parts);
  std::string elements = std::to_string(parts * threads);
  for (const std::size_t along : {std::size_t{0}, other}) {
    std::string extent = given.grid[along];
    constexpr std::array<std::string_view, 3> kBlockNames{"block_x", "block_y", "block_z"};
    for (std::size_t i = 0; i < 3; ++i) extent = with_number(extent, kBlockNames[i], block[i]);
    elements = std::string("(").append(extent).append(") * ").append(elements);
  }
  for (std::size_t i = 0; i < passes.sums.size(); ++i) {
    for (const auto& sum : passes.sums[i].sums) {
      const std::string name = "wm_parts_" + std::to_string(plan.scratch.size() + 1);
      plan.scratch.push_back({name, *scratch_dtype(sum.variable->type), elements, false});
      launch.arguments.push_back(name);
    }
    launches.push_back(launch);
    launches.back().kernel = function.name + "_wm_pass_" + std::to_string(i + 1);
  }
  launches.push_back(launch);
  const auto at = plan.launches.erase(plan.launches.begin() + static_cast<std::ptrdiff_t>(index));
  plan.launches.insert(at, launches.begin(), launches.end());
}

std::optional<Kernel> in_passes(const Scene& scene, const KernelBody& body, const RowPasses& passes,
                                std::int64_t parts) {
  const Function& function = body.function();
  const SyntaxTree& tree = scene.tree();
  const std::size_t index = launches_running(scene, function).front();
  const Launch given = scene.plan().launches[index];
  const std::size_t axis = *free_axis(scene, function, given);
  const std::size_t other = 3 - axis;
  const auto block = *fixed_block(scene, function);
  const std::int64_t threads = std::int64_t{block[0]} * block[1] * block[2];
  PassText text{parts, std::string("blockIdx.") + kAxisNames[axis], "blockIdx.x", "threadIdx.x",
                threads};
  if (given.grid[other] != "1") {
    text.row_index += std::string(" + gridDim.x * blockIdx.") + kAxisNames[other];
  }
  if (block[1] * block[2] > 1) {
    text.thread = "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x";
  }
  std::vector<TextEdit> edits;
  if (auto paste = paste_template(tree, "lanes")) edits.push_back(std::move(*paste));
  std::string functions;
  for (std::size_t i = 0; i < passes.sums.size(); ++i) {
    functions +=
        joined({"// Pass ", std::to_string(i + 1), " of ", function.name, ", ",
                std::to_string(parts), " blocks a row.\nextern \"C\" __global__ void ",
                "__launch_bounds__(", std::to_string(threads), ") ", function.name, "_wm_pass_",
                std::to_string(i + 1), "(", parameter_text_of(body), declared_sums(passes, i),
                ") {", pass_body(body, passes, i, text), "}\n\n"});
  }
  const std::size_t place = syntax::place_above(body.tree(), body.function());
  const Range list = tree.node(function.parameter_list).range;
  const Range inside{tree.node(function.body).range.begin + 1,
                     tree.node(function.body).range.end - 1};
  edits.push_back({{place, place}, std::move(functions)});
  edits.push_back({{list.end - 1, list.end - 1}, declared_sums(passes, passes.sums.size())});
  edits.push_back({inside, pass_body(body, passes, passes.sums.size(), text)});
  Kernel kernel = with_edits(scene, std::move(edits));

  launch_passes(scene, function, passes, parts, kernel.plan);
  if (!plan_fits(scene, kernel.plan)) return std::nullopt;
  return kernel;
}

template <class Use>
std::string for_each_row(const Scene& scene, Use use) {
  return for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    auto why = reason_not_to_edit(scene.source(), function);
    if (!why.empty()) return why;
    const KernelBody body(scene.source(), function);
    const RowPasses passes = find_row_passes(scene, body);
    why = refusal_of_kernel(scene, body, passes);
    if (why.empty()) use(body, passes, launch);
    return why;
  });
}

}  // namespace

std::optional<Dtype> scratch_dtype(const std::string& type) {
  if (type == "float") return Dtype::f32;
  if (type == "double") return Dtype::f64;
  if (type == "int" || type == "int32_t") return Dtype::i32;
  if (type == "unsigned" || type == "unsigned int" || type == "uint32_t") return Dtype::u32;
  if (type == "long long" || type == "int64_t") return Dtype::i64;
  return std::nullopt;
}

Offer offer_split_passes(const Scene& scene) {
  std::vector<Move> moves;
  auto refusal =
      for_each_row(scene, [&](const KernelBody& body, const RowPasses& passes, std::size_t launch) {
        for (const std::int64_t parts : kPassParts) {
          if (!in_passes(scene, body, passes, parts)) continue;
          const double gain = gain_of_passes(scene, body, passes, parts);
          moves.push_back({"split_rows",
                           "kernel=" + body.function().name + ";parts=" + std::to_string(parts),
                           scene.plan_gain(launch, gain)});
        }
      });
  return best_first(std::move(moves), std::move(refusal));
}

std::optional<Kernel> apply_split_passes(const Scene& scene, std::string_view parameters) {
  const auto name = parameter_text(parameters, "kernel");
  const auto parts = parameter_number(parameters, "parts");
  if (!parts || !contains(kPassParts, *parts)) {
    return std::nullopt;
  }
  std::optional<Kernel> kernel;
  for_each_row(scene, [&](const KernelBody& body, const RowPasses& passes, std::size_t) {
    if (name && *name != body.function().name) return;
    if (!kernel) kernel = in_passes(scene, body, passes, *parts);
  });
  return kernel;
}

}  // namespace warpmind::agents::builtin
