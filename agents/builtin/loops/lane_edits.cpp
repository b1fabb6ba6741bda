#include "agents/builtin/loops/lane_edits.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

bool inside(const Range& outer, const Range& range) {
  return outer.begin <= range.begin && range.end <= outer.end;
}

/// The text of a node with the edits that lie in it, which are then done.
std::string take_text(const SyntaxTree& tree, NodeId node, std::vector<TextEdit>& inner) {
  const Range range = tree.node(node).range;
  std::string text = edited_part(tree.source(), range, inner);
  std::erase_if(inner, [&](const TextEdit& edit) { return inside(range, edit.range); });
  return text;
}

std::string indent_of(const SyntaxTree& tree, std::size_t at) {
  const auto& source = tree.source();
  const std::size_t line = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;
  std::size_t end = line;
  while (end < source.size() && (source[end] == ' ' || source[end] == '\t')) ++end;
  return source.substr(line, std::min(end, at) - line);
}

/// Whether the variable starts at the neutral value and only this loop changes it.
bool starts_neutral(const KernelBody& body, const CombinedReduction& combined) {
  const SyntaxTree& tree = body.tree();
  const Local& variable = *combined.reduction.variable;
  for (const auto& write : body.writes()) {
    if (write.local == &variable && !tree.contains(combined.after, write.node)) return false;
  }
  // Around it a loop would come back with what was combined.
  for (NodeId up = tree.node(combined.after).parent; up != kNoNode; up = tree.node(up).parent) {
    if (up == variable.scope) break;
    for (const std::string_view kind : {"for_statement", "while_statement", "do_statement"}) {
      if (tree.is(up, kind)) return false;
    }
  }
  const NodeId value = tree.bare(variable.value);
  if (!tree.is(value, "number_literal")) return false;
  const auto text = tree.text(value);
  if (text.starts_with("0x")) return false;
  switch (combined.reduction.how) {
    case Combining::sum:
    case Combining::bit_or:
    case Combining::bit_xor: return text.find_first_of("123456789") == std::string_view::npos;
    case Combining::product: return text == "1" || text == "1.0f" || text == "1.f" || text == "1.0";
    default: return false;
  }
}

struct Around {
  std::string before;
  std::string after;
};

void add_reduction(const KernelBody& body, const CombinedReduction& combined, const LaneText& text,
                   int number, Around& around) {
  const Local& variable = *combined.reduction.variable;
  const std::string call = "wm_combine_lanes<" + std::string(combiner_of(combined.reduction.how)) +
                           ", " + std::to_string(text.lanes) + ">(" + variable.name + ")";
  const std::string neutral = neutral_of(combined.reduction.how, variable.type);
  if (neutral.empty() || starts_neutral(body, combined)) {
    around.after += variable.name + " = " + call + ";\n";
    return;
  }
  const std::string saved = "wm_before_" + std::to_string(number);
  around.before += "const " + variable.type + " " + saved + " = " + variable.name + ";\n" +
                   variable.name + " = " + neutral + ";\n";
  const auto combiner = std::string(combiner_of(combined.reduction.how));
  around.after += variable.name + " = " + combiner + "::of(" + saved + ", " + call + ");\n";
}

/// Every line with `indent` in front, but the first when it stands behind one already.
std::string indented(const std::string& lines, const std::string& indent) {
  std::string result;
  std::size_t at = 0;
  while (at < lines.size()) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    result += indent + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return result;
}

void put_around(const SyntaxTree& tree, NodeId statement, const Around& around,
                std::vector<TextEdit>& edits) {
  if (around.before.empty() && around.after.empty()) return;
  const std::size_t begin = begin_with_pragma(tree, statement);
  const std::size_t end = tree.node(statement).range.end;
  const std::string indent = indent_of(tree, begin);
  std::string before = indented(around.before, indent);
  if (!before.empty()) before = before.substr(indent.size()) + indent;
  std::string after = "\n" + indented(around.after, indent);
  if (!after.empty()) after.pop_back();
  if (!tree.is(tree.node(statement).parent, "compound_statement")) {
    before = "{\n" + indent + before;
    after += "\n" + indent + "}";
  }
  edits.push_back({{begin, begin}, std::move(before)});
  edits.push_back({{end, end}, std::move(after)});
}

}  // namespace

