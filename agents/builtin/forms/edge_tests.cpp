#include "agents/builtin/forms/edge_tests.h"

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/probe/probe_points.h"
#include "base/text.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr int kDeepest = 24;
constexpr std::size_t kMostVariables = 4;

/// An integer expression that is linear in each of `variables`.
struct Linear {
  std::string text;
  std::set<std::string> variables;
  bool is_unsigned = false;  ///< some part is, so that a difference may wrap
  bool subtracts = false;
  bool is_wide = false;  ///< of 64 bits
};

class EdgeFinder {
 public:
  EdgeFinder(const Scene& scene, const IndependentOutputs& outputs, const EdgeBox& box)
      : scene_(scene),
        tree_(scene.tree()),
        outputs_(outputs),
        body_(*outputs.body),
        program_(scene.source(), scene.plan().constants),
        prober_(scene.source(), *outputs.function, outputs.launches->front()) {
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const auto& [least, greatest] = box[axis];
      const std::string digit = digit_name(axis);
      variables_[digit] = {digit, "long long", least, greatest};
      const std::string& name = outputs.outputs.axes[axis].variable;
      if (const Local* local = only_local(name)) {
        variables_[name] = {name, local->type, least, greatest};
      }
    }
    for (const NodeId loop : tree_.descendants(outputs.function->body, "for_statement")) {
      if (loop != outputs.stride_loop) add_loop(loop);
    }
  }

  EdgeTests find() {
    for (const NodeId node : tree_.descendants(outputs_.function->body)) {
      if (tree_.is(node, "binary_expression")) try_comparison(node);
      if (tree_.is(node, "call_expression")) try_extreme(node);
    }
    enter_stride_loop();
    drop_covered_edits();
    return std::move(found_);
  }

 private:
  /// The local of that name, when the body has one and sets it once.
  [[nodiscard]] const Local* only_local(std::string_view name) const {
    const Local* found = nullptr;
    for (const auto& local : body_.locals()) {
      if (local.name != name) continue;
      if (found != nullptr) return nullptr;
      found = &local;
    }
    if (found == nullptr || found->is_pointer || found->is_array || found->is_reference ||
        !is_integer_type(found->type)) {
      return nullptr;
    }
    return program_.written(outputs_.function->body).contains(name) ? nullptr : found;
  }

  /// A variable that counts up from one size to another one.
  void add_loop(NodeId node) {
    const auto loop = counted_loop(body_, node);
    if (!loop || loop->variable == nullptr || !is_integer_type(loop->variable->type)) return;
    const std::string& name = loop->variable->name;
    const auto same = std::count_if(body_.locals().begin(), body_.locals().end(),
                                    [&](const Local& local) { return local.name == name; });
    const bool counts_up =
        loop->step == kNoNode || integer_literal(tree_, loop->step).value_or(0) > 0;
    const auto start = linear(loop->start, 0);
    const auto bound = linear(loop->bound, 0);
    if (same != 1 || !counts_up || !start || !bound) return;
    if (!start->variables.empty() || !bound->variables.empty()) return;
    const std::string last = loop->is_inclusive ? bound->text : "(" + bound->text + " - 1)";
    loops_[name] = node;
    variables_[name] = {name, loop->variable->type, start->text, last};
    subtracts_[name] = start->subtracts;
  }

  [[nodiscard]] static bool is_unsigned_type(std::string_view type) {
    return type.find("unsigned") != std::string_view::npos || type.starts_with("u") ||
           type.find("size_t") != std::string_view::npos;
  }

  std::optional<Linear> linear(NodeId node, int depth) const {
    node = tree_.bare(node);
    if (node == kNoNode || depth > kDeepest) return std::nullopt;
    const auto kind = tree_.node(node).kind;
    if (kind == "number_literal") {
      const Value number = literal_value(tree_.text(node));
      if (!number.known || number.type.kind != ValueType::Kind::integer) return std::nullopt;
      return Linear{
          std::string(tree_.text(node)), {}, !number.type.is_signed, false, number.type.bytes > 4};
    }
    const auto dimension =
        coordinate_of(tree_, node, outputs_.outputs.mapping, outputs_.launches->front());
    if (dimension) return linear_coordinate(*dimension);
    if (kind == "identifier") return linear_name(node, depth);
    if (kind == "cast_expression") {
      return linear_cast(linear(tree_.field(node, "value"), depth + 1),
                         tree_.plain_text(tree_.field(node, "type")));
    }
    if (kind == "call_expression") {
      const std::string callee = tree_.plain_text(tree_.field(node, "function"));
      const auto arguments = tree_.children(tree_.field(node, "arguments"));
      if (callee.starts_with("static_cast<") && callee.ends_with(">") && arguments.size() == 1) {
        return linear_cast(linear(arguments.front(), depth + 1),
                           callee.substr(12, callee.size() - 13));
      }
    }
    if (kind == "unary_expression" && tree_.operator_of(node) == "-") {
      auto inner = linear(tree_.field(node, "argument"), depth + 1);
      if (!inner) return std::nullopt;
      inner->text = "(-" + inner->text + ")";
      inner->subtracts = true;
      return inner;
    }
    if (kind == "binary_expression") return linear_sum(node, depth);
    if (const auto chosen = chosen_.find(node); chosen != chosen_.end()) {
      return linear(chosen->second, depth + 1);
    }
    return std::nullopt;
  }

  std::optional<Linear> linear_name(NodeId node, int depth) const {
    const std::string name(tree_.text(node));
    if (is_stride_variable(node)) {
      const auto& local = *body_.local_of(node);
      return linear_cast(linear(local.value, depth + 1), local.type);
    }
    if (const auto variable = variables_.find(name); variable != variables_.end()) {
      const auto loop = loops_.find(name);
      if (loop != loops_.end() && !tree_.contains(loop->second, node)) return std::nullopt;
      const auto subtracts = subtracts_.find(name);
      return Linear{name,
                    {name},
                    is_unsigned_type(variable->second.type),
                    subtracts != subtracts_.end() && subtracts->second,
                    size_of_type(variable->second.type) > 4};
    }
    if (const Parameter* parameter = outputs_.function->parameter(name)) {
      if (parameter->is_pointer || !is_integer_type(parameter->base_type) ||
          program_.written(outputs_.function->body).contains(name) ||
          parameter->type.find('&') != std::string::npos) {
        return std::nullopt;
      }
      return Linear{name,
                    {},
                    is_unsigned_type(parameter->base_type),
                    false,
                    size_of_type(parameter->base_type) > 4};
    }
    if (const Local* local = only_local(name)) {
      if (local->value == kNoNode) return std::nullopt;
      return linear_cast(linear(local->value, depth + 1), local->type);
    }
    if (program_.constant(name).known) return Linear{name, {}, false, false, false};
    return std::nullopt;
  }

  /// Of a loop that each thread runs once, so that the variable stays what it starts with.
  [[nodiscard]] bool is_stride_variable(NodeId node) const {
    const NodeId loop = outputs_.stride_loop;
    const Local* local = loop == kNoNode ? nullptr : body_.local_of(node);
    return local != nullptr && local->value != kNoNode &&
           tree_.contains(tree_.field(loop, "initializer"), local->identifier);
  }

  /// Only to a type that holds all values, so that the order stays.
  [[nodiscard]] static std::optional<Linear> linear_cast(std::optional<Linear> inner,
                                                         const std::string& type) {
    const int bytes = size_of_type(type);
    if (!inner || !is_integer_type(type) || bytes < 4 || (inner->is_wide && bytes < 8)) {
      return std::nullopt;
    }
    inner->is_unsigned = inner->is_unsigned || is_unsigned_type(type);
    inner->is_wide = bytes > 4;
    inner->text = "static_cast<" + type + ">(" + inner->text + ")";
    return inner;
  }

  /// In 64 bits, where no size makes it overflow.
  [[nodiscard]] std::optional<Linear> linear_coordinate(std::size_t dimension) const {
    Linear sum{"0ll", {}, false, false, false};
    for (std::size_t i = outputs_.outputs.axes.size(); i-- > 0;) {
      const auto& axis = outputs_.outputs.axes[i];
      if (axis.dimension != dimension) continue;
      const std::string digit = digit_name(i);
      sum.text = "(" + sum.text + " * " + extent_text(axis) + " + " + digit + ")";
      sum.variables.insert(digit);
    }
    return sum;
  }

  std::optional<Linear> linear_sum(NodeId node, int depth) const {
    const auto op = tree_.operator_of(node);
    const auto left = linear(tree_.field(node, "left"), depth + 1);
    const auto right = linear(tree_.field(node, "right"), depth + 1);
    if (!left || !right) return std::nullopt;
    Linear sum;
    sum.text = "(" + left->text + " " + std::string(op) + " " + right->text + ")";
    sum.variables = left->variables;
    sum.variables.insert(right->variables.begin(), right->variables.end());
    sum.is_unsigned = left->is_unsigned || right->is_unsigned;
    sum.subtracts = left->subtracts || right->subtracts || op == "-";
    sum.is_wide = left->is_wide || right->is_wide;
    if (op == "+" || op == "-") return sum;
    const bool shares =
        std::any_of(left->variables.begin(), left->variables.end(),
                    [&](const auto& one) { return right->variables.contains(one); });
    if (op == "*" && !shares) return sum;
    if ((op == "/" || op == "%") && sum.variables.empty()) return sum;
    return std::nullopt;
  }

  /// Both sides, when corners decide about their comparison.
  std::optional<std::pair<Linear, Linear>> sides(NodeId a, NodeId b) const {
    auto left = linear(a, 0);
    auto right = linear(b, 0);
    if (!left || !right) return std::nullopt;
    auto variables = left->variables;
    variables.insert(right->variables.begin(), right->variables.end());
    if (variables.empty() || variables.size() > kMostVariables) return std::nullopt;
    const bool is_unsigned = left->is_unsigned || right->is_unsigned;
    const auto may_wrap = [&](const Linear& side) {
      return is_unsigned && side.subtracts && !side.variables.empty();
    };
    if (may_wrap(*left) || may_wrap(*right)) return std::nullopt;
    return std::pair{std::move(*left), std::move(*right)};
  }

  void add_test(const Linear& left, const Linear& right, std::string_view op,
                std::string_view opposite) {
    EdgeTest test;
    const auto compare = [&](std::string_view how) {
      return left.text + " " + std::string(how) + " " + right.text;
    };
    test.condition = compare(op);
    if (!opposite.empty()) test.opposite = compare(opposite);
    auto names = left.variables;
    names.insert(right.variables.begin(), right.variables.end());
    for (const auto& name : names) test.variables.push_back(variables_.at(name));
    const auto is_same = [&](const EdgeTest& other) {
      return other.condition == test.condition && other.opposite == test.opposite;
    };
    if (std::none_of(found_.tests.begin(), found_.tests.end(), is_same)) {
      found_.tests.push_back(std::move(test));
    }
  }

  /// The loops around `node` in their middle iterations.
  [[nodiscard]] Iterations middle_iterations(NodeId node) const {
    Iterations at;
    for (const NodeId loop : loops_around(scene_.source(), *outputs_.function, node)) {
      const auto trips = prober_.trips(loop, outputs_.middle(0), at);
      at[loop] = trips ? std::max<std::int64_t>(*trips - 1, 0) / 2 : 0;
    }
    return at;
  }

  [[nodiscard]] std::optional<std::int64_t> in_the_middle(NodeId node) const {
    return prober_.value(node, outputs_.middle(0), middle_iterations(node));
  }

  /// Whether the node decides when a loop ends: there it has more than one value.
  [[nodiscard]] bool is_of_loop_head(NodeId node) const {
    for (NodeId at = node; at != kNoNode && at != tree_.root(); at = tree_.node(at).parent) {
      const NodeId up = tree_.node(at).parent;
      const bool is_loop = tree_.is(up, "for_statement") || tree_.is(up, "while_statement") ||
                           tree_.is(up, "do_statement");
      if (is_loop && tree_.node(at).field != "body" && tree_.node(at).field != "initializer") {
        return true;
      }
    }
    return false;
  }

  void try_comparison(NodeId node) {
    static constexpr std::array<std::array<std::string_view, 2>, 4> kOrders{
        {{"<", ">="}, {">=", "<"}, {">", "<="}, {"<=", ">"}}};
    const auto op = tree_.operator_of(node);
    const bool is_equality = op == "==" || op == "!=";
    const auto order =
        std::find_if(kOrders.begin(), kOrders.end(), [&](const auto& one) { return one[0] == op; });
    if ((!is_equality && order == kOrders.end()) || is_of_loop_head(node)) return;
    const auto both = sides(tree_.field(node, "left"), tree_.field(node, "right"));
    if (!both) return;
    const auto value = in_the_middle(node);
    if (!value) return;
    if (is_equality) {
      if ((op == "==") == (*value != 0)) return;  // equal in the middle: at no other place
      add_test(both->first, both->second, "<", ">");
    } else {
      add_test(both->first, both->second, (*order)[*value != 0 ? 0 : 1], {});
    }
    found_.edits.push_back({tree_.node(node).range, *value != 0 ? "true" : "false"});
  }

  /// The condition of a loop that each thread runs once is a guard.
  void enter_stride_loop() {
    const NodeId condition = tree_.bare(tree_.field(outputs_.stride_loop, "condition"));
    if (condition == kNoNode || tree_.operator_of(condition) != "<") return;
    const auto both = sides(tree_.field(condition, "left"), tree_.field(condition, "right"));
    if (!both) return;
    add_test(both->first, both->second, "<", {});
    found_.edits.push_back({tree_.node(condition).range, "true"});
  }

  /// `min(a, b)`, `max(a, b)` of integers: the argument that it is in the middle.
  void try_extreme(NodeId call) {
    const auto name = tree_.plain_text(tree_.field(call, "function"));
    const bool is_min = name == "min" || name == "std::min";
    if ((!is_min && name != "max" && name != "std::max") || is_of_loop_condition(call)) return;
    const auto arguments = tree_.children(tree_.field(call, "arguments"));
    if (arguments.size() != 2) return;
    const auto both = sides(arguments[0], arguments[1]);
    if (!both) return;
    const auto first = in_the_middle(arguments[0]);
    const auto second = in_the_middle(arguments[1]);
    if (!first || !second || *first == *second) return;
    const bool takes_first = (*first < *second) == is_min;
    add_test(both->first, both->second, takes_first == is_min ? "<=" : ">=", {});
    const NodeId taken = arguments[takes_first ? 0 : 1];
    chosen_[call] = taken;
    const Range whole = tree_.node(call).range;
    const Range part = tree_.node(taken).range;
    found_.edits.push_back({{whole.begin, part.begin}, "("});
    found_.edits.push_back({{part.end, whole.end}, ")"});
  }

  /// In the condition of a loop whose variable it depends on there would be several values.
  [[nodiscard]] bool is_of_loop_condition(NodeId call) const {
    if (!is_of_loop_head(call)) return false;
    for (const NodeId use : tree_.descendants(call, "identifier")) {
      if (loops_.contains(std::string(tree_.text(use)))) return true;
    }
    return false;
  }

  /// Of an edit inside of another one only the outer is left.
  void drop_covered_edits() {
    const auto all = found_.edits;
    std::erase_if(found_.edits, [&](const TextEdit& inner) {
      return std::any_of(all.begin(), all.end(), [&](const TextEdit& outer) {
        return !(outer.range == inner.range) && outer.range.begin <= inner.range.begin &&
               inner.range.end <= outer.range.end;
      });
    });
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const IndependentOutputs& outputs_;
  const KernelBody& body_;
  ProbeProgram program_;
  KernelProber prober_;
  std::map<std::string, EdgeVariable, std::less<>> variables_;
  std::map<std::string, NodeId, std::less<>> loops_;
  std::map<std::string, bool, std::less<>> subtracts_;
  std::map<NodeId, NodeId>
      chosen_;  ///< calls of min and max, and the argument that stands for them
  EdgeTests found_;
};

}  // namespace

std::string digit_name(std::size_t axis) { return "wm_digit_" + std::to_string(axis); }

std::string extent_text(const OutputAxis& axis) {
  return "(" + axis.extent + " > 0 ? static_cast<unsigned>(" + axis.extent + ") : 0u)";
}

EdgeTests find_edge_tests(const Scene& scene, const IndependentOutputs& outputs,
                          const EdgeBox& box) {
  return EdgeFinder(scene, outputs, box).find();
}

}  // namespace warpmind::agents::builtin
