#include "agents/builtin/loops/column_blocks.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/loops/thread_dependence.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

bool is_field(const SyntaxTree& tree, NodeId node, std::string_view text) {
  return tree.is(node, "field_expression") && tree.plain_text(node) == text;
}

/// The expression without casts, with locals that never change as their values.
NodeId value_of(const KernelBody& body, NodeId expression) {
  const SyntaxTree& tree = body.tree();
  NodeId at = tree.bare(expression);
  for (int i = 0; i < 8 && tree.is(at, "identifier"); ++i) {
    const Local* local = body.local_of(at);
    if (local == nullptr || local->value == kNoNode) break;
    if (body.written_in(*local, body.function().body)) break;
    at = tree.bare(local->value);
  }
  return at;
}

std::string obstacle_in_names(const KernelBody& body) {
  const SyntaxTree& tree = body.tree();
  for (const std::string name : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
    for (const NodeId use : tree.uses(body.function().body, name)) {
      const NodeId up = tree.node(use).parent;
      if (!tree.is(up, "field_expression")) return "it passes " + name + " on";
      const auto axis = tree.plain_text(up).back();
      if ((name == "threadIdx" || name == "blockDim") && axis != 'x') {
        return "it reads " + name + "." + axis;
      }
    }
  }
  if (!tree.uses(body.function().body, "warpSize").empty()) return "it uses warpSize";
  return {};
}

std::string obstacle_in_calls(const KernelBody& body) {
  const ThreadDependence among(body, AmongThreads::of_the_grid);
  for (const auto& call : body.calls()) {
    if (call.kind == CallKind::pure) continue;
    if (call.kind == CallKind::barrier) {
      if (call.name != "__syncthreads") return "it calls " + call.name;
      if (among.is_under_choice(call.node)) return "not all blocks come to the same barriers";
      continue;
    }
    if (!is_shared_atomic(body, call)) return "it calls " + call.name;
  }
  return {};
}

/// A use that still means the same when the variable becomes one of several.
bool is_plain_use(const KernelBody& body, NodeId use, bool is_array) {
  const SyntaxTree& tree = body.tree();
  NodeId whole = use;
  if (is_array) {
    whole = tree.node(use).parent;
    if (!tree.is(whole, "subscript_expression") || tree.node(use).field != "argument") {
      return false;
    }
  }
  if (!tree.is(tree.node(whole).parent, "pointer_expression")) return true;
  for (const auto& call : body.calls()) {
    if (call.kind == CallKind::atomic && tree.contains(call.node, whole)) return true;
  }
  return false;
}

std::string find_shared(const KernelBody& body, ColumnBlocks& blocks) {
  const SyntaxTree& tree = body.tree();
  for (const auto& local : body.locals()) {
    if (local.is_reference) return "it holds the reference '" + local.name + "'";
    if (!local.is_shared) continue;
    SharedVariable shared{&local, kNoNode, false};
    const std::string name = "'" + local.name + "'";
    if (local.is_pointer) return name + " is a pointer in shared memory";
    if (local.is_array) {
      const NodeId declaration = tree.ancestor(local.identifier, "declaration");
      const NodeId array = tree.node(local.identifier).parent;
      if (!tree.is(array, "array_declarator") ||
          tree.is(tree.node(array).parent, "array_declarator")) {
        return name + " has several dimensions";
      }
      shared.size = tree.field(array, "size");
      shared.is_dynamic = shared.size == kNoNode;
      if (shared.is_dynamic && tree.text(declaration).find("extern") == std::string_view::npos) {
        return "the size of " + name + " is not known";
      }
    }
    for (const NodeId use : body.uses_of(local, body.function().body)) {
      if (!is_plain_use(body, use, local.is_array)) return name + " is passed on";
    }
    blocks.shared.push_back(shared);
  }
  return {};
}

