/// \file
/// Lanes that walk over one row several times read it once, in pieces, and keep their share in
/// registers. Rows that are longer than what was made room for take the given path.

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/lane_results.h"
#include "agents/builtin/loops/piece_writer.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kMostBytesALane = 256;

/// A loop of the region that walks over the kept row.
struct RowLoop {
  StridedLoop strided;
  std::vector<Stream> streams;  ///< in pieces; the row first
  std::int64_t start = 0;
};

struct KeptRow {
  const Function* function = nullptr;
  Range region;  ///< from the first of the loops to the end of its block
  std::vector<RowLoop> loops;
  std::string type;
  std::int64_t lanes = 0;
  std::int64_t items = 0;   ///< elements of a piece
  std::int64_t pieces = 0;  ///< a lane
  std::string bound;
  bool checks_block = false;  ///< lanes are the block's threads
  std::string refusal;
};

std::string row_key(const KernelBody& body, const RowLoop& loop, const Stream& stream) {
  return address_of(body, loop.strided.header, stream, "@");
}

/// Whether the names of an expression keep their values from the region's begin to its end.
bool is_fixed(const KernelBody& body, NodeId expression, NodeId loop, Range region) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId name : tree.descendants(expression, "identifier")) {
    const Local* local = body.local_of(name);
    if (local != nullptr && body.declared_in(*local, loop)) continue;
    if (local != nullptr && tree.node(local->identifier).range.begin >= region.begin) return false;
    for (const auto& write : body.writes()) {
      const bool same = write.local == local && tree.text(write.identifier) == tree.text(name);
      if (same && tree.node(write.node).range.begin >= region.begin) return false;
    }
  }
  return true;
}

class RowSearch {
 public:
  RowSearch(const Scene& scene, const KernelBody& body) : scene_(scene), body_(body) {}

  KeptRow find_row() {
    const SyntaxTree& tree = scene_.tree();
    const Function& function = body_.function();
    kept_.function = &function;
    kept_.refusal = reason_not_to_edit(scene_.source(), function);
    if (!kept_.refusal.empty()) return kept_;
    const std::string name = "'" + function.name + "'";
    for (const std::string_view own : {"wm_row", "wm_j"}) {
      if (!tree.uses(function.body, own).empty()) {
        kept_.refusal = name + " moves pieces already";
        return kept_;
      }
    }
    for (const NodeId block : tree.descendants(function.body, "compound_statement")) {
      if (try_block(block)) {
        kept_.refusal.clear();
        return kept_;
      }
    }
    if (kept_.refusal.empty()) kept_.refusal = "no loops of lanes walk over one row again";
    kept_.refusal = name + ": " + kept_.refusal;
    return kept_;
  }

 private:
  bool refuse(std::string why) {
    if (kept_.refusal.empty()) kept_.refusal = std::move(why);
    return false;
  }

  std::optional<RowLoop> row_loop(NodeId node) {
    const SyntaxTree& tree = body_.tree();
    const auto header = counted_loop(body_, node);
    if (!header || header->step == kNoNode) return std::nullopt;
    const auto strided = strided_loop(scene_, body_, *header);
    if (!strided) return std::nullopt;
    const auto facts = loop_facts(body_, *header, buffer_names(scene_, body_.function()),
                                  injective_by_probing(scene_, body_.function()));
    if (!facts.obstacle.empty()) return std::nullopt;
    for (const auto& reduction : facts.reductions) {
      if (!may_reorder(scene_, reduction.variable->type, reduction.how)) return std::nullopt;
    }
    if (!kept_by_lanes(body_, *strided, facts).empty()) return std::nullopt;
    RowLoop loop{*strided, streams_of(body_, facts), 0};
    std::int64_t start = 0;
    for (const char c : strided->start) {
      if (c < '0' || c > '9' || start > 1000) return std::nullopt;
      start = start * 10 + (c - '0');
    }
    loop.start = start;
    if (!tree.descendants(header->body, "for_statement").empty()) return std::nullopt;
    return loop;
  }

