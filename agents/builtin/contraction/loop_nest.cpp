#include "agents/builtin/contraction/loop_nest.h"

#include "agents/builtin/loops/memory_sums.h"
#include "agents/builtin/probe/integer_value.h"
#include "base/sequence.h"

#include <optional>

namespace warpmind::agents::builtin {
namespace {

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

bool is_conversion(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames{
      "__half2float", "__bfloat162float", "__ldg", "float", "double", "__ldcs", "__ldca"};
  return contains(kNames, name);
}

bool is_zero(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kZeros{"0", "0.0f", "0.f", "0.0", "0.", "0.F"};
  return contains(kZeros, text);
}

/// Reads one function; each step keeps the first reason to stop.
class NestReader {
 public:
  NestReader(const CudaSource& source, const Function& function)
      : source_(source), function_(function), tree_(source.tree), body_(function.body) {}

  Result<LoopNest> read() {
    WARPMIND_CHECK(check_body());
    WARPMIND_TRY(const NodeId sum, find_sum());
    WARPMIND_CHECK(find_top(sum));
    WARPMIND_CHECK(read_prologue());
    NodeId loop = nest_.top;
    while (loop != kNoNode) {
      WARPMIND_TRY(loop, read_level(loop, sum));
    }
    WARPMIND_CHECK(read_factors(sum));
    if (tree_.uses(nest_.top, nest_.sum).size() != sum_uses_) {
      return in_the_way("'" + nest_.sum + "' is read inside of the loop");
    }
    return std::move(nest_);
  }

 private:
  Result<void> check_body() {
    for (const auto kind : {"while_statement", "do_statement", "switch_statement",
                            "lambda_expression", "for_range_loop"}) {
      if (!tree_.descendants(body_, kind).empty()) {
        return in_the_way("the kernel holds a " + std::string(kind));
      }
    }
    for (const NodeId qualifier : tree_.descendants(body_, "type_qualifier")) {
      if (tree_.text(qualifier) == "__shared__") {
        return in_the_way("the kernel uses shared memory already");
      }
    }
    for (const NodeId call : tree_.descendants(body_, "call_expression")) {
      const auto name = tree_.text(tree_.field(call, "function"));
      for (const auto part : {"sync", "__shfl", "__ballot", "__any", "__all", "__match", "atomic",
                              "printf", "wmma", "__trap", "fence"}) {
        if (name.find(part) != std::string_view::npos) {
          return in_the_way("the kernel calls '" + std::string(name) + "'");
        }
      }
    }
    if (tree_.text(body_).find("wm_") != std::string_view::npos) {
      return in_the_way("the kernel has been rewritten before");
    }
    return {};
  }

  [[nodiscard]] bool in_loop(NodeId node) const {
    return tree_.ancestor(node, "for_statement", body_) != kNoNode;
  }

  /// The declaration of the local variable `name`, or kNoNode; only one may exist.
  [[nodiscard]] NodeId declaration_of(std::string_view name) const {
    NodeId found = kNoNode;
    for (const NodeId declaration : tree_.descendants(body_, "declaration")) {
      for (const NodeId part : tree_.all_children(declaration)) {
        if (tree_.node(part).field != "declarator") continue;
        if (tree_.text(tree_.declared(part)) != name) continue;
        if (found != kNoNode) return kNoNode;
        found = declaration;
      }
    }
    return found;
  }

  Result<NodeId> find_sum() {
    NodeId found = kNoNode;
    for (const NodeId node : tree_.descendants(body_, "assignment_expression")) {
      const NodeId left = tree_.bare(tree_.field(node, "left"));
      if (!in_loop(node) || !tree_.is(left, "identifier")) continue;
      const NodeId declaration = declaration_of(tree_.text(left));
      if (declaration == kNoNode) continue;
      const std::string type = tree_.plain_text(tree_.field(declaration, "type"));
      if (type != "float" && type != "double") continue;
      if (tree_.operator_of(node) == "=" &&
          tree_.uses(tree_.field(node, "right"), tree_.text(left)).empty()) {
        continue;
      }
      if (found != kNoNode) return in_the_way("the loops keep several sums");
      found = node;
      nest_.sum = tree_.text(left);
      nest_.sum_type = type;
      sum_declaration_ = declaration;
    }
    if (found != kNoNode) return found;
    const std::string place = place_added_to(KernelBody(source_, function_));
    if (!place.empty()) {
      return in_the_way("the loops keep their sum in memory, in '" + place + "'");
    }
    return in_the_way("no loop sums into a float");
  }

  /// The outermost loop around the sum that is inside of the scope of its variable.
  Result<void> find_top(NodeId sum) {
    const NodeId scope = tree_.node(sum_declaration_).parent;
    for (NodeId at = sum; at != scope; at = tree_.node(at).parent) {
      if (at == body_ || at == kNoNode) return in_the_way("the sum starts in another scope");
      if (tree_.is(at, "for_statement")) nest_.top = at;
    }
    if (nest_.top == kNoNode) return in_the_way("the sum has no loop of its own");
    return {};
  }

