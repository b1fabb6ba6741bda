#include "agents/builtin/loops/strided_loop.h"

#include "agents/builtin/loops/scene_loops.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// A local that is never written stands for its value.
NodeId resolved(const KernelBody& body, NodeId expression) {
  const SyntaxTree& tree = body.tree();
  NodeId at = tree.bare(expression);
  for (int i = 0; i < 8; ++i) {
    if (tree.is(at, "cast_expression")) {
      at = tree.bare(tree.field(at, "value"));
      continue;
    }
    if (!tree.is(at, "identifier")) break;
    const Local* local = body.local_of(at);
    if (local == nullptr || local->value == kNoNode || !is_integer_type(local->type)) break;
    if (body.written_in(*local, body.function().body)) break;
    at = tree.bare(local->value);
  }
  return at;
}

bool is_builtin(const SyntaxTree& tree, NodeId node, std::string_view text) {
  return tree.is(node, "field_expression") && tree.plain_text(node) == text;
}

/// Whether the values of `lane` are 0 … step - 1.
bool is_lane(const KernelBody& body, NodeId lane, NodeId step,
             const std::optional<std::array<std::uint32_t, 3>>& block) {
  const SyntaxTree& tree = body.tree();
  const NodeId value = resolved(body, lane);
  const NodeId stride = resolved(body, step);
  const auto count = integer_literal(tree, stride);
  if (is_builtin(tree, value, "threadIdx.x")) {
    if (is_builtin(tree, stride, "blockDim.x")) return true;
    return count && block && *count == (*block)[0];
  }
  if (!tree.is(value, "binary_expression") || !count) return false;
  if (!is_builtin(tree, resolved(body, tree.field(value, "left")), "threadIdx.x")) return false;
  const auto literal = integer_literal(tree, resolved(body, tree.field(value, "right")));
  // The remainders are all met only if the block holds whole groups.
  if (!literal || !block || *count < 1 || (*block)[0] % *count != 0) return false;
  if (tree.operator_of(value) == "%") return *literal == *count;
  const bool power = (*count & (*count - 1)) == 0;
  return tree.operator_of(value) == "&" && power && *literal == *count - 1;
}

bool starts_stream(const KernelBody& body, const LoopFacts& facts, const MemoryAccess& access) {
  const SyntaxTree& tree = body.tree();
  if (access.index == kNoNode || access.is_shared || access.is_private || access.root.empty()) {
    return false;
  }
  if (!tree.is(access.node, "subscript_expression") && !tree.is(access.node, "call_expression")) {
    return false;
  }
  const CountedLoop& loop = facts.header;
  if (coefficient(body, access.index, *loop.variable, loop.node) != 1) return false;
  for (const NodeId name : tree.descendants(access.pointer, "identifier")) {
    if (body.identifier_written_in(name, loop.node)) return false;
  }
  if (body.expanded(access.index, loop.node, *loop.variable, "i").empty()) return false;
  if (size_of_type(body.element_type(access.pointer)) == 0) return false;
  return is_met_each_time(tree, access.node, loop.node);
}

}  // namespace

bool is_met_each_time(const SyntaxTree& tree, NodeId node, NodeId loop) {
  for (NodeId at = node; at != loop; at = tree.node(at).parent) {
    const NodeId up = tree.node(at).parent;
    const auto field = tree.node(at).field;
    if (tree.is(up, "if_statement") && field != "condition") return false;
    if (tree.is(up, "conditional_expression") && field != "condition") return false;
    if (tree.is(up, "binary_expression") && field == "right" &&
        (tree.operator_of(up) == "&&" || tree.operator_of(up) == "||")) {
      return false;
    }
    if (up == loop) break;
    for (const std::string_view kind : {"for_statement", "while_statement", "do_statement",
                                        "switch_statement", "for_range_loop"}) {
      if (tree.is(up, kind)) return false;
    }
  }
  return true;
}