/// Elements from what the first thread touches in a block to what it does in the next one.
std::optional<std::int64_t> block_stride(const KernelProber& prober, NodeId node,
                                         std::size_t axis) {
  std::optional<std::int64_t> stride;
  const auto& grid = prober.launch().shape.grid;
  for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{grid[axis]} - 1) / 2}) {
    ThreadPosition here;
    here.block[axis] = first;
    ThreadPosition there = here;
    ++there.block[axis];
    const auto from = prober.access(node, here);
    const auto to = prober.access(node, there);
    if (!from || !to || from->buffer != to->buffer) return std::nullopt;
    const std::int64_t step = to->element - from->element;
    if (stride && *stride != step) return std::nullopt;
    stride = step;
  }
  return stride;
}

bool find_axis(const Scene& scene, const KernelBody& body, const LoopFacts& facts,
               ColumnBlocks& blocks) {
  const auto shapes = scene.launches_of(body.function());
  const KernelProber prober(scene.source(), body.function(), *shapes.front());
  for (const auto* accesses : {&facts.loads, &facts.stores}) {
    for (const MemoryAccess* access : *accesses) {
      if (access->is_shared || access->index == kNoNode) continue;
      const auto first = prober.access(access->node, prober.position(0));
      const auto second = prober.access(access->node, prober.position(1));
      if (!first || !second || first->buffer != second->buffer) continue;
      const std::int64_t along = second->element - first->element;
      if (along == 0 || along == 1) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (shapes.front()->shape.grid[axis] < 2) continue;
        if (block_stride(prober, access->node, axis) != 1) continue;
        blocks.axis = axis;
        blocks.element_bytes = std::max(1, size_of_type(body.element_type(access->pointer)));
        return true;
      }
    }
  }
  return false;
}

std::string find_loops(const Scene& scene, const KernelBody& body, ColumnBlocks& blocks) {
  const SyntaxTree& tree = body.tree();
  bool found = false;
  for (const NodeId loop : tree.descendants(body.function().body, "for_statement")) {
    const auto header = counted_loop(body, loop);
    if (!header) continue;
    const auto strided = strided_loop(scene, body, *header);
    if (!strided || strided->is_serial()) continue;
    if (!is_field(tree, value_of(body, header->step), "blockDim.x")) continue;
    // Whatever iterations of two threads store is theirs to sort out before and after.
    const auto facts = loop_facts(body, *header, buffer_names(scene, body.function()),
                                  [](NodeId, NodeId) { return true; });
    if (!facts.obstacle.empty()) continue;
    blocks.loops.push_back(loop);
    blocks.sums.insert(blocks.sums.end(), facts.reductions.begin(), facts.reductions.end());
    if (found || !find_axis(scene, body, facts, blocks)) continue;
    found = true;
    const auto end = typical_value(scene, body.function(), header->bound);
    const auto begin = typical_value(scene, body.function(), header->start);
    if (begin && end) blocks.length = std::max<std::int64_t>(1, *end - *begin);
  }
  if (blocks.loops.empty()) return "no loop steps by the threads of the block";
  if (!found) return "neighbouring blocks do not read neighbouring elements";
  return {};
}

/// Columns behind the last one repeat it without storing: that must be possible, and harmless.
std::string find_stores(const KernelBody& body, const BufferNames& buffer, ColumnBlocks& blocks) {
  const SyntaxTree& tree = body.tree();
  for (const auto& access : body.accesses()) {
    if (!access.is_store || access.is_private || access.is_shared) continue;
    const std::string shown = "'" + tree.plain_text(access.node) + "'";
    if (access.root.empty()) return "it is not known where " + shown + " points";
    NodeId at = tree.node(access.node).parent;
    while (tree.is(at, "parenthesized_expression")) at = tree.node(at).parent;
    const NodeId statement = tree.node(at).parent;
    if ((!tree.is(at, "assignment_expression") && !tree.is(at, "update_expression")) ||
        !tree.is(statement, "expression_statement")) {
      return shown + " is not a statement of its own";
    }
    for (const auto& other : body.accesses()) {
      if (!other.is_load || other.is_private || other.is_shared) continue;
      if (other.root.empty() || buffer(other.root) == buffer(access.root)) {
        return shown + " may be read by another block";
      }
    }
    blocks.stores.push_back(statement);
  }
  return {};
}