  Result<void> read_prologue() {
    std::vector<NodeId> path;
    for (NodeId at = nest_.top; at != body_; at = tree_.node(at).parent) path.push_back(at);
    path.push_back(body_);
    for (std::size_t i = path.size() - 1; i > 0; --i) {
      const NodeId outer = path[i];
      const NodeId inner = path[i - 1];
      if (tree_.is(outer, "if_statement")) {
        if (tree_.node(inner).field != "consequence" ||
            tree_.field(outer, "alternative") != kNoNode) {
          return in_the_way("the loop stands in an if with two ways");
        }
        continue;
      }
      if (!tree_.is(outer, "compound_statement")) {
        return in_the_way("the sum stands inside of a " + std::string(tree_.node(outer).kind) +
                          " that is not part of it");
      }
      bool before = true;
      for (const NodeId statement : tree_.children(outer)) {
        if (statement == inner) {
          before = false;
        } else if (before) {
          WARPMIND_CHECK(check_quiet(statement));
          nest_.prologue.push_back(statement);
        } else if (tree_.is(inner, "if_statement")) {
          return in_the_way("threads that skip the loop go on after it");
        }
      }
    }
    return {};
  }

  /// Nothing but local variables may be written.
  Result<void> check_quiet(NodeId statement) {
    for (const NodeId node : tree_.descendants(statement, "assignment_expression")) {
      if (!tree_.is(tree_.bare(tree_.field(node, "left")), "identifier")) {
        return in_the_way("memory is written before the sum");
      }
    }
    for (const NodeId node : tree_.descendants(statement, "update_expression")) {
      if (!tree_.is(tree_.bare(tree_.field(node, "argument")), "identifier")) {
        return in_the_way("memory is written before the sum");
      }
    }
    if (!tree_.descendants(statement, "for_statement").empty()) {
      return in_the_way("another loop stands before the sum");
    }
    return {};
  }

  Result<void> read_header(NestLevel& level) {
    const NodeId init = tree_.field(level.loop, "initializer");
    const NodeId condition = tree_.bare(tree_.field(level.loop, "condition"));
    const auto declarators = tree_.descendants(init, "init_declarator");
    if (!tree_.is(init, "declaration") || declarators.size() != 1) {
      return in_the_way("a loop does not declare its variable");
    }
    level.variable = tree_.text(tree_.declared(declarators.front()));
    level.type = tree_.plain_text(tree_.field(init, "type"));
    level.initial = tree_.field(declarators.front(), "value");
    if (value_type(level.type).kind != ValueType::Kind::integer) {
      return in_the_way("a loop does not count with an integer");
    }
    const auto op = tree_.operator_of(condition);
    if (!tree_.is(condition, "binary_expression") || (op != "<" && op != "<=") ||
        tree_.text(tree_.bare(tree_.field(condition, "left"))) != level.variable) {
      return in_the_way("the bound of the loop over '" + level.variable +
                        "' is not of a known form");
    }
    level.inclusive = op == "<=";
    level.bound = tree_.field(condition, "right");
    const NodeId update = tree_.bare(tree_.field(level.loop, "update"));
    const NodeId updated =
        tree_.field(update, tree_.is(update, "update_expression") ? "argument" : "left");
    const auto how = tree_.operator_of(update);
    if (tree_.text(tree_.bare(updated)) != level.variable || (how != "++" && how != "+=")) {
      return in_the_way("the step of the loop over '" + level.variable +
                        "' is not of a known form");
    }
    if (how == "+=") level.step = tree_.field(update, "right");
    return {};
  }

  /// The loop inside of `loop`, or kNoNode when the sum stands in it.
  Result<NodeId> read_level(NodeId loop, NodeId sum) {
    NestLevel level;
    level.loop = loop;
    WARPMIND_CHECK(read_header(level));
    NodeId next = kNoNode;
    WARPMIND_CHECK(read_items(level, tree_.field(loop, "body"), sum, next));
    nest_.levels.push_back(std::move(level));
    return next;
  }

