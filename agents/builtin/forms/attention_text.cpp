#include "agents/builtin/forms/attention_text.h"

#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/pointwise/guarded_body.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

const MemoryAccess* access_of(const KernelBody& body, NodeId subscript) {
  for (const auto& access : body.accesses()) {
    if (access.node == subscript) return &access;
  }
  return nullptr;
}

/// Whether what follows such an if is left out where its condition holds.
bool leaves(const SyntaxTree& tree, NodeId statement) {
  if (!tree.is(statement, "if_statement") || tree.field(statement, "alternative") != kNoNode) {
    return false;
  }
  const auto inner = statements_of(tree, tree.field(statement, "consequence"));
  return !inner.empty() && tree.is(inner.back(), "return_statement") &&
         tree.descendants(statement, "return_statement").size() == 1;
}

class ProblemWriter {
 public:
  ProblemWriter(const KernelBody& body, const AttentionKernel& kernel, const AttentionGrid& grid,
                const AttentionTypes& types)
      : body_(body), tree_(body.tree()), kernel_(kernel), grid_(grid), types_(types) {}

  Result<std::string> write() {
    WARPMIND_CHECK(check_returns());
    // Methods first: they say which variables a query keeps.
    std::string methods;
    for (const auto method :
         {&ProblemWriter::length, &ProblemWriter::dim, &ProblemWriter::scale, &ProblemWriter::seen,
          &ProblemWriter::rows, &ProblemWriter::finished}) {
      WARPMIND_TRY(const auto text, (this->*method)());
      methods += text;
    }
    WARPMIND_TRY(const auto at, place_of_query());
    WARPMIND_TRY(const auto absent, what_absent_ones_do());
    std::string text = "struct wm_problem_" + body_.function().name + " {\n";
    for (const auto& parameter : body_.function().parameters) {
      text += "  " + parameter.type + " wm_" + parameter.name + ";\n";
    }
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
      text += "  unsigned " + grid_name(axis) + ";\n";
    }
    text += "  using element = " + types_.element + ";\n  using output = " + types_.output +
            ";\n  static constexpr bool masks = " + (kernel_.seen.empty() ? "false" : "true") +
            ";\n  static constexpr bool is_brain = " +
            (types_.element == "__nv_bfloat16" ? "true" : "false") +
            ";\n  struct wm_query {\n    bool wm_exists;\n";
    for (const Local* local : kept_) text += "    " + type_of(*local) + " " + local->name + ";\n";
    return text + "  };\n" + group() + at + absent + methods + "};";
  }

 private:
  /// Text of a node, its variables renamed: parameters are members, variables of a query belong to
  /// it unless the text runs `in_prologue`; `zero` counts as 0.
  [[nodiscard]] Result<std::string> text_of(NodeId node, bool in_prologue,
                                            const Local* zero = nullptr) {
    std::vector<TextEdit> edits;
    for (const NodeId use : tree_.descendants(node)) {
      if (tree_.is(use, "field_expression")) {
        WARPMIND_CHECK(add_index_edit(use, in_prologue, edits));
        continue;
      }
      if (!tree_.is(use, "identifier")) continue;
      const Local* local = body_.local_of(use);
      const auto name = std::string(tree_.text(use));
      if (local == nullptr) {
        if (body_.function().parameter(name) != nullptr) {
          edits.push_back({tree_.node(use).range, "wm_" + name});
        }
        continue;
      }
      if (local == zero) {
        edits.push_back({tree_.node(use).range, "0"});
      } else if (local != kernel_.sum && is_of_prologue(*local)) {
        if (in_prologue) continue;
        WARPMIND_CHECK(keep(*local));
        edits.push_back({tree_.node(use).range, "wm_at." + name});
      }
    }
    return edited_part(tree_.source(), tree_.node(node).range, edits);
  }

  /// Of `blockIdx.x` and its like; others need no edit.
  Result<void> add_index_edit(NodeId field, bool in_prologue, std::vector<TextEdit>& edits) const {
    const std::string text = tree_.plain_text(field);
    const Range range = tree_.node(field).range;
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
      const std::string end = {'.', kAxes.at(axis)};
      if (text == "gridDim" + end) {
        edits.push_back({range, grid_name(axis)});
      } else if (text == "blockDim" + end) {
        edits.push_back({range, std::to_string(grid_.block.at(axis)) + "u"});
      } else if (text == "blockIdx" + end || text == "threadIdx" + end) {
        if (!in_prologue) return in_the_way("'" + text + "' is read behind the first statements");
        const bool is_thread = text.front() == 't';
        edits.push_back(
            {range, (is_thread ? "wm_thread_" : "wm_block_") + std::string(1, kAxes.at(axis))});
      }
    }
    return {};
  }

  [[nodiscard]] bool is_of_prologue(const Local& local) const {
    return std::any_of(kernel_.prologue.begin(), kernel_.prologue.end(), [&](NodeId statement) {
      return tree_.contains(statement, local.identifier) && local.scope == body_.function().body;
    });
  }

  Result<void> keep(const Local& local) {
    if (contains(kept_, &local)) return {};
    if (local.is_shared || local.is_array || local.is_reference || local.type == "auto") {
      return in_the_way("'" + local.name + "' is no number or pointer of the query alone");
    }
    for (const auto& write : body_.writes()) {
      const bool before =
          std::any_of(kernel_.prologue.begin(), kernel_.prologue.end(),
                      [&](NodeId statement) { return tree_.contains(statement, write.node); });
      if (write.local == &local && !before) {
        return in_the_way("'" + local.name + "' changes behind the first statements");
      }
    }
    kept_.push_back(&local);
    return {};
  }

  [[nodiscard]] std::string type_of(const Local& local) const {
    if (!local.is_pointer) return local.type;
    NodeId declaration = local.identifier;
    while (!tree_.is(declaration, "declaration")) declaration = tree_.node(declaration).parent;
    const auto& range = tree_.node(declaration).range;
    const auto head =
        std::string_view(tree_.source())
            .substr(range.begin, tree_.node(local.identifier).range.begin - range.begin);
    return (head.find("const") == std::string_view::npos ? "" : "const ") + local.type + "*";
  }

  // The statements of a query.

  Result<void> check_returns() const {
    for (const NodeId statement : kernel_.prologue) {
      if (tree_.descendants(statement, "return_statement").empty() || leaves(tree_, statement)) {
        continue;
      }
      return in_the_way("'" + first_line(tree_.plain_text(statement)) +
                        "' may leave in its middle");
    }
    return {};
  }

  void add_names(NodeId node, std::set<std::string_view>& names) const {
    for (const NodeId use : tree_.descendants(node, "identifier")) names.insert(tree_.text(use));
  }
  [[nodiscard]] bool provides(NodeId statement, const std::set<std::string_view>& names) const {
    for (const auto& local : body_.locals()) {
      if (tree_.contains(statement, local.identifier) && names.contains(local.name)) return true;
    }
    return std::any_of(body_.writes().begin(), body_.writes().end(), [&](const Write& write) {
      return tree_.contains(statement, write.node) && names.contains(tree_.text(write.identifier));
    });
  }

  /// Those statements that these names need.
  [[nodiscard]] std::vector<NodeId> needed(const std::vector<NodeId>& statements,
                                           std::set<std::string_view> names,
                                           bool with_leaving) const {
    std::vector<NodeId> kept;
    for (auto statement = statements.rbegin(); statement != statements.rend(); ++statement) {
      if (tree_.is(*statement, "preproc_call")) continue;
      const bool stays = with_leaving && leaves(tree_, *statement);
      if (!stays && !provides(*statement, names)) continue;
      kept.push_back(*statement);
      add_names(stays ? tree_.field(*statement, "condition") : *statement, names);
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }

  [[nodiscard]] std::string group() const {
    const std::string blocks = grid_name(grid_.order[0]);
    return "  __device__ __forceinline__ unsigned group() const { return " +
           (grid_.is_per_thread ? blocks + " * " + std::to_string(grid_.block[0]) + "u" : blocks) +
           "; }\n";
  }

  /// The numbers of block and thread that have query `wm_number`.
  [[nodiscard]] std::string position(bool with_thread) const {
    std::string text;
    std::string rest = "wm_number";
    if (grid_.is_per_thread) {
      // Threads of neighbouring blocks lie side by side.
      text += "    const unsigned wm_row = " + grid_name(0) + " * " +
              std::to_string(grid_.block[0]) + "u;\n    const unsigned wm_in_row = wm_number % " +
              "wm_row;\n    const unsigned wm_thread_x = wm_in_row % " +
              std::to_string(grid_.block[0]) + "u, wm_thread_y = 0, wm_thread_z = 0;\n" +
              "    const unsigned wm_block_x = wm_in_row / " + std::to_string(grid_.block[0]) +
              "u;\n    const unsigned wm_block_y = wm_number / wm_row % " + grid_name(1) +
              ";\n    const unsigned wm_block_z = wm_number / wm_row / " + grid_name(1) + ";\n" +
              "    (void)wm_thread_y, (void)wm_thread_z;\n";
    } else {
      for (std::size_t i = 0; i < grid_.order.size(); ++i) {
        const std::size_t axis = grid_.order.at(i);
        text += std::string("    const unsigned wm_block_") + kAxes.at(axis) + " = " + rest;
        if (i + 1 < grid_.order.size()) text += " % " + grid_name(axis);
        text += ";\n";
        rest += " / " + grid_name(axis);
      }
    }
    if (grid_.is_per_thread || with_thread) {
      text += "    (void)wm_thread_x;\n";
    }
    return text + "    (void)wm_block_x, (void)wm_block_y, (void)wm_block_z;\n";
  }

  Result<std::string> place_of_query() {
    std::set<std::string_view> names;
    for (const Local* local : kept_) names.insert(local->name);
    const auto statements = needed(kernel_.prologue, names, true);
    std::string code;
    for (const NodeId statement : statements) {
      if (leaves(tree_, statement)) {
        WARPMIND_TRY(const auto condition, text_of(tree_.field(statement, "condition"), true));
        code += "    if " + condition +
                " {\n      wm_at.wm_exists = false;\n      return wm_at;\n" + "    }\n";
        continue;
      }
      WARPMIND_TRY(const auto text, text_of(statement, true));
      code += "    " + text + "\n";
    }
    if (!grid_.is_per_thread && code.find("wm_thread_") != std::string::npos) {
      return in_the_way("the threads of a block do not agree on their query");
    }
    if (code.find("__shared__") != std::string::npos ||
        code.find("__syncthreads") != std::string::npos) {
      return in_the_way("threads share what names their query");
    }
    for (const Local* local : kept_) {
      code += "    wm_at." + local->name + " = " + local->name + ";\n";
    }
    return "  __device__ __forceinline__ wm_query at(unsigned wm_number) const {\n"
           "    wm_query wm_at;\n    wm_at.wm_exists = true;\n" +
           position(false) + code + "    return wm_at;\n  }\n";
  }

  /// Blocks that leave early may write something first; their threads are run one by one.
  Result<std::string> what_absent_ones_do() {
    const std::string head =
        "  __device__ __forceinline__ void absent(unsigned wm_number, unsigned wm_lane,\n"
        "                                         unsigned wm_lanes) const {\n";
    const bool writes =
        std::any_of(kernel_.prologue.begin(), kernel_.prologue.end(), [&](NodeId statement) {
          return leaves(tree_, statement) &&
                 statements_of(tree_, tree_.field(statement, "consequence")).size() > 1;
        });
    if (!writes) return head + "    (void)wm_number, (void)wm_lane, (void)wm_lanes;\n  }\n";
    std::string code;
    for (const NodeId statement : kernel_.prologue) {
      WARPMIND_TRY(auto text, text_of(statement, true));
      if (text.find("__shared__") != std::string::npos) continue;
      if (text.find("__sync") != std::string::npos) {
        return in_the_way("blocks without a query wait for each other's threads");
      }
      if (leaves(tree_, statement)) {
        const NodeId last = statements_of(tree_, tree_.field(statement, "consequence")).back();
        const auto at = text.rfind(std::string(tree_.text(last)));
        text.replace(at, tree_.text(last).size(), "continue;");
      }
      code += "      " + text + "\n";
    }
    if (grid_.is_per_thread) {
      return head + position(true) + "    if (wm_lane != 0) return;\n    (void)wm_lanes;\n" +
             "    do {\n" + code + "    } while (false);\n  }\n";
    }
    std::string threads = "1u";
    for (const auto extent : grid_.block) threads += " * " + std::to_string(extent) + "u";
    const std::string x = std::to_string(grid_.block[0]) + "u";
    const std::string y = std::to_string(grid_.block[1]) + "u";
    return head + position(false) + "    for (unsigned wm_thread = wm_lane; wm_thread < " +
           threads + "; wm_thread += wm_lanes) {\n      const unsigned wm_thread_x = wm_thread % " +
           x + ", wm_thread_y = wm_thread / " + x + " % " + y + ", wm_thread_z = wm_thread / " + x +
           " / " + y + ";\n      (void)wm_thread_x, (void)wm_thread_y, (void)wm_thread_z;\n" +
           code + "    }\n  }\n";
  }

  // What a query asks for.

  static std::string method(const std::string& type, const std::string& head,
                            const std::string& code) {
    return "  __device__ __forceinline__ " + type + " " + head + " const {\n" + code + "  }\n";
  }

  Result<std::string> length() {
    WARPMIND_TRY(const auto bound, text_of(kernel_.keys.bound, false));
    return method("int", "length(const wm_query& wm_at)",
                  "    (void)wm_at;\n    return static_cast<int>(" + bound + ")" +
                      (kernel_.keys.is_inclusive ? " + 1" : "") + ";\n") +
           method("int", "first(const wm_query& wm_at)", "    (void)wm_at;\n    return 0;\n");
  }

  /// What all queries have in common: statements that it needs, then a value.
  Result<std::string> common(const std::vector<NodeId>& nodes, const std::string& what) {
    std::set<std::string_view> names;
    for (const NodeId node : nodes) add_names(node, names);
    std::string code;
    for (const NodeId statement : needed(kernel_.prologue, names, false)) {
      WARPMIND_TRY(const auto text, text_of(statement, true));
      code += "    " + text + "\n";
    }
    for (const NodeId node : nodes) {
      WARPMIND_TRY(const auto text, text_of(node, true));
      if (text.find("wm_block_") != std::string::npos) return in_the_way(what);
    }
    if (code.find("wm_block_") != std::string::npos ||
        code.find("wm_thread_") != std::string::npos ||
        code.find("__shared__") != std::string::npos) {
      return in_the_way(what);
    }
    return code;
  }

  Result<std::string> dim() {
    WARPMIND_TRY(const auto code,
                 common({kernel_.dot.bound}, "the length of a row differs between queries"));
    WARPMIND_TRY(const auto bound, text_of(kernel_.dot.bound, true));
    return method("int", "dim()", code + "    return static_cast<int>(" + bound + ");\n");
  }

  Result<std::string> scale() {
    std::vector<NodeId> nodes;
    for (const auto& factor : kernel_.factors) nodes.push_back(factor.node);
    for (const NodeId node : nodes) {
      for (const auto& local : body_.locals()) {
        if (body_.declared_in(local, kernel_.keys.node) && !body_.uses_of(local, node).empty()) {
          return in_the_way("'" + local.name + "' scales a score and belongs to one key");
        }
      }
    }
    WARPMIND_TRY(const auto code, common(nodes, "the scores' factor differs between queries"));
    std::string product = "1.0f";
    for (const auto& factor : kernel_.factors) {
      WARPMIND_TRY(const auto text, text_of(factor.node, true));
      product += (factor.divides ? " / (" : " * (") + text + ")";
    }
    return method("float", "scale()", code + "    return static_cast<float>(" + product + ");\n");
  }

  [[nodiscard]] std::string key_parameter() const {
    return kernel_.keys.variable->type + " " + kernel_.keys.variable->name;
  }

  /// Statements of the loop over keys that those nodes need.
  Result<std::string> key_statements(const std::vector<NodeId>& nodes) {
    std::set<std::string_view> names;
    for (const NodeId node : nodes) add_names(node, names);
    std::vector<NodeId> candidates;
    for (const NodeId statement : statements_of(tree_, kernel_.keys.body)) {
      if (!tree_.contains(statement, kernel_.dot.node)) candidates.push_back(statement);
    }
    std::string code;
    for (const NodeId statement : needed(candidates, names, false)) {
      if (!tree_.descendants(statement, "continue_statement").empty()) continue;
      WARPMIND_CHECK(check_free_of_score(statement));
      WARPMIND_TRY(const auto text, text_of(statement, false));
      code += "    " + text + "\n";
    }
    return code;
  }

  Result<void> check_free_of_score(NodeId node) const {
    for (const NodeId use : tree_.descendants(kernel_.dot.node, "assignment_expression")) {
      const NodeId score = tree_.bare(tree_.field(use, "left"));
      const Local* local = tree_.is(score, "identifier") ? body_.local_of(score) : nullptr;
      if (local != nullptr && !body_.uses_of(*local, node).empty()) {
        return in_the_way("'" + first_line(tree_.plain_text(node)) + "' asks for a score");
      }
    }
    return {};
  }

  Result<std::string> seen() {
    std::vector<NodeId> conditions;
    for (const auto& condition : kernel_.seen) conditions.push_back(condition.node);
    WARPMIND_TRY(auto code, key_statements(conditions));
    std::string all = "true";
    for (const auto& condition : kernel_.seen) {
      WARPMIND_CHECK(check_free_of_score(condition.node));
      WARPMIND_TRY(const auto text, text_of(condition.node, false));
      all += (condition.wanted ? " && (" : " && !(") + text + ")";
    }
    return method("bool", "seen(const wm_query& wm_at, " + key_parameter() + ")",
                  "    (void)wm_at, (void)" + kernel_.keys.variable->name + ";\n" + code +
                      "    return " + all + ";\n");
  }

  Result<std::string> rows() {
    const std::string row = "const " + types_.element + "*";
    WARPMIND_TRY(const auto query, text_of(kernel_.query, false, kernel_.query_number));
    WARPMIND_TRY(const auto key_code, key_statements({kernel_.key}));
    WARPMIND_TRY(const auto key, text_of(kernel_.key, false, kernel_.dot.variable));
    WARPMIND_TRY(const auto value, text_of(kernel_.value, false, kernel_.numbers.variable));
    const NodeId left = tree_.bare(tree_.field(kernel_.store, "left"));
    WARPMIND_TRY(const auto output, text_of(left, false, kernel_.numbers.variable));
    const std::string unused = "    (void)wm_at;\n";
    return method(row, "query_row(const wm_query& wm_at)",
                  unused + "    return &" + query + ";\n") +
           method(row, "key_row(const wm_query& wm_at, " + key_parameter() + ")",
                  unused + key_code + "    return &" + key + ";\n") +
           method(row,
                  "value_row(const wm_query& wm_at, " + kernel_.weighted.variable->type + " " +
                      kernel_.weighted.variable->name + ")",
                  unused + "    return &" + value + ";\n") +
           method(types_.output + "*", "output_row(const wm_query& wm_at)",
                  unused + "    return &" + output + ";\n");
  }

  /// Nothing but what a method has may be left: variables of the query, the loops' numbers, and
  /// what `statements` declare.
  Result<void> check_known(NodeId node, const std::vector<NodeId>& statements) const {
    for (const NodeId use : tree_.descendants(node, "identifier")) {
      const Local* local = body_.local_of(use);
      if (local == nullptr || local == kernel_.sum || local == kernel_.total ||
          local == kernel_.numbers.variable || local == kernel_.weighted.variable ||
          is_of_prologue(*local)) {
        continue;
      }
      const bool declared = std::any_of(
          statements.begin(), statements.end(),
          [&](NodeId statement) { return tree_.contains(statement, local->identifier); });
      if (!declared) {
        return in_the_way("'" + local->name + "' is not known where the output is stored");
      }
    }
    return {};
  }

  Result<std::string> finished() {
    std::vector<NodeId> statements = kernel_.around_sum;
    statements.insert(statements.end(), kernel_.finish.begin(), kernel_.finish.end());
    WARPMIND_CHECK(check_known(kernel_.store, statements));
    WARPMIND_CHECK(check_known(tree_.field(kernel_.store, "left"), {}));
    WARPMIND_CHECK(check_known(kernel_.value, {}));
    for (const NodeId statement : statements) WARPMIND_CHECK(check_known(statement, statements));
    std::string code = "    (void)wm_at, (void)" + kernel_.numbers.variable->name + ";\n";
    code += "    const float " + kernel_.sum->name + " = wm_sum;\n    (void)" + kernel_.sum->name +
            ";\n";
    for (const NodeId statement : kernel_.around_sum) {
      WARPMIND_TRY(const auto text, text_of(statement, false));
      code += "    " + text + "\n";
    }
    code += "    float " + kernel_.total->name + " = " +
            (kernel_.weights_are_divided ? "wm_value / wm_sum" : "wm_value") + ";\n";
    for (const NodeId statement : kernel_.finish) {
      WARPMIND_TRY(const auto text, text_of(statement, false));
      code += "    " + text + "\n";
    }
    WARPMIND_TRY(const auto value, text_of(tree_.field(kernel_.store, "right"), false));
    return method(types_.output,
                  "finished(const wm_query& wm_at, " + kernel_.numbers.variable->type + " " +
                      kernel_.numbers.variable->name + ", float wm_value, float wm_sum)",
                  code + "    return " + value + ";\n");
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  const AttentionKernel& kernel_;
  const AttentionGrid& grid_;
  const AttentionTypes& types_;
  std::vector<const Local*> kept_;  ///< variables of the first statements that a query keeps
};

/// Whether `node` grows by the same amount with every step of `variable`, for one value of
/// `number`.
bool is_even(const KernelBody& body, NodeId node, const Local& variable, const Local& number,
             int depth = 0) {
  const SyntaxTree& tree = body.tree();
  const NodeId at = tree.bare(node);
  const auto moves = [&](NodeId part) {
    for (const NodeId use : tree.descendants(part, "identifier")) {
      const Local* local = body.local_of(use);
      if (local == &number) continue;
      if (local != nullptr && (local == &variable || body.declared_in(*local, variable.scope))) {
        return true;
      }
    }
    return false;
  };
  if (!moves(at)) return true;
  if (tree.is(at, "identifier")) {
    const Local* local = body.local_of(at);
    if (local == &variable) return true;
    return depth < 8 && local->value != kNoNode && !body.written_in(*local, body.function().body) &&
           is_even(body, local->value, variable, number, depth + 1);
  }
  if (tree.is(at, "cast_expression")) {
    return is_even(body, tree.field(at, "value"), variable, number, depth);
  }
  if (!tree.is(at, "binary_expression")) return false;
  const NodeId left = tree.field(at, "left");
  const NodeId right = tree.field(at, "right");
  const auto op = tree.operator_of(at);
  if (op == "*" && moves(left) && moves(right)) return false;
  if (op != "+" && op != "-" && op != "*") return false;
  return is_even(body, left, variable, number, depth) &&
         is_even(body, right, variable, number, depth);
}

}  // namespace

