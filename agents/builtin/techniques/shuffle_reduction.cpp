/// \file
/// A tree of halves in shared memory, with a barrier a step, becomes shuffles and two barriers.

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/templates/device_templates.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// `A[t] op= A[t + s]`.
struct TreeUpdate {
  std::string array;
  std::string type;
  Combining how = Combining::sum;
};

/// `for (s = threads / 2; s > 0; s /= 2) { if (t < s) updates; __syncthreads(); }`
struct TreeLoop {
  NodeId loop = kNoNode;
  NodeId thread = kNoNode;  ///< `t` as it stands in the condition
  std::int64_t threads = 0;
  std::vector<TreeUpdate> updates;
};

class TreeReader {
 public:
  TreeReader(const Scene& scene, const KernelBody& body)
      : scene_(scene), body_(body), tree_(body.tree()) {}

  /// nullopt with `refusal` when it is such a loop but may not be replaced, without when it is not.
  std::optional<TreeLoop> read(NodeId loop, std::string& refusal) {
    const Local* step = halving_variable(loop);
    if (step == nullptr) return std::nullopt;
    TreeLoop found;
    found.loop = loop;
    const NodeId guard = guard_of(loop);
    if (guard == kNoNode || !read_guard(guard, *step, found)) return std::nullopt;
    const auto block = fixed_block(scene_, body_.function());
    if (!block || (*block)[1] != 1 || (*block)[2] != 1) {
      refusal = "the block's size is not known";
      return std::nullopt;
    }
    found.threads = (*block)[0];
    const bool power = (found.threads & (found.threads - 1)) == 0;
    const auto first = typical_value(scene_, body_.function(), step->value);
    if (!power || found.threads < 64 || !first || *first * 2 != found.threads) {
      refusal = "the tree does not hold the whole block";
      return std::nullopt;
    }
    for (const auto& update : found.updates) {
      if (!may_reorder(scene_, update.type, update.how)) {
        refusal = "the contract asks for the exact sum '" + update.array + "'";
      } else if (!only_total_is_read(loop, update.array)) {
        refusal = "more than the total of '" + update.array + "' is read";
      }
    }
    if (refusal.empty()) return found;
    return std::nullopt;
  }

 private:
  /// The variable of `for (int s = …; s > 0; s >>= 1)`.
  [[nodiscard]] const Local* halving_variable(NodeId loop) const {
    const auto declared = tree_.descendants(tree_.field(loop, "initializer"), "init_declarator");
    if (declared.size() != 1) return nullptr;
    const Local* step = nullptr;
    for (const auto& local : body_.locals()) {
      if (local.identifier == tree_.declared(declared.front())) step = &local;
    }
    if (step == nullptr) return nullptr;
    const std::string condition = tree_.plain_text(tree_.bare(tree_.field(loop, "condition")));
    const std::string update = tree_.plain_text(tree_.field(loop, "update"));
    const std::string& s = step->name;
    if (condition != s + " > 0" && condition != s + ">0" && condition != s + " >= 1") {
      return nullptr;
    }
    for (const auto& form : {s + " >>= 1", s + ">>=1", s + " /= 2", s + "/=2",
                             joined({s, " = ", s, " / 2"}), joined({s, " = ", s, " >> 1"})}) {
      if (update == form) return step;
    }
    return nullptr;
  }

  /// The if_statement of a body that holds nothing else but a barrier behind it.
  [[nodiscard]] NodeId guard_of(NodeId loop) const {
    const auto statements = tree_.children(tree_.field(loop, "body"));
    if (statements.size() != 2 || !tree_.is(statements[0], "if_statement")) return kNoNode;
    if (tree_.plain_text(statements[1]) != "__syncthreads();") return kNoNode;
    return tree_.field(statements[0], "alternative") == kNoNode ? statements[0] : kNoNode;
  }

  [[nodiscard]] bool is_thread(NodeId expression) const {
    NodeId at = tree_.bare(expression);
    if (tree_.is(at, "identifier")) {
      const Local* local = body_.local_of(at);
      if (local == nullptr || body_.written_in(*local, body_.function().body)) return false;
      at = tree_.bare(local->value);
    }
    return tree_.plain_text(at) == "threadIdx.x";
  }

  [[nodiscard]] bool names(NodeId expression, const Local& variable) const {
    const NodeId at = tree_.bare(expression);
    return tree_.is(at, "identifier") && body_.local_of(at) == &variable;
  }