/// Threads that leave would be missing where those of their warp meet.
std::string obstacle_in_returns(const Scene& scene, const KernelBody& body) {
  for (const NodeId leave : scene.tree().descendants(body.function().body, "return_statement")) {
    for (const SceneLaunch* launch : scene.launches_of(body.function())) {
      const KernelProber prober(scene.source(), body.function(), *launch);
      for (const std::int64_t flat : {std::int64_t{0}, prober.threads() - 1}) {
        const auto reached = prober.reaches(leave, prober.position(flat));
        if (!reached || *reached) return "some blocks may return early";
      }
    }
  }
  return {};
}

/// Part of the head of a loop that steps by the threads of the block, or starts at their half.
bool is_in_head(const KernelBody& body, const ColumnBlocks& blocks, NodeId use) {
  const SyntaxTree& tree = body.tree();
  const NodeId loop = tree.ancestor(use, "for_statement", body.function().body);
  if (loop == kNoNode || tree.contains(tree.field(loop, "body"), use)) return false;
  if (contains(blocks.loops, loop)) return true;
  return tree.contains(tree.field(loop, "initializer"), use);
}

/// `t == 0`, `t < s` with a variable of a loop, `a[t]`, `a[t + s]` in shared memory.
bool is_known_use(const KernelBody& body, NodeId use) {
  const SyntaxTree& tree = body.tree();
  NodeId at = use;
  NodeId up = tree.node(at).parent;
  const auto is_of_loop = [&](NodeId node) {
    const NodeId bare = tree.bare(node);
    const Local* local = tree.is(bare, "identifier") ? body.local_of(bare) : nullptr;
    return local != nullptr && tree.is(local->scope, "for_statement");
  };
  if (tree.is(up, "binary_expression")) {
    const auto op = tree.operator_of(up);
    const bool is_left = tree.field(up, "left") == at;
    const NodeId other = tree.field(up, is_left ? "right" : "left");
    if (op == "==" || op == "!=") return integer_literal(tree, other) == 0;
    if (op == "<") return is_left && is_of_loop(other);
    if (op != "+" || !is_of_loop(other)) return false;
    at = up;
    up = tree.node(at).parent;
  }
  if (!tree.is(up, "subscript_argument_list") && !tree.is(up, "subscript_expression")) return false;
  const NodeId subscript =
      tree.is(up, "subscript_expression") ? up : tree.ancestor(at, "subscript_expression");
  return std::any_of(body.accesses().begin(), body.accesses().end(), [&](const auto& access) {
    return access.node == subscript && access.is_shared && tree.bare(access.index) == tree.bare(at);
  });
}

/// Whether every thread's sum starts with nothing.
bool starts_with_nothing(const KernelBody& body, const ColumnBlocks& blocks, const Reduction& sum) {
  const SyntaxTree& tree = body.tree();
  if (sum.how == Combining::maximum || sum.how == Combining::minimum) return true;
  if (sum.how == Combining::bit_and || sum.how == Combining::bit_or) return true;
  const std::string_view start = tree.text(tree.bare(sum.variable->value));
  const bool is_product = sum.how == Combining::product;
  const std::string digits(start.substr(0, start.find_first_not_of("0123456789.")));
  const bool neutral = is_product
                           ? digits == "1" || digits == "1.0" || digits == "1."
                           : !digits.empty() && digits.find_first_not_of("0.") == std::string::npos;
  if (!neutral || !tree.is(tree.bare(sum.variable->value), "number_literal")) return false;
  for (const auto& write : body.writes()) {
    if (write.local != sum.variable) continue;
    const bool in_loop = std::any_of(blocks.loops.begin(), blocks.loops.end(),
                                     [&](NodeId loop) { return tree.contains(loop, write.node); });
    if (!in_loop && write.node < blocks.loops.back()) return false;
  }
  return true;
}