  Result<void> read_items(NestLevel& level, NodeId statement, NodeId sum, NodeId& next) {
    if (tree_.is(statement, "expression_statement")) return {};
    if (tree_.is(statement, "for_statement")) {
      next = statement;
      return {};
    }
    if (tree_.is(statement, "if_statement")) {
      if (tree_.field(statement, "alternative") != kNoNode) {
        return in_the_way("the sum stands in an if with two ways");
      }
      add_guards(level.items, tree_.field(statement, "condition"), true);
      return read_items(level, tree_.field(statement, "consequence"), sum, next);
    }
    if (!tree_.is(statement, "compound_statement")) {
      return in_the_way("a " + std::string(tree_.node(statement).kind) + " stands around the sum");
    }
    const auto parts = tree_.children(statement);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (tree_.contains(parts[i], sum)) {
        if (i + 1 != parts.size()) return in_the_way("statements follow the sum in its loop");
        return read_items(level, parts[i], sum, next);
      }
      WARPMIND_CHECK(read_item(level, parts[i]));
    }
    return in_the_way("the sum was lost in its loop");
  }

  Result<void> read_item(NestLevel& level, NodeId statement) {
    if (tree_.is(statement, "preproc_call")) return {};
    WARPMIND_CHECK(check_quiet(statement));
    if (tree_.is(statement, "if_statement")) {
      const NodeId taken = tree_.field(statement, "consequence");
      const auto inner = tree_.is(taken, "compound_statement") ? tree_.children(taken)
                                                               : std::vector<NodeId>{taken};
      if (tree_.field(statement, "alternative") == kNoNode && inner.size() == 1 &&
          tree_.is(inner.front(), "continue_statement")) {
        add_guards(level.items, tree_.field(statement, "condition"), false);
        return {};
      }
      return in_the_way("an if stands in the loop of the sum");
    }
    for (const auto kind : {"break_statement", "return_statement", "continue_statement"}) {
      if (!tree_.descendants(statement, kind).empty()) {
        return in_the_way("the loop may end early");
      }
    }
    if (!tree_.is(statement, "declaration")) {
      return in_the_way("the loop carries a variable from term to term");
    }
    level.items.push_back({statement, false, true});
    return {};
  }

  /// `a && b` that must hold are two guards, as are the parts of an `a || b` that must not.
  void add_guards(std::vector<NestItem>& items, NodeId condition, bool wanted) {
    const NodeId at = tree_.bare(condition);
    if (tree_.is(at, "binary_expression") && tree_.operator_of(at) == (wanted ? "&&" : "||")) {
      add_guards(items, tree_.field(at, "left"), wanted);
      add_guards(items, tree_.field(at, "right"), wanted);
      return;
    }
    if (tree_.is(at, "unary_expression") && tree_.operator_of(at) == "!") {
      add_guards(items, tree_.field(at, "argument"), !wanted);
      return;
    }
    items.push_back({at, true, wanted});
  }

  Result<void> read_factors(NodeId sum) {
    NodeId left = kNoNode;
    NodeId right = kNoNode;
    const NodeId value = tree_.bare(tree_.field(sum, "right"));
    const auto op = tree_.operator_of(sum);
    sum_uses_ = op == "+=" ? 1 : 2;
    NodeId product = op == "+=" ? value : kNoNode;
    if (op == "=" && tree_.is(value, "call_expression")) {
      const auto name = tree_.text(tree_.field(value, "function"));
      const auto arguments = tree_.children(tree_.field(value, "arguments"));
      const bool fused = name == "fmaf" || name == "__fmaf_rn" || name == "fma";
      if (fused && arguments.size() == 3 && tree_.text(tree_.bare(arguments[2])) == nest_.sum) {
        left = arguments[0];
        right = arguments[1];
      }
    } else if (op == "=" && tree_.is(value, "binary_expression") &&
               tree_.operator_of(value) == "+") {
      const NodeId first = tree_.bare(tree_.field(value, "left"));
      const NodeId second = tree_.bare(tree_.field(value, "right"));
      product = tree_.text(first) == nest_.sum ? second : first;
    }
    product = tree_.bare(product);
    if (product != kNoNode && tree_.is(product, "binary_expression") &&
        tree_.operator_of(product) == "*") {
      left = tree_.field(product, "left");
      right = tree_.field(product, "right");
    }
    if (left == kNoNode) return in_the_way("the sum is not one of products of two elements");
    WARPMIND_CHECK(resolve(left, nest_.operands[0]));
    return resolve(right, nest_.operands[1]);
  }

  /// Through conversions and the temporaries of the loops to the element of a buffer.
  Result<void> resolve(NodeId factor, NestOperand& operand) {
    NodeId at = factor;
    for (int depth = 0; depth < 16; ++depth) {
      at = tree_.bare(at);
      if (tree_.is(at, "subscript_expression")) {
        if (tree_.children(tree_.field(at, "indices")).size() != 1) break;
        if (!tree_.is(tree_.bare(tree_.field(at, "argument")), "identifier")) break;
        operand.access = at;
        return {};
      }
      if (tree_.is(at, "pointer_expression")) {
        if (tree_.operator_of(at) == "*") {
          operand.access = at;
          return {};
        }
        at = tree_.field(at, "argument");
        continue;
      }
      if (is_cached_load(at)) {
        const NodeId pointer = tree_.bare(tree_.children(tree_.field(at, "arguments")).front());
        if (tree_.is(pointer, "binary_expression") || tree_.is(pointer, "identifier")) {
          operand.access = pointer;
          operand.is_pointer = true;
          return {};
        }
      }
      const NodeId next = inner_of(at, operand);
      if (next == kNoNode) break;
      at = next;
    }
    return in_the_way("'" + tree_.plain_text(factor) + "' is not an element of a buffer");
  }

