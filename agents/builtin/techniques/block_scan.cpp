/// \file
/// A serial prefix loop, or one that sums every prefix anew, becomes a scan by lanes.

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scan_writer.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/virtual_thread.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/part.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 6> kScanLanes{32, 64, 128, 256, 512, 1024};

/// What of a kernel is scanned: loops that one thread walks, or those of a whole block.
struct Scans {
  std::vector<ScanLoop> serial;
  std::vector<PrefixLoops> prefixes;
  LaneSpread spread;  ///< of the serial ones
  std::string refusal;
};

bool walks_rows(const Scene& scene, const KernelBody& body, const ScanLoop& scan) {
  for (const auto* accesses : {&scan.loads, &scan.stores}) {
    for (const MemoryAccess* access : *accesses) {
      if (access->index == kNoNode || access->is_private) continue;
      const auto along = coefficient(body, access->index, *scan.header.variable, scan.header.node);
      if (!along || std::abs(*along) != 1) continue;
      const auto across = typical_thread_stride(scene, body.function(), *access);
      if (across != 0 && across != 1) return true;
    }
  }
  return false;
}

void find_serial(const Scene& scene, const KernelBody& body, Scans& scans) {
  const auto buffer = buffer_names(scene, body.function());
  const auto injective = injective_by_probing(scene, body.function());
  std::string refusal;
  std::vector<LoopFacts> apart;
  bool gains = false;
  for (const NodeId loop : scene.tree().descendants(body.function().body, "for_statement")) {
    auto scan = scan_loop(body, loop, buffer, injective);
    if (!scan) continue;
    if (!scan->obstacle.empty()) {
      if (refusal.empty()) {
        refusal = "the loop over '" + scan->header.variable->name + "': " + scan->obstacle;
      }
      continue;
    }
    if (!may_reorder(scene, scan->update.variable->type, scan->update.how)) {
      refusal = "the contract asks for the exact sum '" + scan->update.variable->name + "'";
      continue;
    }
    gains = gains || walks_rows(scene, body, *scan);
    apart.push_back({part<LoopMemory>(*scan), {}});
    scans.serial.push_back(std::move(*scan));
  }
  if (scans.serial.empty()) {
    scans.refusal = refusal.empty() ? "no loop leaves something for every prefix" : refusal;
    return;
  }
  scans.spread = spread_over_lanes(body, buffer, injective, apart);
  scans.refusal = scans.spread.refusal;
  for (const auto& loop : scans.spread.loops) {
    for (const auto& reduction : loop.facts.reductions) {
      if (!may_reorder(scene, reduction.variable->type, reduction.how)) {
        scans.refusal = "the contract asks for the exact sum '" + reduction.variable->name + "'";
      }
    }
  }
  const auto shared =
      static_cast<std::size_t>(std::count_if(scans.spread.loops.begin(), scans.spread.loops.end(),
                                             [](const SharedLoop& loop) { return loop.is_apart; }));
  if (scans.refusal.empty() && shared != scans.serial.size()) {
    scans.refusal = "a loop around the prefixes is shared already";
  }
  if (scans.refusal.empty() && !gains) {
    scans.refusal = "neighbouring threads read neighbouring elements already";
  }
}

void find_prefixes(const Scene& scene, const KernelBody& body, Scans& scans) {
  const auto buffer = buffer_names(scene, body.function());
  const auto injective = injective_by_probing(scene, body.function());
  const ThreadDependence threads(body);
  for (const NodeId loop : scene.tree().descendants(body.function().body, "for_statement")) {
    auto prefixes = prefix_loops(scene, body, loop, buffer, injective);
    if (!prefixes) continue;
    const CountedLoop& header = prefixes->outer.header;
    auto& why = prefixes->obstacle;
    if (why.empty() && !threads.is_reached_together(loop)) {
      why = "not all threads of a block come to it";
    }
    if (why.empty() && threads.depends(header.bound)) why = "its end differs between threads";
    if (why.empty() && !may_reorder(scene, prefixes->update.variable->type, prefixes->update.how)) {
      why = "the contract asks for the exact sum '" + prefixes->update.variable->name + "'";
    }
    if (why.empty()) {
      scans.prefixes.push_back(std::move(*prefixes));
    } else if (scans.refusal.empty()) {
      scans.refusal = "the loop over '" + header.variable->name + "': " + why;
    }
  }
}

