#include "agents/builtin/forms/combined_parts.h"

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/pointwise/guarded_body.h"

namespace warpmind::agents::builtin {

void CombinedParts::begin(const Local& part, Of of) {
  part_ = &part;
  of_ = of;
  array_.clear();
  is_whole_ = is_everywhere_ = false;
}

bool CombinedParts::puts(NodeId assignment, const std::string& taken) {
  const NodeId left = tree_.field(assignment, "left");
  if (part_ == nullptr || !is_own_element(left) ||
      named(tree_.field(assignment, "right")) != part_) {
    return false;
  }
  const std::string& root = access_at(left)->root;
  if (root == taken) return false;
  array_ = root;
  is_whole_ = false;
  return true;
}

/// `array[threadIdx.x]` in shared memory.
bool CombinedParts::is_own_element(NodeId node) const {
  const MemoryAccess* access = access_at(node);
  return access != nullptr && access->is_shared && access->index != kNoNode &&
         resolved_text(access->index) == "threadIdx.x";
}

bool CombinedParts::is_element_above(NodeId node, const Local& step) const {
  const MemoryAccess* access = access_at(node);
  if (access == nullptr || access->root != array_ || access->index == kNoNode) return false;
  const NodeId sum = tree_.bare(access->index);
  return tree_.is(sum, "binary_expression") && tree_.operator_of(sum) == "+" &&
         resolved_text(tree_.field(sum, "left")) == "threadIdx.x" &&
         named(tree_.field(sum, "right")) == &step;
}

/// `for (int s = first; s > 0; s >>= 1)`: its variable, or nullptr.
const Local* CombinedParts::halving(NodeId loop, NodeId& first) const {
  const auto declared = tree_.descendants(tree_.field(loop, "initializer"), "init_declarator");
  if (declared.size() != 1) return nullptr;
  const NodeId identifier = tree_.declared(declared.front());
  first = tree_.field(declared.front(), "value");
  const Local* found = nullptr;
  for (const auto& local : body_.locals()) {
    if (local.identifier == identifier) found = &local;
  }
  if (found == nullptr) return nullptr;
  const std::string condition = tree_.plain_text(tree_.bare(tree_.field(loop, "condition")));
  const std::string update = tree_.plain_text(tree_.field(loop, "update"));
  const bool ends = condition == found->name + " > 0" || condition == found->name + " >= 1";
  const bool halves = update == found->name + " >>= 1" || update == found->name + " /= 2";
  return ends && halves ? found : nullptr;
}

/// `target = fmaxf(target, other)` or `target += other`.
template <class IsTarget, class IsOther>
bool CombinedParts::takes_in(NodeId what, const IsTarget& is_target,
                             const IsOther& is_other) const {
  if (!tree_.is(what, "assignment_expression") || !is_target(tree_.field(what, "left"))) {
    return false;
  }
  const NodeId right = tree_.bare(tree_.field(what, "right"));
  if (of_ == Of::sum) return tree_.operator_of(what) == "+=" && is_other(right);
  if (tree_.operator_of(what) != "=" || !is_call_of(right, kMaxima)) return false;
  const auto arguments = arguments_of(right);
  return arguments.size() == 2 && ((is_target(arguments[0]) && is_other(arguments[1])) ||
                                   (is_target(arguments[1]) && is_other(arguments[0])));
}

bool CombinedParts::combines(NodeId loop) {
  if (part_ == nullptr || (threads_ & (threads_ - 1)) != 0) return false;
  NodeId first = kNoNode;
  const Local* step = halving(loop, first);
  if (step == nullptr) return false;
  const std::string start = tree_.plain_text(tree_.bare(first));
  const auto number = integer_literal(tree_, first);
  const bool is_half = (number && *number * 2 == threads_) || start == "blockDim.x / 2" ||
                       start == "blockDim.x >> 1";
  const auto statements = statements_of(tree_, tree_.field(loop, "body"));
  if (!is_half || statements.empty()) return false;
  if (statements.size() == 1 && threads_ == 32) {
    return combines_by_shuffles(statements.front(), *step);
  }
  return combines_in_tree(statements, *step);
}

/// `if (t < s) array[t] = fmaxf(array[t], array[t + s]); __syncthreads();`
bool CombinedParts::combines_in_tree(const std::vector<NodeId>& statements, const Local& step) {
  if (array_.empty() || statements.size() != 2 || !is_barrier(statements[1]) ||
      !tree_.is(statements[0], "if_statement") ||
      tree_.field(statements[0], "alternative") != kNoNode) {
    return false;
  }
  const NodeId condition = tree_.bare(tree_.field(statements[0], "condition"));
  const auto guarded = statements_of(tree_, tree_.field(statements[0], "consequence"));
  const bool below = tree_.operator_of(condition) == "<" &&
                     resolved_text(tree_.field(condition, "left")) == "threadIdx.x" &&
                     named(tree_.field(condition, "right")) == &step;
  if (!below || guarded.size() != 1) return false;
  const auto own = [&](NodeId node) {
    return is_own_element(node) && access_at(node)->root == array_;
  };
  const auto above = [&](NodeId node) { return is_element_above(node, step); };
  is_whole_ = takes_in(only_expression(guarded.front()), own, above);
  return is_whole_;
}

/// `part = fmaxf(part, __shfl_xor_sync(~0, part, step))` in blocks of one warp.
bool CombinedParts::combines_by_shuffles(NodeId statement, const Local& step) {
  const auto own = [&](NodeId node) { return named(node) == part_; };
  const auto of_lane = [&](NodeId node) {
    constexpr std::array<std::string_view, 1> kShuffle{"__shfl_xor_sync"};
    constexpr std::array<std::string_view, 5> kAll{"0xffffffff", "0xffffffffu", "0xFFFFFFFF",
                                                   "0xFFFFFFFFu", "~0u"};
    const NodeId call = tree_.bare(node);
    if (!is_call_of(call, kShuffle)) return false;
    const auto arguments = arguments_of(call);
    return arguments.size() == 3 && contains(kAll, tree_.plain_text(arguments[0])) &&
           named(arguments[1]) == part_ && named(arguments[2]) == &step;
  };
  is_everywhere_ = takes_in(only_expression(statement), own, of_lane);
  return is_everywhere_;
}

std::optional<CombinedParts::Of> CombinedParts::taken_by(NodeId value) {
  const MemoryAccess* access = access_at(value);
  if (part_ == nullptr || !is_whole_ || access == nullptr || access->root != array_ ||
      access->index == kNoNode || integer_literal(tree_, access->index) != 0) {
    return std::nullopt;
  }
  part_ = nullptr;
  return of_;
}

std::optional<CombinedParts::Of> CombinedParts::taken_by_every_thread() {
  if (part_ == nullptr || !is_everywhere_) return std::nullopt;
  part_ = nullptr;
  return of_;
}

}  // namespace warpmind::agents::builtin