  /// `__ldg(pointer)`.
  [[nodiscard]] bool is_cached_load(NodeId at) const {
    return tree_.is(at, "call_expression") &&
           tree_.text(tree_.field(at, "function")).starts_with("__ld") &&
           tree_.children(tree_.field(at, "arguments")).size() == 1;
  }

  /// Whether a function of the file does nothing but convert its only parameter.
  [[nodiscard]] bool only_converts(std::string_view name) const {
    const Function* function = source_.device_function(name);
    if (function == nullptr || function->is_template || function->parameters.size() != 1 ||
        function->parameters.front().is_pointer || function->return_type != "float") {
      return false;
    }
    const auto statements = tree_.children(function->body);
    if (statements.size() != 1 || !tree_.is(statements.front(), "return_statement")) return false;
    const auto values = tree_.children(statements.front());
    if (values.size() != 1) return false;
    NodeId at = tree_.bare(values.front());
    if (tree_.is(at, "cast_expression")) {
      if (tree_.plain_text(tree_.field(at, "type")) != "float") return false;
      at = tree_.bare(tree_.field(at, "value"));
    } else if (tree_.is(at, "call_expression")) {
      const auto callee = tree_.plain_text(tree_.field(at, "function"));
      const auto arguments = tree_.children(tree_.field(at, "arguments"));
      if (arguments.size() != 1 || (!is_conversion(callee) && callee != "static_cast<float>")) {
        return false;
      }
      at = tree_.bare(arguments.front());
    }
    return tree_.text(at) == function->parameters.front().name;
  }

  NodeId inner_of(NodeId at, NestOperand& operand) {
    if (tree_.is(at, "cast_expression")) return tree_.field(at, "value");
    if (tree_.is(at, "call_expression")) {
      const NodeId callee = tree_.field(at, "function");
      const auto arguments = tree_.children(tree_.field(at, "arguments"));
      const auto text = tree_.plain_text(callee);
      if (arguments.size() == 1 &&
          (is_conversion(text) || text == "static_cast<float>" || only_converts(text))) {
        return arguments.front();
      }
      return kNoNode;
    }
    if (tree_.is(at, "conditional_expression")) {
      const bool zero = is_zero(tree_.text(tree_.bare(tree_.field(at, "alternative"))));
      if (!zero) return kNoNode;
      add_guards(operand.guards, tree_.field(at, "condition"), true);
      return tree_.field(at, "consequence");
    }
    if (!tree_.is(at, "identifier")) return kNoNode;
    const NodeId declaration = declaration_of(tree_.text(at));
    if (declaration == kNoNode || !tree_.contains(nest_.top, declaration)) return kNoNode;
    for (const NodeId part : tree_.descendants(declaration, "init_declarator")) {
      if (tree_.text(tree_.declared(part)) == tree_.text(at)) return tree_.field(part, "value");
    }
    return kNoNode;
  }

  const CudaSource& source_;
  const Function& function_;
  const SyntaxTree& tree_;
  NodeId body_;
  NodeId sum_declaration_ = kNoNode;
  std::size_t sum_uses_ = 0;
  LoopNest nest_;
};

}  // namespace

Result<LoopNest> find_loop_nest(const CudaSource& source, const Function& function) {
  return NestReader(source, function).read();
}

std::string element_type_of(const CudaSource& source, const Function& function, NodeId access) {
  const SyntaxTree& tree = source.tree;
  const auto names = tree.descendants(access, "identifier");
  if (names.empty()) return {};
  const auto name = tree.text(names.front());
  if (const Parameter* parameter = function.parameter(name)) {
    return parameter->is_pointer ? parameter->base_type : std::string();
  }
  for (const NodeId declaration : tree.descendants(function.body, "declaration")) {
    for (const NodeId part : tree.all_children(declaration)) {
      if (tree.node(part).field != "declarator" || tree.text(tree.declared(part)) != name) continue;
      std::string type = tree.plain_text(tree.field(declaration, "type"));
      if (type != "auto") return type;
      const auto uses = tree.descendants(tree.field(part, "value"), "identifier");
      for (const NodeId use : uses) {
        const Parameter* parameter = function.parameter(tree.text(use));
        if (parameter != nullptr && parameter->is_pointer) return parameter->base_type;
      }
    }
  }
  return {};
}

}  // namespace warpmind::agents::builtin