  bool try_block(NodeId block) {
    const SyntaxTree& tree = body_.tree();
    std::vector<RowLoop> loops;
    for (const NodeId child : tree.children(block)) {
      if (!tree.is(child, "for_statement")) continue;
      if (auto loop = row_loop(child)) loops.push_back(std::move(*loop));
    }
    if (loops.size() < 2) return false;
    const RowLoop& first = loops.front();
    kept_.region = {begin_with_pragma(tree, first.strided.header.node),
                    tree.node(block).range.end - 1};
    const auto bound_of = [&](const RowLoop& loop) {
      const std::string text(tree.text(loop.strided.header.bound));
      return loop.strided.header.is_inclusive ? "(" + text + ") + 1" : text;
    };
    kept_.bound = bound_of(first);
    std::erase_if(loops, [&](const RowLoop& loop) {
      return bound_of(loop) != kept_.bound || loop.strided.lane != first.strided.lane ||
             loop.strided.lanes != first.strided.lanes ||
             !is_fixed(body_, loop.strided.header.bound, loop.strided.header.node, kept_.region);
    });
    if (!find_lanes(loops)) return false;
    for (const NodeId node : tree.descendants(block, "declaration")) {
      const Range range = tree.node(node).range;
      if (range.begin >= kept_.region.begin && tree.text(node).starts_with("__shared__")) {
        return refuse("shared memory is declared between the loops");
      }
    }
    return find_row(loops);
  }

  bool find_lanes(const std::vector<RowLoop>& loops) {
    if (loops.size() < 2) return false;
    const StridedLoop& strided = loops.front().strided;
    kept_.lanes = strided.lane_count.value_or(0);
    kept_.checks_block = strided.lane != "wm_lane";
    if (!kept_.checks_block) return kept_.lanes > 0;
    const auto block = fixed_block(scene_, body_.function());
    if (!block || (*block)[1] != 1 || (*block)[2] != 1) return false;
    if (kept_.lanes == 0) kept_.lanes = (*block)[0];
    return kept_.lanes == (*block)[0] || refuse("groups of lanes are not known to stay together");
  }

  [[nodiscard]] bool is_stored(const std::string& root) const {
    const auto buffer = buffer_names(scene_, body_.function());
    return std::any_of(body_.accesses().begin(), body_.accesses().end(),
                       [&](const MemoryAccess& access) {
                         return access.is_store && !access.is_private && !access.is_shared &&
                                (access.root.empty() || buffer(access.root) == buffer(root));
                       });
  }

  bool find_row(const std::vector<RowLoop>& loops) {
    for (const auto& loop : loops) {
      for (const auto& stream : loop.streams) {
        if (!stream.loads || stream.stores || loop.start != 0) continue;
        if (try_row(loops, row_key(body_, loop, stream))) return true;
      }
    }
    return false;
  }

  /// Keeps the loops that walk over `key`, with that stream in front.
  bool try_row(const std::vector<RowLoop>& loops, const std::string& key) {
    std::vector<RowLoop> users;
    for (const auto& loop : loops) {
      RowLoop user = loop;
      const auto row = std::find_if(user.streams.begin(), user.streams.end(), [&](const auto& s) {
        return row_key(body_, loop, s) == key && !s.stores;
      });
      if (row == user.streams.end()) continue;
      std::rotate(user.streams.begin(), row, row + 1);
      const NodeId node = loop.strided.header.node;
      // Elements in front of the start are not known to be there, but for the row's own.
      if (loop.start > 0) user.streams.resize(1);
      std::erase_if(user.streams, [&](const Stream& stream) {
        return !is_fixed(body_, stream.index, node, kept_.region) ||
               !is_fixed(body_, stream.pointer, node, kept_.region);
      });
      if (user.streams.empty() || row_key(body_, loop, user.streams.front()) != key) return false;
      users.push_back(std::move(user));
    }
    if (users.size() < 2) return false;
    const Stream& row = users.front().streams.front();
    if (is_stored(row.root)) return refuse("'" + row.root + "' is stored, too");
    kept_.type = row.type;
    kept_.items = piece_items({row});
    const auto length = typical_value(scene_, body_.function(), users.front().strided.header.bound);
    if (!length || *length < 1) return refuse("the length of a row is not known");
    const std::int64_t share = kept_.lanes * kept_.items;
    kept_.pieces = (*length + share - 1) / share;
    if (kept_.pieces * kept_.items * row.element_bytes() > kMostBytesALane) {
      return refuse("a lane's share of a row does not fit into registers");
    }
    if (kept_.items < 2) return refuse("the elements are too large for pieces");
    kept_.loops = std::move(users);
    return true;
  }

