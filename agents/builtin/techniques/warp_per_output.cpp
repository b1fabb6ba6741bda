/// \file
/// One thread that walks along contiguous elements becomes a group of lanes that walk side by side.

#include "agents/builtin/loops/keyed_extremes.h"
#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/virtual_thread.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 6> kLaneCounts{32, 64, 128, 256, 512, 1024};

std::string refusal_of_function(const Scene& scene, const Function& function) {
  auto reason = reason_not_to_edit(scene.source(), function);
  if (!reason.empty()) return reason;
  const std::string name = "'" + function.name + "'";
  if (!fixed_block(scene, function)) return name + " is launched with blocks of several sizes";
  if (scene.tree().source().find("wm_lane") != std::string::npos &&
      !scene.tree().uses(function.body, "wm_lane").empty()) {
    return name + " is shared by lanes already";
  }
  return {};
}

std::string refusal_of_spread(const Scene& scene, const Function& function, const KernelBody& body,
                              const LaneSpread& spread) {
  const std::string name = "'" + function.name + "': ";
  if (!spread.refusal.empty()) return name + spread.refusal;
  bool gains = false;
  for (const auto& loop : spread.loops) {
    for (const auto& reduction : loop.facts.reductions) {
      if (!may_reorder(scene, reduction.variable->type, reduction.how)) {
        return name + "the contract asks for the exact sum '" + reduction.variable->name + "'";
      }
    }
    for (const auto* accesses : {&loop.facts.loads, &loop.facts.stores}) {
      for (const MemoryAccess* access : *accesses) {
        if (!is_contiguous(body, *access, loop.facts.header)) continue;
        const auto across = typical_thread_stride(scene, function, *access);
        gains = gains || (across != 0 && across != 1);
      }
    }
  }
  if (!gains) return name + "neighbouring threads read neighbouring elements already";
  return {};
}

/// Lanes that give each of them a piece of 16 bytes or two, as far as the device has room.
double best_lanes(const Scene& scene, std::int64_t rows, std::int64_t trips) {
  double lanes = std::clamp(static_cast<double>(trips) / 8.0, 32.0, 512.0);
  const double full = std::max(1, scene.context().device.sm_count) * 1024.0;
  while (lanes < 1024 && static_cast<double>(rows) * lanes < full / 2 &&
         lanes * 2 <= static_cast<double>(trips)) {
    lanes *= 2;
  }
  return lanes;
}

double gain_of(const Scene& scene, const Function& function, const LaneSpread& spread,
               std::int64_t lanes) {
  const std::int64_t rows = typical_threads(scene, function);
  std::int64_t trips = 1;
  for (const auto& loop : spread.loops) {
    trips = std::max(trips, typical_trips(scene, function, loop.facts.header.node).value_or(64));
  }
  if (trips < 16) return 0.7;
  // Side by side, a warp's load touches a few sectors in place of 32; caches save part of that.
  const double full = std::max(1, scene.context().device.sm_count) * 2048.0;
  const double starved = std::clamp(full / static_cast<double>(rows), 1.0, 12.0);
  const double peak = std::min(4.0 * starved, 30.0);
  const double away =
      std::fabs(std::log2(static_cast<double>(lanes) / best_lanes(scene, rows, trips)));
  return 1 + (peak - 1) * std::pow(0.85, away);
}

Regrouping regrouping_of(const BlockExtents& block, std::int64_t lanes) {
  // More than 32 lanes combine through shared memory and barriers of the block: one group each.
  Regrouping regrouping{block, lanes <= 32 ? 128 / lanes : 1};
  while (regrouping.given_threads() % regrouping.threads_a_block != 0) {
    regrouping.threads_a_block /= 2;
  }
  return regrouping;
}

std::string declarations(const VirtualThread& thread, const Regrouping& regrouping,
                         const LaneText& text) {
  const std::string lanes = std::to_string(text.lanes);
  const std::string own = std::to_string(regrouping.threads_a_block);
  std::string lines =
      "\n  // " + lanes + " lanes share the work of one thread of the given kernel.\n";
  lines += "  const int wm_lane = threadIdx.x % " + lanes + "u;\n";
  lines += regrouping.threads_a_block == 1 ? "  const unsigned wm_group = blockIdx.x;\n"
                                           : "  const unsigned wm_group = blockIdx.x * " + own +
                                                 "u + threadIdx.x / " + lanes + "u;\n";
  return lines + thread.declarations;
}

