#include "agents/builtin/loops/piece_writer.h"

#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// The stream whose pieces start at the fewest places: the one to align to.
const Stream& narrowest(const std::vector<Stream>& streams) {
  return *std::min_element(streams.begin(), streams.end(), [](const Stream& a, const Stream& b) {
    return a.element_bytes() < b.element_bytes();
  });
}

std::vector<std::string> pack_names(const std::vector<Stream>& streams) {
  std::vector<std::string> names;
  for (const auto& stream : streams) {
    std::string name = "wm_" + stream.root + "_pack";
    while (contains(names, name)) name += "_2";
    names.push_back(std::move(name));
  }
  return names;
}

std::string times(const std::string& factor, std::int64_t items) {
  if (factor == "0" || factor == "1") return factor == "0" ? "0" : std::to_string(items);
  const bool single = factor.find_first_of(" +-*/%") == std::string::npos;
  return (single ? factor : "(" + factor + ")") + " * " + std::to_string(items);
}

std::string plus(const std::string& left, const std::string& right) {
  return right == "0" ? left : left + " + " + right;
}

}  // namespace

std::int64_t piece_items(const std::vector<Stream>& streams) {
  if (streams.empty()) return 0;
  const int bytes = narrowest(streams).element_bytes();
  return bytes < 1 ? 0 : std::min<std::int64_t>(8, 16 / bytes);
}

std::vector<TextEdit> pack_edits(const SyntaxTree& tree, const std::vector<Stream>& streams,
                                 const std::vector<std::string>& names,
                                 const std::string& element) {
  std::vector<TextEdit> edits;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    for (const NodeId node : streams[s].nodes) {
      edits.push_back({tree.node(node).range, names[s] + ".at[" + element + "]"});
    }
  }
  return edits;
}

std::string in_pieces(const KernelBody& body, const PieceLoop& pieces, const std::string& indent) {
  const SyntaxTree& tree = body.tree();
  const CountedLoop& loop = pieces.loop.header;
  const std::string type = loop.variable->type;
  const std::string items = std::to_string(pieces.items);
  const std::string in = indent + "  ";
  const auto names = pack_names(pieces.streams);
  const Stream& guide = narrowest(pieces.streams);
  const auto address = [&](const Stream& stream, std::string_view at) {
    return address_of(body, loop, stream, at);
  };
  std::string bound(tree.text(loop.bound));
  if (loop.is_inclusive) bound = "(" + bound + ") + 1";
  std::string text = "{  // in pieces of " + items + " elements, and the rest one by one\n";
  const auto line = [&](const std::string& content) { text += in + content + "\n"; };
  line("const " + type + " wm_start = " + pieces.loop.start + ";");
  line("const " + type + " wm_bound = " + bound + ";");
  line("const " + type + " wm_stop = wm_start < wm_bound ? wm_bound : wm_start;");
  line(type + " wm_first = wm_start + wm_until_aligned<" + items + ">(" +
       address(guide, "wm_start") + ");");
  std::string fits = "wm_first < wm_stop";
  for (const auto& stream : pieces.streams) {
    if (&stream == &guide) continue;
    fits += " && wm_is_aligned<" + items + ">(" + address(stream, "wm_first") + ")";
  }
  line("if (!(" + fits + ")) wm_first = wm_stop;");
  line("const " + type + " wm_last = wm_stop - (wm_stop - wm_first) % " + items + ";");
  line("for (" + type + " wm_i = " + plus("wm_first", times(pieces.loop.lane, pieces.items)) +
       "; wm_i < wm_last; wm_i += " + times(pieces.loop.lanes, pieces.items) + ") {");
  for (std::size_t s = 0; s < names.size(); ++s) {
    const Stream& stream = pieces.streams[s];
    line("  wm_pack<" + stream.type + ", " + items + "> " + names[s] + ";");
    if (stream.loads) line("  " + names[s] + ".load(" + address(stream, "wm_i") + ");");
  }
  text += "#pragma unroll\n";
  line("  for (int wm_j = 0; wm_j < " + items + "; ++wm_j) {");
  line("    [[maybe_unused]] const " + type + " " + loop.variable->name + " = wm_i + wm_j;");
  text += body_text(tree, loop, pack_edits(tree, pieces.streams, names, "wm_j"), in + "    ");
  line("  }");
  for (std::size_t s = 0; s < names.size(); ++s) {
    const Stream& stream = pieces.streams[s];
    if (stream.stores) line("  " + names[s] + ".store(" + address(stream, "wm_i") + ");");
  }
  line("}");
  line("const " + type + " wm_head = wm_first - wm_start;");
  line("const " + type + " wm_rest = wm_head + (wm_stop - wm_last);");
  line("for (" + type + " wm_k = " + pieces.loop.lane +
       "; wm_k < wm_rest; wm_k += " + pieces.loop.lanes + ") {");
  line("  const " + type + " " + loop.variable->name +
       " = wm_k < wm_head ? wm_start + wm_k : wm_last + (wm_k - wm_head);");
  text += body_text(tree, loop, {}, in + "  ");
  line("}");
  return text + indent + "}";
}

}  // namespace warpmind::agents::builtin