  const Scene& scene_;
  const KernelBody& body_;
  KeptRow kept_;
};

/// Text of one kernel whose row is kept.
class RowWriter {
 public:
  RowWriter(const KernelBody& body, const KeptRow& kept)
      : body_(body), tree_(body.tree()), kept_(kept), items_(std::to_string(kept.items)) {}

  [[nodiscard]] std::string text() const {
    const RowLoop& first = kept_.loops.front();
    const std::string indent =
        indentation(tree_, tree_.node(first.strided.header.node).range.begin);
    const std::string in = indent + "  ";
    std::string text = "// Rows of up to " + std::to_string(longest()) +
                       " elements are read once and kept by their lanes.\n";
    text += indent + "if (" + condition() + ") {\n";
    text += in + "wm_pack<" + kept_.type + ", " + items_ + "> wm_row[" +
            std::to_string(kept_.pieces) + "];\n";
    text += walk(
        first, in,
        in + "    wm_row[wm_n].load(" + address(first, first.streams.front(), "wm_i") + ");\n");
    std::vector<TextEdit> edits;
    for (const auto& loop : kept_.loops) {
      const NodeId node = loop.strided.header.node;
      edits.push_back({{begin_with_pragma(tree_, node), tree_.node(node).range.end},
                       strip(loop_text(loop, indent), indent)});
    }
    text += reindented(part(edits), in);
    text += indent + "} else {\n" + reindented(part({}), in) + indent + "}\n";
    return text + indent.substr(0, indent.size() < 2 ? 0 : indent.size() - 2);
  }

 private:
  [[nodiscard]] std::int64_t longest() const { return kept_.pieces * kept_.lanes * kept_.items; }

  /// The region starts behind its indentation; the first line gets it back.
  [[nodiscard]] std::string part(const std::vector<TextEdit>& edits) const {
    const std::size_t line = tree_.source().rfind('\n', kept_.region.begin - 1) + 1;
    return tree_.source().substr(line, kept_.region.begin - line) +
           edited_part(tree_.source(), kept_.region, edits);
  }