  bool read_guard(NodeId guard, const Local& step, TreeLoop& found) const {
    const NodeId condition = tree_.bare(tree_.field(guard, "condition"));
    if (!tree_.is(condition, "binary_expression") || tree_.operator_of(condition) != "<") {
      return false;
    }
    found.thread = tree_.field(condition, "left");
    if (!is_thread(found.thread) || !names(tree_.field(condition, "right"), step)) return false;
    const NodeId inside = tree_.field(guard, "consequence");
    auto statements = tree_.children(inside);
    if (!tree_.is(inside, "compound_statement")) statements = {inside};
    for (const NodeId statement : statements) {
      if (!tree_.is(statement, "expression_statement")) return false;
      const auto inner = tree_.children(statement);
      if (inner.size() != 1) return false;
      auto update = read_update(inner.front(), step);
      if (!update) return false;
      found.updates.push_back(std::move(*update));
    }
    return !found.updates.empty();
  }

  /// The access at `node` and whether its index is `t` (else `t + s`).
  const MemoryAccess* element(NodeId node, const Local& step, bool& is_own) const {
    const NodeId at = tree_.bare(node);
    for (const auto& access : body_.accesses()) {
      if (access.node != at || !access.is_shared || access.index == kNoNode) continue;
      const NodeId index = tree_.bare(access.index);
      is_own = is_thread(index);
      if (is_own) return &access;
      if (!tree_.is(index, "binary_expression") || tree_.operator_of(index) != "+") return nullptr;
      const NodeId left = tree_.field(index, "left");
      const NodeId right = tree_.field(index, "right");
      const bool other =
          (is_thread(left) && names(right, step)) || (is_thread(right) && names(left, step));
      return other ? &access : nullptr;
    }
    return nullptr;
  }

  [[nodiscard]] std::optional<TreeUpdate> read_update(NodeId node, const Local& step) const {
    if (!tree_.is(node, "assignment_expression")) return std::nullopt;
    bool own = false;
    const MemoryAccess* target = element(tree_.field(node, "left"), step, own);
    if (target == nullptr || !own) return std::nullopt;
    TreeUpdate update{target->root, body_.element_type(target->pointer), Combining::sum};
    if (size_of_type(update.type) < 4) return std::nullopt;
    const auto op = tree_.operator_of(node);
    const NodeId value = tree_.bare(tree_.field(node, "right"));
    std::vector<NodeId> operands{value};
    if (op == "*=") {
      update.how = Combining::product;
    } else if (op == "=") {
      operands = operands_of(value, update.how);
    } else if (op != "+=") {
      return std::nullopt;
    }
    int others = 0;
    for (const NodeId operand : operands) {
      bool is_own = false;
      const MemoryAccess* read = element(operand, step, is_own);
      if (read == nullptr || read->root != update.array) return std::nullopt;
      others += is_own ? 0 : 1;
    }
    const std::size_t wanted = op == "=" ? 2 : 1;
    return others == 1 && operands.size() == wanted ? std::optional(update) : std::nullopt;
  }

  std::vector<NodeId> operands_of(NodeId value, Combining& how) const {
    if (tree_.is(value, "binary_expression")) {
      if (tree_.operator_of(value) != "+" && tree_.operator_of(value) != "*") return {};
      how = tree_.operator_of(value) == "+" ? Combining::sum : Combining::product;
      return {tree_.field(value, "left"), tree_.field(value, "right")};
    }
    if (!tree_.is(value, "call_expression")) return {};
    const auto name = tree_.plain_text(tree_.field(value, "function"));
    const bool maximum = name == "fmaxf" || name == "max" || name == "fmax";
    if (!maximum && name != "fminf" && name != "min" && name != "fmin") return {};
    how = maximum ? Combining::maximum : Combining::minimum;
    return tree_.children(tree_.field(value, "arguments"));
  }