/// Lanes of the block that runs prefix loops; nullopt: no scan has that many.
std::optional<std::int64_t> lanes_of_block(const Scene& scene, const Function& function) {
  const auto block = fixed_block(scene, function);
  if (!block || (*block)[1] != 1 || (*block)[2] != 1) return std::nullopt;
  const auto found = std::find(kScanLanes.begin(), kScanLanes.end(), (*block)[0]);
  return found == kScanLanes.end() ? std::nullopt : std::optional(*found);
}

Scans scans_of(const Scene& scene, const Function& function, const KernelBody& body) {
  Scans scans;
  scans.refusal = reason_not_to_edit(scene.source(), function);
  if (!scans.refusal.empty()) return scans;
  if (!scan_names_are_free(body)) {
    scans.refusal = "it is shared by lanes already";
  } else if (!fixed_block(scene, function)) {
    scans.refusal = "it is launched with blocks of several sizes";
  } else {
    find_prefixes(scene, body, scans);
    if (scans.prefixes.empty() && scans.refusal.empty()) find_serial(scene, body, scans);
    if (!scans.prefixes.empty()) scans.refusal.clear();
    if (!scans.prefixes.empty() && !lanes_of_block(scene, function)) {
      scans.refusal = "its blocks are no power of two of whole warps along x";
    }
  }
  if (!scans.refusal.empty()) scans.refusal = "'" + function.name + "': " + scans.refusal;
  return scans;
}

void replace_loop(const KernelBody& body, NodeId loop, std::string text,
                  std::vector<TextEdit>& inner, std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  const Range range{begin_with_pragma(tree, loop), tree.node(loop).range.end};
  std::erase_if(inner, [&](const TextEdit& edit) {
    return range.begin <= edit.range.begin && edit.range.end <= range.end;
  });
  edits.push_back({range, std::move(text)});
}

void paste_scan_templates(const SyntaxTree& tree, std::vector<TextEdit>& edits) {
  for (const std::string_view name : {"lanes", "lane_scan"}) {
    if (auto paste = paste_template(tree, name)) edits.push_back(std::move(*paste));
  }
}

Kernel scanned_by_block(const Scene& scene, const KernelBody& body, const Scans& scans,
                        std::int64_t lanes) {
  std::vector<TextEdit> edits;
  std::vector<TextEdit> none;
  for (const auto& loops : scans.prefixes) {
    replace_loop(body, loops.outer.header.node, scanned_text(body, loops, lanes), none, edits);
  }
  paste_scan_templates(scene.tree(), edits);
  return with_edits(scene, std::move(edits));
}

std::optional<Kernel> scanned_by_lanes(const Scene& scene, const KernelBody& body,
                                       const Scans& scans, std::int64_t lanes) {
  const Function& function = body.function();
  Regrouping regrouping{*fixed_block(scene, function), lanes <= 32 ? 4 : 1};
  while (regrouping.given_threads() % regrouping.threads_a_block != 0) {
    regrouping.threads_a_block /= 2;
  }
  VirtualThread thread = virtual_thread(body, regrouping);
  std::vector<TextEdit> replaced;
  std::vector<TextEdit> inner = thread.edits;
  for (const auto& scan : scans.serial) {
    replace_loop(body, scan.header.node, scanned_text(body, scan, "wm_lane", lanes, thread.edits),
                 inner, replaced);
  }
  auto edits = lane_edits(body, scans.spread, LaneText{lanes, "wm_lane"}, std::move(inner));
  edits.insert(edits.end(), replaced.begin(), replaced.end());
  const std::string width = std::to_string(lanes);
  std::string lines =
      "\n  // " + width + " lanes share the work of one thread of the given kernel.\n";
  lines += "  const int wm_lane = threadIdx.x % " + width + "u;\n";
  lines += "  const unsigned wm_group = blockIdx.x";
  if (regrouping.threads_a_block > 1) {
    lines +=
        " * " + std::to_string(regrouping.threads_a_block) + "u + threadIdx.x / " + width + "u";
  }
  const std::size_t begin = scene.tree().node(function.body).range.begin + 1;
  edits.push_back({{begin, begin}, lines + ";\n" + thread.declarations});
  drop_launch_bounds(body, edits);
  paste_scan_templates(scene.tree(), edits);
  Kernel kernel = with_edits(scene, std::move(edits));
  const auto threads = static_cast<std::uint32_t>(regrouping.threads_a_block * lanes);
  for (const std::size_t index : launches_running(scene, function)) {
    kernel.plan.launches[index] =
        regrouped_launch(scene.plan().launches[index], regrouping, {threads, 1, 1});
  }
  if (!plan_fits(scene, kernel.plan)) return std::nullopt;
  return kernel;
}

