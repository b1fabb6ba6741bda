#include "agents/builtin/loops/loop_split.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scene_loops.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 5> kLoops{"for_statement", "while_statement", "do_statement",
                                                 "for_range_loop", "switch_statement"};

bool inside_a_loop(const SyntaxTree& tree, NodeId node, NodeId limit) {
  for (NodeId up = tree.node(node).parent; up != limit && up != kNoNode;
       up = tree.node(up).parent) {
    if (contains(kLoops, tree.node(up).kind)) return true;
  }
  return false;
}

std::string obstacle_around(const Scene& scene, const KernelBody& body, const LoopFacts& facts) {
  const SyntaxTree& tree = body.tree();
  const NodeId loop = facts.header.node;
  if (!facts.stores.empty()) return "the loop stores, too";
  for (const auto& local : body.locals()) {
    if (local.is_shared) return "it keeps '" + local.name + "' in shared memory";
    if (local.is_reference) return "it holds the reference '" + local.name + "'";
  }
  for (const auto& call : body.calls()) {
    const bool late_atomic = call.kind == CallKind::atomic && call.node > loop;
    if (call.kind != CallKind::pure && !late_atomic) return "it calls " + call.name;
  }
  for (const auto& access : body.accesses()) {
    if (access.is_store && !access.is_private && access.node < loop) {
      return "it stores '" + tree.plain_text(access.node) + "' before the loop";
    }
  }
  for (NodeId up = tree.node(loop).parent; up != body.function().body; up = tree.node(up).parent) {
    const auto kind = tree.node(up).kind;
    if (kind != "compound_statement" && kind != "if_statement" && kind != "else_clause") {
      return "the loop stands in a " + std::string(kind);
    }
  }
  if (!tree.is(tree.node(loop).parent, "compound_statement")) {
    return "the loop stands behind an if without braces";
  }
  for (const auto& reduction : facts.reductions) {
    if (!may_reorder(scene, reduction.variable->type, reduction.how)) {
      return "the contract asks for the exact sum '" + reduction.variable->name + "'";
    }
  }
  return {};
}

std::string body_piece(const KernelBody& body, std::size_t begin, std::size_t end,
                       const std::vector<TextEdit>& edits) {
  return edited_part(body.tree().source(), {begin, end}, edits);
}

}  // namespace

std::vector<LoopFacts> outer_reductions(const Scene& scene, const KernelBody& body,
                                        std::string& refusal) {
  const SyntaxTree& tree = body.tree();
  std::vector<LoopFacts> found;
  for (const NodeId loop : tree.descendants(body.function().body, "for_statement")) {
    if (inside_a_loop(tree, loop, body.function().body)) continue;
    const auto header = counted_loop(body, loop);
    if (!header) {
      if (refusal.empty()) refusal = header.error().message;
      continue;
    }
    auto facts = loop_facts(body, *header, buffer_names(scene, body.function()),
                            injective_by_probing(scene, body.function()));
    if (!facts.obstacle.empty()) {
      if (refusal.empty()) {
        refusal = "the loop over '" + header->variable->name + "': " + facts.obstacle;
      }
      continue;
    }
    if (!facts.reductions.empty() && !facts.loads.empty()) found.push_back(std::move(facts));
  }
  return found;
}

LoopSplit find_loop_split(const Scene& scene, const KernelBody& body) {
  LoopSplit split;
  auto found = outer_reductions(scene, body, split.refusal);
  if (found.size() == 1) {
    split.facts = std::move(found.front());
    split.refusal = obstacle_around(scene, body, split.facts);
  } else if (found.size() > 1) {
    split.refusal = "it has several loops that reduce";
  } else if (split.refusal.empty()) {
    split.refusal = "it has no loop that reduces";
  }
  return split;
}

std::string for_each_loop_split(const Scene& scene, SplitRefusal refused, const SplitUse& use) {
  return for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    auto why = reason_not_to_edit(scene.source(), function);
    if (!why.empty()) return why;
    const KernelBody body(scene.source(), function);
    const auto split = find_loop_split(scene, body);
    why = refused(scene, body, split);
    if (why.empty()) use(body, split, launch);
    return why;
  });
}

std::string part_body(const KernelBody& body, const LoopSplit& split, const std::string& lane,
                      std::int64_t lanes, const std::string& after, std::vector<TextEdit> inner) {
  const SyntaxTree& tree = body.tree();
  const CountedLoop& loop = split.facts.header;
  const std::size_t begin = tree.node(body.function().body).range.begin + 1;
  const std::size_t end = tree.node(loop.node).range.end;
  const std::size_t loop_begin = begin_with_pragma(tree, loop.node);
  std::vector<TextEdit> edits;
  share_loop(body, loop, {lanes, lane}, inner, edits);
  std::string before;
  for (const auto& reduction : split.facts.reductions) {
    const auto neutral = neutral_of(reduction.how, reduction.variable->type);
    if (!neutral.empty()) before += reduction.variable->name + " = " + neutral + ";\n  ";
  }
  const bool innermost = tree.descendants(loop.node, "for_statement").size() == 1;
  if (loop_begin == tree.node(loop.node).range.begin && innermost) {
    before.erase(before.find_last_not_of(' ') + 1);
    before += std::string(before.empty() ? "\n" : "") + "#pragma unroll 8\n  ";
  }
  edits.push_back({{loop_begin, loop_begin}, before});
  edits.insert(edits.end(), inner.begin(), inner.end());
  std::string text = body_piece(body, begin, end, edits) + "\n" + after;
  for (NodeId up = tree.node(loop.node).parent; up != body.function().body;
       up = tree.node(up).parent) {
    if (tree.is(up, "compound_statement")) text += "  }\n";
  }
  return text;
}

std::string rest_body(const KernelBody& body, const LoopSplit& split, const std::string& instead,
                      const std::vector<TextEdit>& inner) {
  const SyntaxTree& tree = body.tree();
  const NodeId loop = split.facts.header.node;
  const Range whole{begin_with_pragma(tree, loop), tree.node(loop).range.end};
  std::vector<TextEdit> edits{{whole, instead}};
  for (const auto& edit : inner) {
    if (edit.range.end <= whole.begin || edit.range.begin >= whole.end) edits.push_back(edit);
  }
  const Range range = tree.node(body.function().body).range;
  return body_piece(body, range.begin + 1, range.end - 1, edits);
}

std::string argument_names(const Function& function) {
  std::string names;
  for (const auto& parameter : function.parameters) {
    names += (names.empty() ? "" : ", ") + parameter.name;
  }
  return names;
}

std::string parameter_text_of(const KernelBody& body) {
  const auto text = body.tree().text(body.function().parameter_list);
  return std::string(text.substr(1, text.size() - 2));
}

}  // namespace warpmind::agents::builtin