std::optional<StridedLoop> strided_loop(const Scene& scene, const KernelBody& body,
                                        const CountedLoop& loop) {
  const SyntaxTree& tree = body.tree();
  StridedLoop strided;
  strided.header = loop;
  strided.start = tree.text(loop.start);
  strided.lane = "0";
  strided.lanes = "1";
  if (loop.step == kNoNode) return strided;
  const auto block = fixed_block(scene, body.function());
  strided.lanes = tree.text(loop.step);
  strided.lane_count = integer_literal(tree, resolved(body, loop.step));
  if (is_lane(body, loop.start, loop.step, block)) {
    strided.start = "0";
    strided.lane = tree.text(loop.start);
    return strided;
  }
  const NodeId sum = tree.bare(loop.start);
  if (!tree.is(sum, "binary_expression") || tree.operator_of(sum) != "+") return std::nullopt;
  const NodeId left = tree.field(sum, "left");
  const NodeId right = tree.field(sum, "right");
  const bool is_right = is_lane(body, right, loop.step, block);
  if (!is_right && !is_lane(body, left, loop.step, block)) return std::nullopt;
  strided.start = tree.text(is_right ? left : right);
  strided.lane = tree.text(is_right ? right : left);
  return strided;
}

std::vector<Stream> streams_of(const KernelBody& body, const LoopFacts& facts) {
  const SyntaxTree& tree = body.tree();
  std::vector<Stream> streams;
  if (!tree.descendants(facts.header.node, "continue_statement").empty()) return streams;
  std::vector<std::string> texts;
  std::vector<std::string> apart;  // roots with other accesses
  for (const auto& access : body.accesses()) {
    if (!tree.contains(facts.header.node, access.node)) continue;
    if (!starts_stream(body, facts, access)) {
      apart.push_back(access.root);
      continue;
    }
    const std::string text = tree.plain_text(access.pointer) + "[" +
                             body.expanded(access.index, facts.header.node, *facts.header.variable,
                                           facts.header.variable->name) +
                             "]";
    const auto known = std::find(texts.begin(), texts.end(), text);
    if (known == texts.end()) {
      texts.push_back(text);
      streams.push_back({access.root,
                         body.element_type(access.pointer),
                         {},
                         false,
                         false,
                         access.pointer,
                         access.index});
    }
    Stream& stream = streams[static_cast<std::size_t>(std::find(texts.begin(), texts.end(), text) -
                                                      texts.begin())];
    stream.nodes.push_back(access.node);
    stream.loads = stream.loads || access.is_load;
    stream.stores = stream.stores || access.is_store;
  }
  // What is stored must be met in one way only.
  std::vector<std::string> mixed = apart;
  for (const auto& one : streams) {
    for (const auto& other : streams) {
      if (&one != &other && one.root == other.root) mixed.push_back(one.root);
    }
  }
  std::vector<std::string> stored;
  for (const MemoryAccess* store : facts.stores) stored.push_back(store->root);
  std::erase_if(streams, [&](const Stream& stream) {
    const auto holds = [&](const std::vector<std::string>& roots) {
      return contains(roots, stream.root);
    };
    return holds(mixed) && holds(stored);
  });
  return streams;
}

std::string address_of(const KernelBody& body, const CountedLoop& loop, const Stream& stream,
                       std::string_view position) {
  const SyntaxTree& tree = body.tree();
  std::string pointer(tree.text(stream.pointer));
  if (!tree.is(tree.bare(stream.pointer), "identifier")) pointer = "(" + pointer + ")";
  return "&" + pointer + "[" + body.expanded(stream.index, loop.node, *loop.variable, position) +
         "]";
}

std::string indentation(const SyntaxTree& tree, std::size_t at) {
  const auto& source = tree.source();
  const std::size_t line = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;
  std::size_t end = line;
  while (end < source.size() && (source[end] == ' ' || source[end] == '\t')) ++end;
  return source.substr(line, std::min(end, at) - line);
}

std::string reindented(std::string_view text, const std::string& indent) {
  std::vector<std::string> lines;
  std::size_t least = std::string::npos;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const auto first = line.find_first_not_of(" \t");
    // A first line that stands behind a brace has no indentation of its own.
    if (first != std::string::npos && line[first] != '#' && !(lines.empty() && first == 0)) {
      least = std::min(least, first);
    }
    lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto first = lines[i].find_first_not_of(" \t");
    if (first == std::string::npos) {
      if (!result.empty() && i + 1 < lines.size()) result += "\n";
      continue;
    }
    const std::size_t cut = least == std::string::npos ? first : std::min(first, least);
    result += indent + lines[i].substr(cut) + "\n";
  }
  return result;
}

std::string body_text(const SyntaxTree& tree, const CountedLoop& loop,
                      const std::vector<TextEdit>& edits, const std::string& indent) {
  Range range = tree.node(loop.body).range;
  if (tree.is(loop.body, "compound_statement")) {
    ++range.begin;
    --range.end;
  }
  return reindented(edited_part(tree.source(), range, edits), indent);
}

}  // namespace warpmind::agents::builtin