  static std::string strip(std::string text, const std::string& indent) {
    if (text.starts_with(indent)) text.erase(0, indent.size());
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

  [[nodiscard]] std::string address(const RowLoop& loop, const Stream& stream,
                                    std::string_view at) const {
    return address_of(body_, loop.strided.header, stream, at);
  }

  [[nodiscard]] std::string condition() const {
    std::vector<std::string> places;
    for (const auto& loop : kept_.loops) {
      for (const auto& stream : loop.streams) {
        const std::string place = address(loop, stream, "0");
        append_unique(places, place);
      }
    }
    std::string text = kept_.bound + " <= " + std::to_string(longest()) + " && (" + kept_.bound +
                       ") % " + items_ + " == 0";
    if (kept_.checks_block) text += " && blockDim.x == " + std::to_string(kept_.lanes);
    for (const auto& place : places)
      text += " &&\n      wm_is_aligned<" + items_ + ">(" + place + ")";
    return text;
  }

  /// A loop over the lane's pieces around `work`.
  [[nodiscard]] std::string walk(const RowLoop& loop, const std::string& in,
                                 const std::string& work) const {
    const std::string& type = loop.strided.header.variable->type;
    return "#pragma unroll\n" + in + "for (int wm_n = 0; wm_n < " + std::to_string(kept_.pieces) +
           "; ++wm_n) {\n" + in + "  const " + type + " wm_i = (wm_n * " +
           std::to_string(kept_.lanes) + " + " + loop.strided.lane + ") * " + items_ + ";\n" + in +
           "  if (wm_i < " + kept_.bound + ") {\n" + work + in + "  }\n" + in + "}\n";
  }

  [[nodiscard]] std::string loop_text(const RowLoop& loop, const std::string& in) const {
    const CountedLoop& header = loop.strided.header;
    std::vector<std::string> names{"wm_row[wm_n]"};
    std::string work;
    std::string stores;
    for (std::size_t s = 1; s < loop.streams.size(); ++s) {
      const Stream& stream = loop.streams[s];
      std::string name = "wm_" + stream.root + "_pack";
      while (contains(names, name)) name += "_2";
      names.push_back(name);
      work += joined({in, "    wm_pack<", stream.type, ", ", items_, "> ", name, ";\n"});
      if (stream.loads) {
        work += joined({in, "    ", name, ".load(", address(loop, stream, "wm_i"), ");\n"});
      }
      if (stream.stores) {
        stores += joined({in, "    ", name, ".store(", address(loop, stream, "wm_i"), ");\n"});
      }
    }
    work += "#pragma unroll\n" + in + "    for (int wm_j = 0; wm_j < " + items_ + "; ++wm_j) {\n";
    work += in + "      [[maybe_unused]] const " + header.variable->type + " " +
            header.variable->name + " = wm_i + wm_j;\n";
    if (loop.start > 0) {
      work += in + "      if (" + header.variable->name + " < " + std::to_string(loop.start) +
              ") continue;\n";
    }
    work += body_text(tree_, header, pack_edits(tree_, loop.streams, names, "wm_j"), in + "      ");
    work += in + "    }\n" + stores;
    return walk(loop, in, work);
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  const KeptRow& kept_;
  std::string items_;
};

std::optional<Kernel> with_row_kept(const Scene& scene, const KernelBody& body,
                                    const KeptRow& kept) {
  std::vector<TextEdit> edits;
  for (const std::string_view name : {"vector_pack", "row_pieces"}) {
    if (auto paste = paste_template(scene.tree(), name)) edits.push_back(std::move(*paste));
  }
  edits.push_back({kept.region, RowWriter(body, kept).text()});
  return with_edits(scene, std::move(edits));
}

Offer offer_row_in_registers(const Scene& scene) {
  Offer offer;
  auto refusal = for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    const KernelBody body(scene.source(), function);
    auto kept = RowSearch(scene, body).find_row();
    if (!kept.refusal.empty()) return std::move(kept.refusal);
    const double gain = 1.5 + 0.3 * static_cast<double>(kept.loops.size());
    offer.moves.push_back(
        {"row_in_registers", "kernel=" + function.name, scene.plan_gain(launch, gain)});
    return std::string();
  });
  if (offer.moves.empty()) offer.refusal = std::move(refusal);
  return offer;
}

std::optional<Kernel> apply_row_in_registers(const Scene& scene, std::string_view parameters) {
  const Function* function = kernel_called(scene, parameter_text(parameters, "kernel"));
  if (function == nullptr) return std::nullopt;
  const KernelBody body(scene.source(), *function);
  const auto kept = RowSearch(scene, body).find_row();
  if (!kept.refusal.empty()) return std::nullopt;
  return with_row_kept(scene, body, kept);
}

}  // namespace

Technique row_in_registers_technique() {
  return {"row_in_registers",
          "a row that several passes walk over is read from memory once, in pieces of 16 bytes",
          "kernel=NAME", offer_row_in_registers, apply_row_in_registers};
}

}  // namespace warpmind::agents::builtin
