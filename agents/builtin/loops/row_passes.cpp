#include "agents/builtin/loops/row_passes.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Why the loop cannot be replaced where it stands, as a clause.
std::string obstacle_around(const KernelBody& body, NodeId loop) {
  const SyntaxTree& tree = body.tree();
  if (!tree.is(tree.node(loop).parent, "compound_statement")) {
    return "a loop stands behind an if without braces";
  }
  for (NodeId up = tree.node(loop).parent; up != body.function().body; up = tree.node(up).parent) {
    const auto kind = tree.node(up).kind;
    if (kind != "compound_statement" && kind != "if_statement" && kind != "else_clause") {
      return "the loop stands in a " + std::string(kind);
    }
  }
  return {};
}

/// A function of the file that lets threads of a block meet and touches nothing but its values.
bool is_meeting(const KernelBody& body, std::string_view callee) {
  const CudaSource& source = body.source();
  const Function* function = source.device_function(callee);
  if (function == nullptr || function->has_error) return false;
  for (const auto& parameter : function->parameters) {
    if (parameter.is_pointer || parameter.type.find('&') != std::string::npos) return false;
  }
  const auto text = source.tree.text(function->body);
  for (const std::string_view what : {"atomic", "asm", "goto", "blockIdx", "gridDim"}) {
    if (text.find(what) != std::string_view::npos) return false;
  }
  return true;
}

