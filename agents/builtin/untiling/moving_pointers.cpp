#include "agents/builtin/untiling/moving_pointers.h"

#include "agents/builtin/untiling/index_forms.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr int kMostRounds = 40;

std::string name_for_tiles(const std::string& source) {
  std::string name = "tile";
  while (source.find(name) != std::string::npos) name += "_";
  return name;
}

/// `x += amount` or `++x`.
struct Move {
  NodeId statement = kNoNode;  ///< or the part of a loop's update
  NodeId identifier = kNoNode;
  NodeId amount = kNoNode;  ///< kNoNode: 1
};

class PointerFixer {
 public:
  PointerFixer(const CudaSource& source, const Function& function, const SceneLaunch& launch)
      : body_(source, function), tree_(source.tree), forms_(body_, launch, true) {}

  /// Edits of one step; empty: nothing to do.
  std::vector<TextEdit> next() {
    for (const NodeId loop : tree_.descendants(body_.function().body, "for_statement")) {
      if (auto edits = counted_by_tiles(loop); !edits.empty()) return edits;
    }
    for (const NodeId loop : tree_.descendants(body_.function().body, "for_statement")) {
      if (auto edits = moved_in_loop(loop); !edits.empty()) return edits;
    }
    return moved_before_loops();
  }

  [[nodiscard]] const std::string& end() const { return end_; }

 private:
  [[nodiscard]] std::optional<Move> move_of(NodeId expression) const {
    const NodeId at = tree_.bare(expression);
    Move move;
    move.statement = at;
    if (tree_.is(at, "update_expression") && tree_.operator_of(at) == "++") {
      move.identifier = tree_.bare(tree_.field(at, "argument"));
    } else if (tree_.is(at, "assignment_expression") && tree_.operator_of(at) == "+=") {
      move.identifier = tree_.bare(tree_.field(at, "left"));
      move.amount = tree_.field(at, "right");
    }
    if (!tree_.is(move.identifier, "identifier")) return std::nullopt;
    return move;
  }