std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const auto piece : pieces) text += piece;
  return text;
}

std::string_view combiner_of(Combining how) {
  switch (how) {
    case Combining::sum: return "wm_sum_of";
    case Combining::product: return "wm_product_of";
    case Combining::minimum: return "wm_minimum_of";
    case Combining::maximum: return "wm_maximum_of";
    case Combining::bit_and: return "wm_bit_and_of";
    case Combining::bit_or: return "wm_bit_or_of";
    case Combining::bit_xor: return "wm_bit_xor_of";
  }
  return {};
}

std::string neutral_of(Combining how, const std::string& type) {
  const bool real = type == "float" || type == "double";
  const std::string suffix = type == "float" ? ".0f" : real ? ".0" : "";
  switch (how) {
    case Combining::sum:
    case Combining::bit_or:
    case Combining::bit_xor: return "0" + suffix;
    case Combining::product: return "1" + suffix;
    case Combining::bit_and: return "~static_cast<" + type + ">(0)";
    case Combining::minimum:
    case Combining::maximum: return {};
  }
  return {};
}

void share_loop(const KernelBody& body, const CountedLoop& loop, const LaneText& text,
                std::vector<TextEdit>& inner, std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  std::string step;
  if (loop.step != kNoNode) {
    step = edited_part(tree.source(), tree.node(loop.step).range, inner);
  }
  const std::string own = step.empty() ? text.lane : text.lane + " * (" + step + ")";
  const std::string start = take_text(tree, loop.start, inner);
  const bool from_zero = integer_literal(tree, loop.start) == 0;
  const bool single = tree.children(loop.start).empty();
  edits.push_back({tree.node(loop.start).range,
                   from_zero ? own : (single ? start : "(" + start + ")") + " + " + own});
  std::erase_if(inner, [&](const TextEdit& edit) {
    return inside(tree.node(loop.update).range, edit.range);
  });
  edits.push_back(
      {tree.node(loop.update).range, loop.variable->name + " += " + std::to_string(text.lanes) +
                                         (step.empty() ? std::string() : " * (" + step + ")")});
}

std::vector<TextEdit> lane_edits(const KernelBody& body, const LaneSpread& spread,
                                 const LaneText& text, std::vector<TextEdit> inner) {
  const SyntaxTree& tree = body.tree();
  std::vector<TextEdit> edits;
  std::vector<std::pair<NodeId, Around>> arounds;
  const auto around = [&](NodeId statement) -> Around& {
    for (auto& [node, found] : arounds) {
      if (node == statement) return found;
    }
    arounds.emplace_back(statement, Around{});
    return arounds.back().second;
  };
  int number = 0;
  for (const auto& loop : spread.loops) {
    if (!loop.is_apart) share_loop(body, loop.facts.header, text, inner, edits);
    if (loop.needs_barriers) {
      const std::string barrier = "wm_lane_barrier<" + std::to_string(text.lanes) + ">();\n";
      around(loop.facts.header.node).before += barrier;
      around(loop.facts.header.node).after += barrier;
    }
    for (const auto& combined : loop.combined) {
      add_reduction(body, combined, text, ++number, around(combined.after));
    }
  }
  for (const auto& [statement, lines] : arounds) put_around(tree, statement, lines, edits);
  for (const NodeId statement : spread.first_lane_only) {
    const Range range = tree.node(statement).range;
    const bool braces = !tree.is(tree.node(statement).parent, "compound_statement");
    edits.push_back({{range.begin, range.begin},
                     std::string(braces ? "{ " : "") + "if (" + text.lane + " == 0) "});
    if (braces) edits.push_back({{range.end, range.end}, " }"});
  }
  edits.insert(edits.end(), inner.begin(), inner.end());
  return edits;
}

}  // namespace warpmind::agents::builtin
