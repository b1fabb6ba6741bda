#include "agents/builtin/techniques/vector_row_loops.h"

#include "agents/builtin/loops/lane_results.h"
#include "agents/builtin/loops/piece_writer.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// The loops of one kernel that can be moved in pieces.
struct RowLoops {
  const Function* function = nullptr;
  std::vector<PieceLoop> loops;
  std::string refusal;
};

bool is_inside(const SyntaxTree& tree, NodeId loop, const std::vector<PieceLoop>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const PieceLoop& outer) {
    return tree.contains(outer.loop.header.node, loop);
  });
}

/// What a loop becomes, or the reason why it stays.
std::optional<PieceLoop> piece_loop(const Scene& scene, const KernelBody& body, NodeId loop,
                                    std::string& why) {
  const Function& function = body.function();
  const auto header = counted_loop(body, loop);
  if (!header) {
    why = header.error().message;
    return std::nullopt;
  }
  const std::string name = "the loop over '" + header->variable->name + "'";
  const auto strided = strided_loop(scene, body, *header);
  if (!strided) {
    why = name + " does not step by threads side by side";
    return std::nullopt;
  }
  const auto facts = loop_facts(body, *header, buffer_names(scene, function),
                                injective_by_probing(scene, function));
  if (!facts.obstacle.empty()) {
    why = name + ": " + facts.obstacle;
    return std::nullopt;
  }
  for (const auto& reduction : facts.reductions) {
    if (may_reorder(scene, reduction.variable->type, reduction.how)) continue;
    why = "the contract asks for the exact sum '" + reduction.variable->name + "'";
    return std::nullopt;
  }
  if (const auto kept = kept_by_lanes(body, *strided, facts); !kept.empty()) {
    why = "each thread keeps its own '" + kept + "'";
    return std::nullopt;
  }
  PieceLoop pieces{*strided, streams_of(body, facts), 0};
  pieces.items = piece_items(pieces.streams);
  if (pieces.items < 2) {
    why = "no access is contiguous along " + name;
    return std::nullopt;
  }
  // A piece takes the place of that many trips: short loops have nothing to gain.
  const auto trips = typical_trips(scene, function, loop);
  if (trips && *trips < (strided->is_serial() ? pieces.items : 1)) {
    why = name + " is too short";
    return std::nullopt;
  }
  return pieces;
}

RowLoops row_loops(const Scene& scene, const Function& function, const KernelBody& body) {
  RowLoops found;
  found.function = &function;
  const SyntaxTree& tree = scene.tree();
  found.refusal = reason_not_to_edit(scene.source(), function);
  if (!found.refusal.empty()) return found;
  if (!tree.uses(function.body, "wm_j").empty()) {
    found.refusal = "'" + function.name + "' moves pieces already";
    return found;
  }
  std::string first;
  for (const NodeId loop : tree.descendants(function.body, "for_statement")) {
    if (is_inside(tree, loop, found.loops)) continue;
    std::string why;
    if (auto pieces = piece_loop(scene, body, loop, why)) {
      found.loops.push_back(std::move(*pieces));
    } else if (first.empty()) {
      first = why;
    }
  }
  if (!found.loops.empty()) return found;
  found.refusal = "'" + function.name + "': " + (first.empty() ? "it has no loop" : first);
  return found;
}

Kernel moved_in_pieces(const Scene& scene, const KernelBody& body, const RowLoops& rows) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  for (const auto& pieces : rows.loops) {
    const NodeId node = pieces.loop.header.node;
    const Range range{begin_with_pragma(tree, node), tree.node(node).range.end};
    const std::string indent = indentation(tree, tree.node(node).range.begin);
    std::string lead;  // a pragma may stand at the left edge
    const std::size_t line = range.begin == 0 ? 0 : tree.source().rfind('\n', range.begin - 1) + 1;
    if (range.begin - line < indent.size()) lead = indent.substr(range.begin - line);
    edits.push_back({range, lead + in_pieces(body, pieces, indent)});
  }
  for (const std::string_view name : {"vector_pack", "row_pieces"}) {
    if (auto paste = paste_template(tree, name)) edits.push_back(std::move(*paste));
  }
  return with_edits(scene, std::move(edits));
}

/// Whether neighbouring threads walk along rows of their own, so that each load of a warp touches
/// as many sectors as it has lanes.
bool rows_lie_apart(const Scene& scene, const KernelBody& body, const PieceLoop& pieces) {
  return std::any_of(body.accesses().begin(), body.accesses().end(),
                     [&](const MemoryAccess& access) {
                       const auto holds = [&](const Stream& stream) {
                         return contains(stream.nodes, access.node);
                       };
                       if (std::none_of(pieces.streams.begin(), pieces.streams.end(), holds))
                         return false;
                       const auto across = typical_thread_stride(scene, body.function(), access);
                       return across != 0 && across != 1;
                     });
}

/// A lane that reads 2 bytes uses an eighth of what it could ask for at once.
double gain_of_pieces(const Scene& scene, const KernelBody& body, const RowLoops& rows) {
  double gain = 1;
  for (const auto& pieces : rows.loops) {
    const auto trips = typical_trips(scene, body.function(), pieces.loop.header.node).value_or(64);
    const auto items = static_cast<double>(pieces.items);
    if (pieces.loop.is_serial()) {
      const bool apart = rows_lie_apart(scene, body, pieces);
      gain = std::max(gain, trips >= 4 * pieces.items && apart ? 1 + 0.25 * items : 1.05);
    } else if (2 * trips >= pieces.items) {
      gain = std::max(gain, 1 + 0.1 * items);
    }
  }
  return gain;
}

}  // namespace

Offer row_loop_vector_offer(const Scene& scene) {
  Offer offer;
  auto refusal = for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    const KernelBody body(scene.source(), function);
    auto rows = row_loops(scene, function, body);
    if (rows.loops.empty()) return std::move(rows.refusal);
    const double gain = gain_of_pieces(scene, body, rows);
    offer.moves.push_back(
        {"vectorized_loads", "loops=" + function.name, scene.plan_gain(launch, gain)});
    return std::string();
  });
  if (offer.moves.empty()) offer.refusal = std::move(refusal);
  return offer;
}

std::optional<Kernel> apply_row_loop_vectors(const Scene& scene, std::string_view parameters) {
  const auto name = parameter_text(parameters, "loops");
  const Function* function = name ? kernel_called(scene, name) : nullptr;
  if (function == nullptr) return std::nullopt;
  const KernelBody body(scene.source(), *function);
  const auto rows = row_loops(scene, *function, body);
  if (rows.loops.empty()) return std::nullopt;
  return moved_in_pieces(scene, body, rows);
}

}  // namespace warpmind::agents::builtin