std::string grid_name(std::size_t axis) { return std::string("wm_grid_") + kAxes.at(axis); }

Result<AttentionTypes> attention_types(const KernelBody& body, const AttentionKernel& kernel) {
  const auto type_of = [&](NodeId subscript) -> std::string {
    const MemoryAccess* access = access_of(body, subscript);
    const Parameter* parameter =
        access == nullptr ? nullptr : body.function().parameter(access->root);
    return parameter == nullptr ? std::string() : parameter->base_type;
  };
  AttentionTypes types{type_of(kernel.query),
                       type_of(body.tree().bare(body.tree().field(kernel.store, "left")))};
  if (types.element == "half") types.element = "__half";
  for (const NodeId row : {kernel.key, kernel.value}) {
    std::string type = type_of(row);
    if (type == "half") type = "__half";
    if (type != types.element) return in_the_way("queries, keys and values have several types");
  }
  constexpr std::array<std::string_view, 3> kElements{"float", "__half", "__nv_bfloat16"};
  if (!contains(kElements, types.element)) {
    return in_the_way("'" + types.element + "' is no type of rows that is known");
  }
  if (types.output.empty()) return in_the_way("it is not known where the output lies");
  return types;
}

std::array<bool, 3> axes_of_keys(const KernelBody& body, const AttentionKernel& kernel) {
  const SyntaxTree& tree = body.tree();
  std::array<bool, 3> found{};
  std::vector<NodeId> open{kernel.key, kernel.value};
  std::set<const Local*> known;
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (const NodeId field : tree.descendants(node, "field_expression")) {
      for (std::size_t axis = 0; axis < found.size(); ++axis) {
        found.at(axis) =
            found.at(axis) || tree.plain_text(field) == std::string("blockIdx.") + kAxes.at(axis);
      }
    }
    for (const NodeId use : tree.descendants(node, "identifier")) {
      const Local* local = body.local_of(use);
      // What is written later, or read from memory, hangs on data.
      if (local == nullptr || local->value == kNoNode || !known.insert(local).second ||
          body.written_in(*local, body.function().body)) {
        continue;
      }
      open.push_back(local->value);
    }
  }
  return found;
}