bool holds_global_variables(const SyntaxTree& tree) {
  for (const NodeId node : tree.children(tree.root())) {
    if (!tree.is(node, "declaration")) continue;
    const auto text = tree.text(node);
    if (text.find("__device__") != std::string_view::npos &&
        text.find('(') == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string obstacle_in_calls(const KernelBody& body) {
  for (const auto& call : body.calls()) {
    if (call.kind == CallKind::pure || call.kind == CallKind::barrier ||
        call.kind == CallKind::warp || is_meeting(body, call.name)) {
      continue;
    }
    if (is_shared_atomic(body, call)) continue;
    return "it calls " + call.name;
  }
  if (holds_global_variables(body.tree())) return "the file holds variables of the device";
  return {};
}

bool follows_directly(const SyntaxTree& tree, NodeId first, NodeId second) {
  const auto siblings = tree.children(tree.node(first).parent);
  const auto at = std::find(siblings.begin(), siblings.end(), first);
  for (auto next = at; next != siblings.end() && ++next != siblings.end();) {
    if (*next == second) return true;
    if (!tree.is(*next, "preproc_call")) return false;
  }
  return false;
}

/// Whether the loop may be summed in the launch of that pass.
bool joins(const KernelBody& body, const SumPass& pass, const LoopFacts& facts) {
  if (!follows_directly(body.tree(), pass.loops.back().header.node, facts.header.node))
    return false;
  if (!facts.stores.empty() || !pass.loops.back().stores.empty()) return false;
  for (const auto& sum : pass.sums) {
    const auto same =
        std::find_if(facts.reductions.begin(), facts.reductions.end(),
                     [&](const Reduction& other) { return other.variable == sum.variable; });
    const bool known = same != facts.reductions.end();
    if (known ? same->how != sum.how : !body.uses_of(*sum.variable, facts.header.node).empty()) {
      return false;
    }
  }
  return true;
}

void add_sums(SumPass& pass, LoopFacts facts) {
  for (const auto& reduction : facts.reductions) {
    const bool known = std::any_of(pass.sums.begin(), pass.sums.end(), [&](const auto& sum) {
      return sum.variable == reduction.variable;
    });
    if (!known) pass.sums.push_back(reduction);
  }
  pass.loops.push_back(std::move(facts));
}

std::string find_passes(const Scene& scene, const KernelBody& body, RowPasses& passes) {
  const SyntaxTree& tree = body.tree();
  NodeId outer_end = 0;
  for (const NodeId loop : tree.descendants(body.function().body, "for_statement")) {
    if (loop < outer_end) continue;  // below one that was looked at
    outer_end = tree.node(loop).end;
    const auto header = counted_loop(body, loop);
    if (!header) continue;
    auto facts = loop_facts(body, *header, buffer_names(scene, body.function()),
                            injective_by_probing(scene, body.function()));
    if (!facts.obstacle.empty() || (facts.loads.empty() && facts.stores.empty())) continue;
    const bool only_shared =
        std::all_of(facts.loads.begin(), facts.loads.end(), [](auto* a) { return a->is_shared; }) &&
        std::all_of(facts.stores.begin(), facts.stores.end(), [](auto* a) { return a->is_shared; });
    if (only_shared) continue;
    for (const MemoryAccess* store : facts.stores) {
      if (store->is_shared) return "a loop keeps '" + store->root + "' in shared memory";
    }
    auto why = obstacle_around(body, loop);
    if (!why.empty()) return why;
    for (const auto& reduction : facts.reductions) {
      if (!may_reorder(scene, reduction.variable->type, reduction.how)) {
        return "the contract asks for the exact sum '" + reduction.variable->name + "'";
      }
    }
    if (facts.reductions.empty()) {
      passes.last.push_back(std::move(facts));
      continue;
    }
    if (!passes.last.empty()) return "a loop stores before another one sums";
    if (!passes.sums.empty() && joins(body, passes.sums.back(), facts)) {
      add_sums(passes.sums.back(), std::move(facts));
    } else {
      add_sums(passes.sums.emplace_back(), std::move(facts));
    }
  }
  return passes.sums.empty() ? "it has no loop that reduces" : "";
}

/// In which launch an access happens: that of a pass, the last one (number of passes), or every one
/// that comes to it.
constexpr std::size_t kEveryLaunch = static_cast<std::size_t>(-1);

struct Place {
  std::size_t launch = kEveryLaunch;
  NodeId loop = kNoNode;
};

Place place_of(const KernelBody& body, const RowPasses& passes, NodeId node) {
  for (std::size_t i = 0; i < passes.sums.size(); ++i) {
    for (const auto& loop : passes.sums[i].loops) {
      if (body.tree().contains(loop.header.node, node)) return {i, loop.header.node};
    }
  }
  for (const auto& loop : passes.last) {
    if (body.tree().contains(loop.header.node, node)) {
      return {passes.sums.size(), loop.header.node};
    }
  }
  return {};
}

/// The statement that is nothing but a store.
NodeId store_statement(const SyntaxTree& tree, NodeId node) {
  NodeId at = tree.node(node).parent;
  while (at != kNoNode && tree.is(at, "parenthesized_expression")) at = tree.node(at).parent;
  if (!tree.is(at, "assignment_expression") && !tree.is(at, "update_expression")) return kNoNode;
  const NodeId up = tree.node(at).parent;
  return tree.is(up, "expression_statement") ? up : kNoNode;
}

std::string check_store(const KernelBody& body, const BufferNames& buffer,
                        const MemoryAccess& store, RowPasses& passes) {
  const SyntaxTree& tree = body.tree();
  const std::string shown = "'" + tree.plain_text(store.node) + "'";
  if (store.root.empty()) return "it is not known where " + shown + " points";
  const Place place = place_of(body, passes, store.node);
  NodeId alone = kNoNode;
  if (place.launch == kEveryLaunch) {
    alone = store_statement(tree, store.node);
    if (store.node < passes.sums.back().loops.back().header.node) {
      return "it stores " + shown + " between its passes";
    }
    if (alone == kNoNode) return shown + " is not a statement of its own";
    passes.first_part_only.push_back(alone);
  }
  for (const auto& other : body.accesses()) {
    if (other.node == store.node || other.is_private || other.is_shared) continue;
    if (other.root.empty()) {
      return "it is not known where '" + tree.plain_text(other.node) + "' points";
    }
    if (buffer(other.root) != buffer(store.root)) continue;
    const Place met = place_of(body, passes, other.node);
    if (met.loop != kNoNode && met.loop == place.loop) continue;
    const bool both_alone = alone != kNoNode && met.launch == kEveryLaunch && other.is_store;
    const std::size_t own = place.launch == kEveryLaunch ? passes.sums.size() : place.launch;
    if (both_alone || (met.launch != kEveryLaunch && met.launch != own)) continue;
    return shown + " and '" + tree.plain_text(other.node) + "' may meet";
  }
  return {};
}

std::string index_of(const PassText& text, const std::string& part) {
  return joined({"((", text.row_index, ") * ", std::to_string(text.parts), "u + ", part, ") * ",
                 std::to_string(text.threads), "u + ", text.thread});
}

/// `sum = wm_sum_of::of(sum, wm_parts_1[…]);` for every sum of the pass; the first has that number.
std::string loads_of(const SumPass& pass, std::size_t number, const PassText& text,
                     const std::string& indent) {
  std::string lines = "// What the parts of an earlier launch found.\n#pragma unroll 8\n" + indent +
                      "for (unsigned wm_from = 0; wm_from < " + std::to_string(text.parts) +
                      "u; ++wm_from) {\n";
  for (const auto& sum : pass.sums) {
    const std::string& name = sum.variable->name;
    lines += joined({indent, "  ", name, " = ", combiner_of(sum.how), "::of(", name, ", wm_parts_",
                     std::to_string(number++), "[", index_of(text, "wm_from"), "]);\n"});
  }
  return lines + indent + "}";
}

void share_pass(const KernelBody& body, const CountedLoop& loop, const PassText& text,
                std::vector<TextEdit>& edits) {
  std::vector<TextEdit> none;
  share_loop(body, loop, {text.parts, "wm_part"}, none, edits);
}

void replace_pass(const KernelBody& body, const SumPass& pass, std::size_t number,
                  const PassText& text, std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  for (const auto& loop : pass.loops) {
    const Range range{begin_with_pragma(tree, loop.header.node),
                      tree.node(loop.header.node).range.end};
    const bool is_first = &loop == &pass.loops.front();
    edits.push_back(
        {range, is_first ? loads_of(pass, number, text, indentation(tree, range.begin)) : ""});
  }
}

/// Up to the end of the pass; what it found is stored.
std::string sum_body(const KernelBody& body, const SumPass& pass, std::size_t number,
                     const PassText& text, std::vector<TextEdit> edits) {
  const SyntaxTree& tree = body.tree();
  const std::size_t begin = tree.node(body.function().body).range.begin + 1;
  const NodeId last = pass.loops.back().header.node;
  const std::size_t first = begin_with_pragma(tree, pass.loops.front().header.node);
  const std::string indent = indentation(tree, first);
  std::string neutral;
  std::string stores = "\n";
  for (const auto& sum : pass.sums) {
    const auto value = neutral_of(sum.how, sum.variable->type);
    if (!value.empty()) neutral += joined({sum.variable->name, " = ", value, ";\n", indent});
    stores += joined({indent, "wm_parts_", std::to_string(number++), "[", index_of(text, "wm_part"),
                      "] = ", sum.variable->name, ";\n"});
  }
  edits.push_back({{first, first}, neutral});
  for (const auto& loop : pass.loops) share_pass(body, loop.header, text, edits);
  std::string result =
      edited_part(tree.source(), {begin, tree.node(last).range.end}, edits) + stores;
  for (NodeId up = tree.node(last).parent; up != body.function().body; up = tree.node(up).parent) {
    if (tree.is(up, "compound_statement"))
      result += indentation(tree, tree.node(up).range.end - 1) + "}\n";
  }
  return result;
}

}  // namespace

RowPasses find_row_passes(const Scene& scene, const KernelBody& body) {
  RowPasses passes;
  passes.refusal = obstacle_in_calls(body);
  if (passes.refusal.empty()) passes.refusal = find_passes(scene, body, passes);
  if (!passes.refusal.empty()) return passes;
  for (const auto& local : body.locals()) {
    if (local.is_reference) passes.refusal = "it holds the reference '" + local.name + "'";
  }
  const auto buffer = buffer_names(scene, body.function());
  for (const auto& access : body.accesses()) {
    if (!access.is_store || access.is_private || access.is_shared) continue;
    if (passes.refusal.empty()) passes.refusal = check_store(body, buffer, access, passes);
  }
  return passes;
}

std::string pass_body(const KernelBody& body, const RowPasses& passes, std::size_t pass,
                      const PassText& text) {
  const SyntaxTree& tree = body.tree();
  std::vector<TextEdit> edits;
  std::size_t number = 1;
  std::size_t i = 0;
  for (; i < passes.sums.size() && i < pass; ++i) {
    replace_pass(body, passes.sums[i], number, text, edits);
    number += passes.sums[i].sums.size();
  }
  const std::string head = "\n  const int wm_part = " + text.part + ";";
  if (pass < passes.sums.size()) {
    return head + sum_body(body, passes.sums[pass], number, text, std::move(edits));
  }
  for (const auto& loop : passes.last) share_pass(body, loop.header, text, edits);
  auto alone = passes.first_part_only;
  sort_unique(alone);
  for (const NodeId statement : alone) {
    const Range range = tree.node(statement).range;
    const bool braces = !tree.is(tree.node(statement).parent, "compound_statement");
    edits.push_back(
        {{range.begin, range.begin}, braces ? "{ if (wm_part == 0) " : "if (wm_part == 0) "});
    if (braces) edits.push_back({{range.end, range.end}, " }"});
  }
  const Range range = tree.node(body.function().body).range;
  return head + edited_part(tree.source(), {range.begin + 1, range.end - 1}, edits);
}

}  // namespace warpmind::agents::builtin