/// Whether a block of fewer threads would do something else, as far as is known.
bool needs_all_threads(const Scene& scene, const KernelBody& body, const ColumnBlocks& blocks) {
  const SyntaxTree& tree = body.tree();
  const auto block = fixed_block(scene, body.function());
  for (const auto& sum : blocks.sums) {
    if (!starts_with_nothing(body, blocks, sum)) return true;
  }
  std::vector<NodeId> uses;
  for (const NodeId field : tree.descendants(body.function().body, "field_expression")) {
    if (is_field(tree, field, "threadIdx.x") || is_field(tree, field, "blockDim.x")) {
      uses.push_back(field);
    }
  }
  // What is named after them counts, too.
  for (std::size_t i = 0; i < uses.size() && uses.size() < 1000; ++i) {
    if (is_in_head(body, blocks, uses[i]) || is_known_use(body, uses[i])) continue;
    const NodeId declarator = tree.node(uses[i]).parent;
    if (!tree.is(declarator, "init_declarator") || tree.field(declarator, "value") != uses[i]) {
      return true;
    }
    const NodeId named = tree.declared(declarator);
    for (const auto& local : body.locals()) {
      if (local.identifier != named) continue;
      if (body.written_in(local, body.function().body)) return true;
      const auto more = body.uses_of(local, body.function().body);
      uses.insert(uses.end(), more.begin(), more.end());
    }
  }
  for (const NodeId literal : tree.descendants(body.function().body, "number_literal")) {
    const auto value = integer_literal(tree, literal);
    const bool is_size = tree.is(tree.node(literal).parent, "array_declarator");
    if (value && *value >= 32 && *value == (*block)[0] && !is_size) return true;
  }
  return false;
}

}  // namespace

ColumnBlocks find_column_blocks(const Scene& scene, const KernelBody& body) {
  ColumnBlocks blocks;
  const auto block = fixed_block(scene, body.function());
  if (!block || (*block)[1] != 1 || (*block)[2] != 1) {
    blocks.refusal = "its blocks are no lines of one size";
    return blocks;
  }
  blocks.refusal = obstacle_in_names(body);
  if (blocks.refusal.empty()) blocks.refusal = find_loops(scene, body, blocks);
  if (blocks.refusal.empty()) blocks.refusal = obstacle_in_calls(body);
  if (blocks.refusal.empty()) blocks.refusal = find_shared(body, blocks);
  if (blocks.refusal.empty()) {
    blocks.refusal = find_stores(body, buffer_names(scene, body.function()), blocks);
  }
  if (blocks.refusal.empty()) blocks.refusal = obstacle_in_returns(scene, body);
  if (blocks.refusal.empty()) {
    constexpr std::array<std::string_view, 3> kExtents{"gridDim.x", "gridDim.y", "gridDim.z"};
    for (const NodeId field : scene.tree().descendants(body.function().body, "field_expression")) {
      if (is_field(scene.tree(), field, kExtents[blocks.axis])) {
        blocks.refusal = "it reads " + std::string(kExtents[blocks.axis]);
      }
    }
  }
  const auto threads = (*block)[0];
  blocks.keeps_threads = (threads & (threads - 1)) != 0 || needs_all_threads(scene, body, blocks);
  return blocks;
}

std::optional<std::int64_t> shared_bytes_of(const Scene& scene, const KernelBody& body,
                                            const ColumnBlocks& blocks) {
  std::int64_t bytes = 0;
  for (const SceneLaunch* launch : scene.launches_of(body.function())) {
    bytes = std::max(bytes, std::int64_t{launch->shape.shared_bytes});
  }
  for (const auto& shared : blocks.shared) {
    if (shared.is_dynamic) continue;
    const int size = size_of_type(shared.local->type);
    const auto count = shared.size == kNoNode ? std::optional<std::int64_t>(1)
                                              : typical_value(scene, body.function(), shared.size);
    if (size == 0 || !count) return std::nullopt;
    bytes += size * *count;
  }
  return bytes;
}

}  // namespace warpmind::agents::builtin