  /// Behind the loop only element 0 is read until every thread has stored its own again.
  [[nodiscard]] bool only_total_is_read(NodeId loop, const std::string& array) const {
    for (NodeId up = tree_.node(loop).parent; up != body_.function().body;
         up = tree_.node(up).parent) {
      if (!tree_.is(up, "compound_statement")) return false;
    }
    std::vector<const MemoryAccess*> later;
    for (const auto& access : body_.accesses()) {
      if (access.root == array && access.node > loop && !tree_.contains(loop, access.node)) {
        later.push_back(&access);
      }
    }
    std::sort(later.begin(), later.end(),
              [](const auto* a, const auto* b) { return a->node < b->node; });
    for (const MemoryAccess* access : later) {
      const bool plain_store = access->is_store && !access->is_load;
      const NodeId statement = tree_.node(tree_.node(access->node).parent).parent;
      const bool always = tree_.node(statement).parent == body_.function().body;
      if (plain_store && always && access->index != kNoNode && is_thread(access->index))
        return true;
      if (access->is_load && integer_literal(tree_, access->index) != 0) return false;
    }
    return true;
  }

  const Scene& scene_;
  const KernelBody& body_;
  const SyntaxTree& tree_;
};

std::vector<TreeLoop> tree_loops(const Scene& scene, const KernelBody& body, std::string& refusal) {
  std::vector<TreeLoop> found;
  const Function& function = body.function();
  refusal = reason_not_to_edit(scene.source(), function);
  if (!refusal.empty()) return found;
  TreeReader reader(scene, body);
  for (const NodeId loop : scene.tree().descendants(function.body, "for_statement")) {
    // A second time the tree stands in the branch for other block sizes.
    if (scene.tree().ancestor(loop, "else_clause", function.body) != kNoNode) continue;
    std::string why;
    auto tree = reader.read(loop, why);
    if (!why.empty() && refusal.empty()) refusal = "'" + function.name + "': " + why;
    if (tree) found.push_back(std::move(*tree));
  }
  if (refusal.empty()) refusal = "'" + function.name + "' adds up no halves in shared memory";
  return found;
}

std::string shuffled(const SyntaxTree& tree, const TreeLoop& loop) {
  const Range range{begin_with_pragma(tree, loop.loop), tree.node(loop.loop).range.end};
  const std::string indent = indentation(tree, range.begin);
  const std::string threads = std::to_string(loop.threads);
  const std::string thread(tree.text(loop.thread));
  std::string text = "if (blockDim.x == " + threads + ") {\n";
  std::string stores;
  for (std::size_t i = 0; i < loop.updates.size(); ++i) {
    const auto& update = loop.updates[i];
    const std::string total = "wm_total_" + std::to_string(i + 1);
    text +=
        joined({indent, "  const ", update.type, " ", total, " = wm_combine_lanes<",
                combiner_of(update.how), ", ", threads, ">(", update.array, "[", thread, "]);\n"});
    stores += " " + update.array + "[0] = " + total + ";";
  }
  text += indent + "  if (" + thread + " == 0) {" + stores + " }\n" + indent +
          "  __syncthreads();\n" + indent + "} else {\n";
  const std::string given = indent + tree.source().substr(range.begin, range.end - range.begin);
  return text + reindented(given, indent + "  ") + indent + "}";
}

Offer offer_shuffle_reduction(const Scene& scene) {
  Offer offer;
  auto refusal = for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    const KernelBody body(scene.source(), function);
    std::string why;
    const auto loops = tree_loops(scene, body, why);
    if (loops.empty()) return why;
    const double gain = 1.04 + 0.04 * static_cast<double>(loops.size());
    offer.moves.push_back(
        {"shuffle_reduction", "kernel=" + function.name, scene.plan_gain(launch, gain)});
    return std::string();
  });
  if (offer.moves.empty()) offer.refusal = std::move(refusal);
  return offer;
}

std::optional<Kernel> apply_shuffle_reduction(const Scene& scene, std::string_view parameters) {
  const Function* function = kernel_called(scene, parameter_text(parameters, "kernel"));
  if (function == nullptr) return std::nullopt;
  const KernelBody body(scene.source(), *function);
  std::string refusal;
  const auto loops = tree_loops(scene, body, refusal);
  if (loops.empty()) return std::nullopt;
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  if (auto paste = paste_template(tree, "lanes")) edits.push_back(std::move(*paste));
  for (const auto& loop : loops) {
    edits.push_back({{begin_with_pragma(tree, loop.loop), tree.node(loop.loop).range.end},
                     shuffled(tree, loop)});
  }
  return with_edits(scene, std::move(edits));
}

}  // namespace

Technique shuffle_reduction_technique() {
  return {"shuffle_reduction",
          "lanes of a warp add up through registers, which takes two barriers in place of one for "
          "every halving",
          "kernel=NAME", offer_shuffle_reduction, apply_shuffle_reduction};
}

}  // namespace warpmind::agents::builtin