  /// Whether everything in the expression keeps its value in `region`.
  [[nodiscard]] bool is_fixed(NodeId expression, NodeId region) const {
    if (expression == kNoNode) return true;
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      if (body_.identifier_written_in(name, region)) return false;
      const Local* local = body_.local_of(name);
      if (local != nullptr && tree_.contains(region, local->scope) &&
          region != body_.function().body) {
        return false;
      }
    }
    return tree_.descendants(expression, "call_expression").empty() &&
           tree_.descendants(expression, "subscript_expression").empty();
  }

  [[nodiscard]] std::string text_of(NodeId amount) const {
    return amount == kNoNode ? "1" : in_parentheses(std::string(tree_.text(amount)));
  }

  /// `x` as `x + by`, inside of a subscript where it is one's pointer.
  void shift_use(NodeId use, const std::string& by, std::vector<TextEdit>& edits) const {
    const NodeId up = tree_.node(use).parent;
    const auto indices = tree_.children(tree_.field(up, "indices"));
    const Range range = tree_.node(use).range;
    if (tree_.is(up, "subscript_expression") && tree_.node(use).field == "argument" &&
        indices.size() == 1) {
      const Range index = tree_.node(indices.front()).range;
      edits.push_back({{index.begin, index.begin}, by + " + ("});
      edits.push_back({{index.end, index.end}, ")"});
      return;
    }
    edits.push_back({range, "(" + std::string(tree_.text(use)) + " + " + by + ")"});
  }

  /// Identifiers that mean the same variable.
  [[nodiscard]] std::vector<NodeId> uses_of(NodeId identifier) const {
    if (const Local* local = body_.local_of(identifier)) {
      return body_.uses_of(*local, body_.function().body);
    }
    std::vector<NodeId> uses;
    for (const NodeId use : tree_.uses(body_.function().body, tree_.text(identifier))) {
      if (body_.local_of(use) == nullptr) uses.push_back(use);
    }
    return uses;
  }

  [[nodiscard]] std::size_t writes_in(NodeId identifier, NodeId region) const {
    const auto uses = uses_of(identifier);
    return static_cast<std::size_t>(
        std::count_if(body_.writes().begin(), body_.writes().end(), [&](const Write& write) {
          return tree_.contains(region, write.node) &&
                 std::find(uses.begin(), uses.end(), write.identifier) != uses.end();
        }));
  }

  /// Statements of a loop's body that move a pointer by the same each time.
  std::vector<TextEdit> moved_in_loop(NodeId loop) {
    const NodeId inside = tree_.field(loop, "body");
    if (!tree_.is(inside, "compound_statement")) return {};
    const auto variable = tile_variable(loop);
    if (variable.empty()) return {};
    for (const NodeId statement : tree_.children(inside)) {
      const auto parts = tree_.children(statement);
      if (!tree_.is(statement, "expression_statement") || parts.size() != 1) continue;
      const auto move = move_of(parts.front());
      if (!move || writes_in(move->identifier, loop) != 1 || !is_fixed(move->amount, loop))
        continue;
      const Local* local = body_.local_of(move->identifier);
      if (local != nullptr && tree_.contains(loop, local->scope)) continue;
      std::vector<TextEdit> edits{{tree_.node(statement).range, ""}};
      bool is_used_later = false;
      for (const NodeId use : uses_of(move->identifier)) {
        if (use == move->identifier) continue;
        is_used_later |= use > loop && !tree_.contains(loop, use);
        if (!tree_.contains(loop, use)) continue;
        const std::string times = use > statement ? "(" + variable + " + 1)" : variable;
        shift_use(use, times + " * " + text_of(move->amount), edits);
      }
      if (!is_used_later) return edits;
    }
    return {};
  }

  /// The variable of a loop that counts its rounds from 0, or empty.
  [[nodiscard]] std::string tile_variable(NodeId loop) const {
    const NodeId init = tree_.field(loop, "initializer");
    const auto declarators = tree_.descendants(init, "init_declarator");
    const auto move = move_of(tree_.field(loop, "update"));
    if (declarators.size() != 1 || !move || move->amount != kNoNode) return {};
    const auto name = tree_.text(tree_.declared(declarators.front()));
    if (tree_.text(move->identifier) != name || writes_in(move->identifier, loop) != 1) return {};
    if (forms_.constant(tree_.field(declarators.front(), "value")) != 0) return {};
    return std::string(name);
  }

  void take_moves(NodeId update, std::vector<Move>& moves, bool& is_known) const {
    if (tree_.is(update, "comma_expression")) {
      take_moves(tree_.field(update, "left"), moves, is_known);
      take_moves(tree_.field(update, "right"), moves, is_known);
      return;
    }
    const auto move = move_of(update);
    is_known &= move.has_value();
    if (move) moves.push_back(*move);
  }

  /// A loop that steps over tiles, or has several variables, with the number of the tile instead.
  std::vector<TextEdit> counted_by_tiles(NodeId loop) {
    const NodeId init = tree_.field(loop, "initializer");
    const auto declarators = tree_.descendants(init, "init_declarator");
    const NodeId condition = tree_.bare(tree_.field(loop, "condition"));
    const auto op = tree_.operator_of(condition);
    std::vector<Move> moves;
    bool is_known = true;
    take_moves(tree_.field(loop, "update"), moves, is_known);
    const bool has_barrier =
        std::any_of(body_.calls().begin(), body_.calls().end(), [&](const Call& call) {
          return call.kind == CallKind::barrier && tree_.contains(loop, call.node);
        });
    if (!has_barrier || !is_known || moves.size() != declarators.size() || moves.empty() ||
        (op != "<" && op != "<=")) {
      return {};
    }
    const auto counted = tree_.text(tree_.bare(tree_.field(condition, "left")));
    std::string first;
    std::string step;
    std::vector<TextEdit> edits;
    const std::string name = name_for_tiles(tree_.source());
    for (const NodeId declarator : declarators) {
      const auto variable = tree_.text(tree_.declared(declarator));
      const auto move = std::find_if(moves.begin(), moves.end(), [&](const Move& one) {
        return tree_.text(one.identifier) == variable;
      });
      const NodeId value = tree_.field(declarator, "value");
      if (move == moves.end() || writes_in(move->identifier, loop) != 1 ||
          !is_fixed(move->amount, loop) || !is_fixed(value, loop)) {
        return {};
      }
      const bool is_zero = forms_.constant(value) == 0;
      if (variable == counted) {
        if (moves.size() == 1 && move->amount == kNoNode) return {};
        first = is_zero ? "" : " - " + in_parentheses(std::string(tree_.text(value)));
        step = text_of(move->amount);
      }
      const std::string start =
          is_zero ? "" : in_parentheses(std::string(tree_.text(value))) + " + ";
      for (const NodeId use : uses_of(move->identifier)) {
        if (!tree_.contains(tree_.field(loop, "body"), use)) continue;
        std::string text = "(" + start;
        text.append(name).append(" * ").append(text_of(move->amount)).append(")");
        edits.push_back({tree_.node(use).range, std::move(text)});
      }
    }
    const NodeId bound = tree_.field(condition, "right");
    if (step.empty() || !is_fixed(bound, loop)) return {};
    const std::string last = in_parentheses(std::string(tree_.text(bound))) + first;
    end_ = last + (op == "<=" ? " + 1" : "");
    if (op == "<" && first.empty()) end_ = tree_.text(bound);
    const std::string rounds = op == "<=" ? "(" + last + ") / " + step + " + 1"
                                          : "(" + last + " + " + step + " - 1) / " + step;
    const std::size_t begin = tree_.node(init).range.begin;
    const std::size_t close = tree_.node(tree_.field(loop, "update")).range.end;
    edits.push_back(
        {{begin, close}, "int " + name + " = 0; " + name + " < " + rounds + "; ++" + name});
    return edits;
  }

  /// `A += x;` as a statement of the kernel; the last one first.
  std::vector<TextEdit> moved_before_loops() {
    const auto statements = tree_.children(body_.function().body);
    for (auto at = statements.rbegin(); at != statements.rend(); ++at) {
      const auto parts = tree_.children(*at);
      if (!tree_.is(*at, "expression_statement") || parts.size() != 1) continue;
      const auto move = move_of(parts.front());
      if (!move || move->amount == kNoNode) continue;
      const Local* local = body_.local_of(move->identifier);
      const Parameter* parameter = body_.function().parameter(tree_.text(move->identifier));
      const bool is_pointer =
          local != nullptr ? local->is_pointer : parameter != nullptr && parameter->is_pointer;
      if (!is_pointer || !is_fixed(move->amount, body_.function().body)) continue;
      std::vector<TextEdit> edits{{tree_.node(*at).range, ""}};
      bool is_last = true;
      for (const NodeId use : uses_of(move->identifier)) {
        if (use < *at || use == move->identifier) continue;
        for (const Write& write : body_.writes()) is_last &= write.identifier != use;
        shift_use(use, text_of(move->amount), edits);
      }
      if (is_last) return edits;
    }
    return {};
  }

  KernelBody body_;
  const SyntaxTree& tree_;
  IndexForms forms_;
  std::string end_;
};

}  // namespace

FixedPointers with_fixed_pointers(std::string source, const std::string& kernel,
                                  const SceneLaunch& launch) {
  FixedPointers fixed{std::move(source), {}};
  for (int round = 0; round < kMostRounds; ++round) {
    const auto read = CudaSource::read(fixed.source);
    const Function* function = read ? read->kernel(kernel) : nullptr;
    if (function == nullptr || function->has_error) break;
    PointerFixer fixer(*read, *function, launch);
    auto edits = fixer.next();
    if (edits.empty()) break;
    if (!fixer.end().empty()) fixed.end = fixer.end();
    fixed.source = apply_edits(fixed.source, std::move(edits));
  }
  return fixed;
}

}  // namespace warpmind::agents::builtin