std::optional<Kernel> shared_by_lanes(const Scene& scene, const Function& function,
                                      const KernelBody& body, const LaneSpread& spread,
                                      std::int64_t lanes) {
  const auto regrouping = regrouping_of(*fixed_block(scene, function), lanes);
  const auto threads = static_cast<std::uint32_t>(regrouping.threads_a_block * lanes);
  VirtualThread thread = virtual_thread(body, regrouping);
  const LaneText text{lanes, "wm_lane"};
  const std::size_t begin = scene.tree().node(function.body).range.begin + 1;
  auto edits = lane_edits(body, spread, text, std::move(thread.edits));
  edits.push_back({{begin, begin}, declarations(thread, regrouping, text)});
  drop_launch_bounds(body, edits);
  if (auto paste = paste_template(scene.tree(), "lanes")) edits.push_back(std::move(*paste));
  Kernel kernel = with_edits(scene, std::move(edits));
  for (const std::size_t index : launches_running(scene, function)) {
    kernel.plan.launches[index] =
        regrouped_launch(scene.plan().launches[index], regrouping, {threads, 1, 1});
  }
  if (!plan_fits(scene, kernel.plan)) return std::nullopt;
  return kernel;
}

/// Calls `use(function, body, spread)` for each function of the plan that can be spread; returns
/// the first reason why one cannot.
template <class Use>
std::string for_each_spread(const Scene& scene, Use use) {
  return for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    auto why = refusal_of_function(scene, function);
    if (!why.empty()) return why;
    const KernelBody body(scene.source(), function);
    const auto spread = spread_over_lanes(body, buffer_names(scene, function),
                                          injective_by_probing(scene, function));
    why = refusal_of_spread(scene, function, body, spread);
    if (why.empty()) use(function, body, spread, launch);
    return why;
  });
}

Offer offer_warp_per_output_as_given(const Scene& scene) {
  std::vector<Move> moves;
  auto refusal = for_each_spread(scene, [&](const Function& function, const KernelBody& body,
                                            const LaneSpread& spread, std::size_t launch) {
    for (const std::int64_t lanes : kLaneCounts) {
      if (!shared_by_lanes(scene, function, body, spread, lanes)) continue;
      const double gain = gain_of(scene, function, spread, lanes);
      moves.push_back({"warp_per_output",
                       "kernel=" + function.name + ";lanes=" + std::to_string(lanes),
                       scene.plan_gain(launch, gain)});
    }
  });
  return best_first(std::move(moves), std::move(refusal));
}

std::optional<Kernel> apply_warp_per_output_as_given(const Scene& scene,
                                                     std::string_view parameters) {
  const auto lanes = parameter_number(parameters, "lanes");
  const auto name = parameter_text(parameters, "kernel");
  if (!lanes || !contains(kLaneCounts, *lanes)) {
    return std::nullopt;
  }
  std::optional<Kernel> kernel;
  for_each_spread(scene, [&](const Function& function, const KernelBody& body,
                             const LaneSpread& spread, std::size_t /*launch*/) {
    if (name && *name != function.name) return;
    if (!kernel) kernel = shared_by_lanes(scene, function, body, spread, *lanes);
  });
  return kernel;
}

Offer offer_warp_per_output(const Scene& scene) {
  return offer_also_keyed(scene, offer_warp_per_output_as_given);
}

std::optional<Kernel> apply_warp_per_output(const Scene& scene, std::string_view parameters) {
  return apply_also_keyed(scene, parameters, apply_warp_per_output_as_given);
}

}  // namespace

Technique warp_per_output_technique() {
  return {"warp_per_output",
          "lanes that walk a row side by side read it in whole sectors, and there are many more of "
          "them than rows",
          "kernel=NAME;lanes=32, 64, 128, 256, 512 or 1024", offer_warp_per_output,
          apply_warp_per_output};
}

}  // namespace warpmind::agents::builtin
