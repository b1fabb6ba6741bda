#include "agents/builtin/loops/scan_writer.h"

#include "agents/builtin/loops/lane_edits.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

/// What differs between the forms.
struct TileText {
  const Local* variable = nullptr;
  Combining how = Combining::sum;
  std::int64_t lanes = 32;
  std::string lane;
  std::string carry;    ///< what it starts with
  std::string counter;  ///< type of term numbers
  std::string count;
  std::string term_part;  ///< lines that set wm_terms[wm_item] for term wm_at
  std::string use_part;   ///< lines that make use of wm_before[wm_item]
};

std::string counter_type(const Local& variable) {
  return size_of_type(variable.type) == 8 ? "unsigned long long" : "unsigned";
}

std::string in_parentheses(const SyntaxTree& tree, NodeId node, const std::string& text) {
  return tree.children(node).empty() ? text : "(" + text + ")";
}

std::string count_text(const std::string& low, const std::string& high, bool is_inclusive) {
  return joined({low, is_inclusive ? " <= " : " < ", high, " ? ", high, " - ", low,
                 is_inclusive ? " + 1" : "", " : 0"});
}

std::string position_text(const Local& variable, const std::string& start, bool down) {
  return joined({"const ", variable.type, " ", variable.name, " = ", start, down ? " - " : " + ",
                 "static_cast<", variable.type, ">(wm_at);\n"});
}

std::string tile_text(const TileText& tile, const std::string& indent) {
  const std::string lanes = std::to_string(tile.lanes);
  const std::int64_t items = scan_items(tile.lanes);
  const std::string item_count = std::to_string(items);
  const std::string tile_size = std::to_string(tile.lanes * items) + "u";
  const std::string combiner(combiner_of(tile.how));
  const auto& type = tile.variable->type;
  const auto neutral = neutral_of(tile.how, type);
  const auto item_loop = [&](const std::string& lines) {
    return joined({"#pragma unroll\n", indent, "    for (int wm_item = 0; wm_item < ", item_count,
                   "; ++wm_item) {\n", indent, "      const ", tile.counter,
                   " wm_at = wm_tile + wm_item * ", lanes, "u + ", tile.lane, ";\n", lines, indent,
                   "    }\n"});
  };
  const auto guarded = [&](const std::string& lines) {
    return joined({indent, "      if (wm_at < wm_count) {\n",
                   reindented(lines, indent + "        "), indent, "      }\n"});
  };
  std::string text = "{\n" + indent + "  // " + lanes + " lanes scan a tile of terms at a time.\n";
  text += joined({indent, "  const ", tile.counter, " wm_count = ", tile.count, ";\n"});
  text += joined({indent, "  ", type, " wm_carry = ", tile.carry, ";\n"});
  text += joined({indent, "  for (", tile.counter,
                  " wm_tile = 0; wm_tile < wm_count; wm_tile += ", tile_size, ") {\n"});
  text +=
      joined({indent, "    ", type, " wm_terms[", item_count, "], wm_before[", item_count, "];\n"});
  text += item_loop(joined({indent, "      wm_terms[wm_item] = ",
                            neutral.empty() ? "wm_carry" : neutral, ";\n"}) +
                    guarded(tile.term_part));
  text += joined({indent, "    wm_scan_lanes<", combiner, ", ", lanes, ", ", item_count,
                  ">(wm_terms, wm_before, wm_carry);\n"});
  text += item_loop(guarded(tile.use_part));
  return text + indent + "  }\n";
}

/// The statements that compute a term, and `wm_terms[wm_item] = …` in place of its update.
std::string term_text(const KernelBody& body, const ScanUpdate& update,
                      std::vector<TextEdit> edits) {
  const SyntaxTree& tree = body.tree();
  std::string text;
  for (const NodeId statement : update.before) {
    const Range range{begin_with_pragma(tree, statement), tree.node(statement).range.end};
    text += reindented(edited_part(tree.source(), range, edits), "");
  }
  std::string term = "1";
  if (update.value != kNoNode) {
    term = edited_part(tree.source(), tree.node(update.value).range, edits);
  }
  if (update.is_negative) term = "-(" + term + ")";
  const bool is_statement = tree.is(update.whole, "if_statement");
  const Range whole = tree.node(update.whole).range;
  std::erase_if(edits, [&](const TextEdit& edit) {
    return whole.begin <= edit.range.begin && edit.range.end <= whole.end;
  });
  edits.push_back({whole, "wm_terms[wm_item] = " + term + (is_statement ? ";" : "")});
  return text +
         reindented(edited_part(tree.source(), tree.node(update.statement).range, edits), "");
}