/// Each output walked half a row on average; a scan takes some twenty steps a term.
double gain_of_prefixes(const Scene& scene, const KernelBody& body, const Scans& scans) {
  double terms = 1;
  for (const auto& loops : scans.prefixes) {
    const auto trips = typical_trips(scene, body.function(), loops.outer.header.node);
    terms = std::max(terms, static_cast<double>(trips.value_or(4)) *
                                static_cast<double>(*lanes_of_block(scene, body.function())));
  }
  return std::clamp(terms / 12.0, 0.8, 300.0);
}

/// Side by side, a load of a warp touches a few sectors in place of 32, and there are more warps.
double gain_of_lanes(const Scene& scene, const KernelBody& body, const Scans& scans,
                     std::int64_t lanes) {
  const auto rows = static_cast<double>(typical_threads(scene, body.function()));
  double trips = 1;
  for (const auto& scan : scans.serial) {
    const auto found = typical_trips(scene, body.function(), scan.header.node);
    trips = std::max(trips, static_cast<double>(found.value_or(64)));
  }
  if (trips < 64) return 0.7;
  const double full = std::max(1, scene.context().device.sm_count) * 2048.0;
  const double peak = std::min(3.0 * std::clamp(full / rows, 1.0, 20.0), 50.0);
  double best = std::clamp(trips / 4.0, 32.0, 256.0);
  while (best < 1024 && rows * best < full / 2 && best * 2 <= trips) best *= 2;
  const double away = std::fabs(std::log2(static_cast<double>(lanes) / best));
  return 1 + (peak - 1) * std::pow(0.85, away);
}

std::optional<Kernel> scanned(const Scene& scene, const KernelBody& body, const Scans& scans,
                              std::int64_t lanes) {
  if (scans.prefixes.empty()) return scanned_by_lanes(scene, body, scans, lanes);
  if (lanes_of_block(scene, body.function()) != lanes) return std::nullopt;
  return scanned_by_block(scene, body, scans, lanes);
}

/// Calls `use(body, scans, launch)` for each kernel that can be scanned; returns as
/// for_each_kernel().
template <class Use>
std::string for_each_scan(const Scene& scene, Use use) {
  return for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    const KernelBody body(scene.source(), function);
    const Scans scans = scans_of(scene, function, body);
    if (scans.refusal.empty()) use(body, scans, launch);
    return scans.refusal;
  });
}

Offer offer_block_scan(const Scene& scene) {
  std::vector<Move> moves;
  auto refusal =
      for_each_scan(scene, [&](const KernelBody& body, const Scans& scans, std::size_t launch) {
        for (const std::int64_t lanes : kScanLanes) {
          if (!scanned(scene, body, scans, lanes)) continue;
          const double gain = scans.prefixes.empty() ? gain_of_lanes(scene, body, scans, lanes)
                                                     : gain_of_prefixes(scene, body, scans);
          moves.push_back({"block_scan",
                           "kernel=" + body.function().name + ";lanes=" + std::to_string(lanes),
                           scene.plan_gain(launch, gain)});
        }
      });
  return best_first(std::move(moves), std::move(refusal));
}

std::optional<Kernel> apply_block_scan(const Scene& scene, std::string_view parameters) {
  const auto lanes = parameter_number(parameters, "lanes");
  const auto name = parameter_text(parameters, "kernel");
  if (!lanes || !contains(kScanLanes, *lanes)) {
    return std::nullopt;
  }
  std::optional<Kernel> kernel;
  for_each_scan(scene, [&](const KernelBody& body, const Scans& scans, std::size_t /*launch*/) {
    if (name && *name != body.function().name) return;
    if (!kernel) kernel = scanned(scene, body, scans, *lanes);
  });
  return kernel;
}

}  // namespace

Technique block_scan_technique() {
  return {
      "block_scan",
      "lanes that scan a tile of a row together read it once and side by side, where one thread "
      "walks it or every output walks its own prefix",
      "kernel=NAME;lanes=32, 64, 128, 256, 512 or 1024", offer_block_scan, apply_block_scan};
}

}  // namespace warpmind::agents::builtin