bool groups_see_alike(const KernelBody& body, const AttentionKernel& kernel,
                      const AttentionGrid& grid) {
  if (grid.is_per_thread) return false;
  const SyntaxTree& tree = body.tree();
  std::vector<NodeId> open{kernel.keys.bound};
  for (const auto& condition : kernel.seen) open.push_back(condition.node);
  std::set<const Local*> known{kernel.keys.variable};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (const NodeId field : tree.descendants(node, "field_expression")) {
      for (std::size_t i = 1; i < grid.order.size(); ++i) {
        if (tree.plain_text(field) == std::string("blockIdx.") + kAxes.at(grid.order.at(i))) {
          return false;
        }
      }
    }
    for (const NodeId use : tree.descendants(node, "identifier")) {
      const Local* local = body.local_of(use);
      if (local == nullptr || !known.insert(local).second) continue;
      if (local->value != kNoNode) open.push_back(local->value);
      for (const auto& write : body.writes()) {
        if (write.local != local) continue;
        // With what decides whether it is written.
        NodeId around = write.node;
        while (tree.node(around).parent != body.function().body) {
          around = tree.node(around).parent;
        }
        if (tree.contains(kernel.keys.body, write.node)) {
          around = write.node;
          while (tree.node(around).parent != kernel.keys.body) around = tree.node(around).parent;
        }
        open.push_back(around);
      }
    }
  }
  return true;
}

bool has_even_rows(const KernelBody& body, const AttentionKernel& kernel) {
  const auto even = [&](NodeId row, const Local& variable, const Local& number) {
    const MemoryAccess* access = access_of(body, row);
    return access != nullptr && is_even(body, access->pointer, variable, number) &&
           is_even(body, access->index, variable, number);
  };
  return even(kernel.key, *kernel.keys.variable, *kernel.dot.variable) &&
         even(kernel.value, *kernel.weighted.variable, *kernel.numbers.variable);
}

Result<std::string> attention_problem(const KernelBody& body, const AttentionKernel& kernel,
                                      const AttentionGrid& grid, const AttentionTypes& types) {
  return ProblemWriter(body, kernel, grid, types).write();
}

}  // namespace warpmind::agents::builtin