/// `edits` without those in `range`, which becomes `text`.
std::vector<TextEdit> replaced(std::vector<TextEdit> edits, Range range, std::string text) {
  std::erase_if(edits, [&](const TextEdit& edit) {
    return range.begin <= edit.range.begin && edit.range.end <= range.end;
  });
  edits.push_back({range, std::move(text)});
  return edits;
}

std::string combined_text(const ScanUpdate& update, const std::string& with) {
  return joined({update.variable->name, " = ", combiner_of(update.how), "::of(", with,
                 ", wm_terms[wm_item]);"});
}

}  // namespace

std::int64_t scan_items(std::int64_t lanes) { return std::min<std::int64_t>(8, 1024 / lanes); }

std::string scanned_text(const KernelBody& body, const ScanLoop& scan, const std::string& lane,
                         std::int64_t lanes, const std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  const CountedLoop& loop = scan.header;
  const auto bound_text = [&](NodeId node) {
    return in_parentheses(tree, node, edited_part(tree.source(), tree.node(node).range, edits));
  };
  const std::string start = bound_text(loop.start);
  const std::string bound = bound_text(loop.bound);
  const ScanUpdate& update = scan.update;
  TileText tile{update.variable, update.how, lanes, lane, update.variable->name, {}, {}, {}, {}};
  tile.counter = counter_type(*loop.variable);
  tile.count = scan.counts_down ? count_text(bound, start, loop.is_inclusive)
                                : count_text(start, bound, loop.is_inclusive);
  const std::string position = position_text(*loop.variable, start, scan.counts_down);
  tile.term_part = position + term_text(body, update, edits);
  const auto use = replaced(edits, tree.node(update.statement).range,
                            combined_text(update, update.variable->name));
  tile.use_part = position + update.variable->name + " = wm_before[wm_item];\n" +
                  (tree.is(loop.body, "compound_statement")
                       ? body_text(tree, loop, use, "")
                       : edited_part(tree.source(), tree.node(loop.body).range, use) + "\n");
  const std::string indent = indentation(tree, begin_with_pragma(tree, loop.node));
  return tile_text(tile, indent) + indent + "  " + update.variable->name + " = wm_carry;\n" +
         indent + "}";
}

std::string scanned_text(const KernelBody& body, const PrefixLoops& loops, std::int64_t lanes) {
  const SyntaxTree& tree = body.tree();
  const CountedLoop& outer = loops.outer.header;
  const ScanUpdate& update = loops.update;
  const std::string start = in_parentheses(tree, loops.inner.start, loops.outer.start);
  const std::string bound = in_parentheses(tree, outer.bound, std::string(tree.text(outer.bound)));
  TileText tile{update.variable,
                update.how,
                lanes,
                loops.outer.lane,
                std::string(tree.text(update.variable->value)),
                {},
                {},
                {},
                {}};
  tile.counter = counter_type(*outer.variable);
  tile.count = count_text(start, bound, outer.is_inclusive);
  tile.term_part = position_text(*loops.inner.variable, start, false) + term_text(body, update, {});
  const Range inner{begin_with_pragma(tree, loops.inner.node),
                    tree.node(loops.inner.node).range.end};
  const std::string sum = loops.is_inclusive ? combined_text(update, "wm_before[wm_item]")
                                             : update.variable->name + " = wm_before[wm_item];";
  tile.use_part =
      position_text(*outer.variable, start, false) + body_text(tree, outer, {{inner, sum}}, "");
  const std::string indent = indentation(tree, begin_with_pragma(tree, outer.node));
  return tile_text(tile, indent) + indent + "}";
}

bool scan_names_are_free(const KernelBody& body) {
  static constexpr std::array<std::string_view, 9> kNames{"wm_lane",   "wm_tile",  "wm_terms",
                                                          "wm_before", "wm_carry", "wm_item",
                                                          "wm_count",  "wm_at",    "wm_group"};
  const SyntaxTree& tree = body.tree();
  return std::all_of(kNames.begin(), kNames.end(), [&](const std::string_view name) {
    return tree.uses(body.function().node, name).empty();
  });
}

}  // namespace warpmind::agents::builtin
