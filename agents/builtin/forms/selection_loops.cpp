#include "agents/builtin/forms/selection_loops.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/pointwise/guarded_body.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

tl::unexpected<Error> refuse(std::string why) { return fail(Errc::not_found, std::move(why)); }

std::vector<NodeId> without_pragmas(const SyntaxTree& tree, std::vector<NodeId> statements) {
  std::erase_if(statements, [&](NodeId node) { return tree.is(node, "preproc_call"); });
  return statements;
}

/// Tokens with one space between: without const, with braces around every body, `--j` for `j--`.
std::string canonical(const SyntaxTree& tree, NodeId node) {
  if (tree.is(node, "comment") || tree.is(node, "preproc_call") ||
      tree.is(node, "type_qualifier")) {
    return {};
  }
  const auto join = [](std::string left, const std::string& right) {
    if (!left.empty() && !right.empty()) left += " ";
    left += right;
    return left;
  };
  if (tree.is(node, "update_expression")) {
    return join(std::string(tree.operator_of(node)), canonical(tree, tree.field(node, "argument")));
  }
  const auto parts = tree.all_children(node);
  const auto text = tree.text(node);
  if (tree.is(node, "number_literal") && text.starts_with("-")) {
    return "- " + std::string(text.substr(1));
  }
  if (parts.empty()) return std::string(text);
  std::string all;
  for (const NodeId part : parts) {
    const auto field = tree.node(part).field;
    const bool is_body = (field == "body" || field == "consequence") &&
                         !tree.is(part, "compound_statement") &&
                         (tree.is(node, "for_statement") || tree.is(node, "while_statement") ||
                          tree.is(node, "if_statement"));
    std::string inner = canonical(tree, part);
    if (is_body) inner.insert(0, "{ ").append(" }");
    all = join(std::move(all), inner);
  }
  return all;
}

/// The expression with `variable` as "wm_c" and locals of `inside` as their values.
std::string key_text(const KernelBody& body, NodeId expression, NodeId inside,
                     const Local& variable) {
  const NodeId bare = body.tree().bare(expression);
  const std::string text = body.expanded(bare, inside, variable, "wm_c");
  const auto parsed = SyntaxTree::parse("auto wm_key = " + text + ";");
  if (text.empty() || !parsed) return {};
  const auto values = parsed->descendants(parsed->root(), "init_declarator");
  if (values.size() != 1) return {};
  return canonical(*parsed, parsed->bare(parsed->field(values.front(), "value")));
}

/// `a < b` as `b > a`.
std::string flipped(std::string_view op) {
  if (op.starts_with(">")) return "<" + std::string(op.substr(1));
  if (op.starts_with("<")) return ">" + std::string(op.substr(1));
  return {};
}

/// The conditions that `&&` joins.
std::vector<NodeId> conjuncts(const SyntaxTree& tree, NodeId condition) {
  const NodeId at = tree.bare(condition);
  if (!tree.is(at, "binary_expression") || tree.operator_of(at) != "&&") return {at};
  auto all = conjuncts(tree, tree.field(at, "left"));
  for (const NodeId right : conjuncts(tree, tree.field(at, "right"))) all.push_back(right);
  return all;
}

/// What both ways of selecting look at.
class LoopReader {
 public:
  LoopReader(const Scene& scene, const ThreadRows& rows)
      : scene_(scene), rows_(rows), body_(rows.body()), tree_(rows.body().tree()) {}

 protected:
  /// A loop from 0 by 1 to below a bound.
  [[nodiscard]] Result<CountedLoop> plain_loop(NodeId node) const {
    WARPMIND_TRY(auto loop, counted_loop(body_, node));
    if (loop.step != kNoNode || loop.is_inclusive || integer_literal(tree_, loop.start) != 0) {
      return refuse("the loop over '" + loop.variable->name + "' does not count from 0 by 1");
    }
    return loop;
  }

  [[nodiscard]] const Local* local_of_statement(NodeId statement) const {
    const NodeId declarator = only_declarator(tree_, statement);
    if (declarator == kNoNode) return nullptr;
    const NodeId identifier = tree_.declared(declarator);
    for (const Local& local : body_.locals()) {
      if (local.identifier == identifier) return &local;
    }
    return nullptr;
  }

  [[nodiscard]] const Local* named(NodeId expression) const {
    const NodeId at = tree_.bare(expression);
    return tree_.is(at, "identifier") ? body_.local_of(at) : nullptr;
  }

  /// Whether the expression has the same value in every row: no locals are in it.
  [[nodiscard]] bool is_constant(NodeId expression) const {
    const auto names = tree_.descendants(expression, "identifier");
    return std::none_of(names.begin(), names.end(),
                        [&](NodeId name) { return body_.local_of(name) != nullptr; });
  }

  /// Sets the order by `key op best`. False: the operator is none of `> >= < <=`.
  static bool set_order(SelectionLoops& found, std::string_view op) {
    if (flipped(op).empty()) return false;
    found.is_largest = op.starts_with(">");
    found.is_earlier_first = !op.ends_with("=");
    found.takes_equal = op.ends_with("=");
    return true;
  }

  /// The type of what is compared; empty: none that can be ordered.
  [[nodiscard]] std::string type_of_key(NodeId key) const {
    const NodeId at = tree_.bare(key);
    if (tree_.is(at, "identifier")) {
      const Local* local = body_.local_of(at);
      return local == nullptr || local->is_pointer ? std::string() : local->type;
    }
    return tree_.is(at, "subscript_expression") ? body_.element_type(tree_.field(at, "argument"))
                                                : std::string();
  }

  /// Checks what stands behind a selection: stores of one rank, which no other rank touches.
  [[nodiscard]] std::string obstacle_in_stores(const SelectionLoops& found) const {
    const auto injective = injective_by_probing(scene_, rows_.function());
    const NodeId ranks = found.ranks.node;
    bool any = false;
    for (const NodeId statement : found.stores) {
      for (const std::string_view kind : {"for_statement", "while_statement", "do_statement",
                                          "break_statement", "continue_statement"}) {
        if (!tree_.descendants(statement, kind).empty()) return "ranks are stored by a loop";
      }
      for (const Write& write : body_.writes()) {
        if (!tree_.contains(statement, write.node)) continue;
        if (write.local == nullptr || !body_.declared_in(*write.local, ranks)) {
          return "'" + std::string(tree_.text(write.identifier)) + "' is carried from rank to rank";
        }
      }
      for (const MemoryAccess& access : body_.accesses()) {
        if (!access.is_store || !tree_.contains(statement, access.node)) continue;
        if (access.is_private) return "the array '" + access.root + "' is carried";
        const auto step = access.index == kNoNode
                              ? std::nullopt
                              : coefficient(body_, access.index, *found.ranks.variable, ranks);
        if (access.index == kNoNode || !(step ? *step != 0 : injective(access.index, ranks))) {
          return "'" + tree_.plain_text(access.node) + "' may be stored for several ranks";
        }
        any = true;
      }
    }
    return any ? std::string() : "nothing is stored for a rank";
  }

  const Scene& scene_;
  const ThreadRows& rows_;
  const KernelBody& body_;
  const SyntaxTree& tree_;
};

/// `for (rank) { best = none; for (c) if (c is not taken and better) best = c; store; }`
class PassReader : LoopReader {
 public:
  using LoopReader::LoopReader;

  Result<SelectionLoops> read(NodeId rank_loop) {
    WARPMIND_TRY(found_.ranks, plain_loop(rank_loop));
    const auto statements = without_pragmas(tree_, statements_of(tree_, found_.ranks.body));
    std::size_t at = 0;
    while (at < statements.size() && !tree_.is(statements[at], "for_statement")) {
      if (auto why = take_start(statements[at++]); !why.empty()) return refuse(why);
    }
    if (at == statements.size()) return refuse("no loop over the columns stands in a pass");
    WARPMIND_TRY(found_.columns, plain_loop(statements[at++]));
    if (best_ == nullptr) return refuse("a pass keeps no column");
    if (auto why = read_columns(); !why.empty()) return refuse(why);
    bool is_marked = false;
    for (; at < statements.size(); ++at) {
      const NodeId statement = statements[at];
      const bool is_mark = canonical(tree_, statement) == mark_;
      is_marked = is_marked || is_mark;
      if (!is_mark || !is_private_mark_) found_.stores.push_back(statement);
    }
    if (!is_marked) return refuse("'" + best_->name + "' is not kept as taken");
    found_.at = best_->name;
    found_.at_type = best_->type;
    if (value_ != nullptr) found_.value = value_->name;
    if (auto why = obstacle_in_stores(found_); !why.empty()) return refuse(why);
    return found_;
  }

 private:
  /// `int best = -1;` or `float most = -INFINITY;`
  std::string take_start(NodeId statement) {
    const Local* local = local_of_statement(statement);
    if (local == nullptr) return "a pass begins with more than what it keeps";
    const std::string text = canonical(tree_, local->value);
    if (is_integer_type(local->type) && text == "- 1" && best_ == nullptr) {
      best_ = local;
    } else if (value_ == nullptr && is_constant(local->value)) {
      value_ = local;
    } else {
      return "'" + local->name + "' is neither a column nor a key to beat";
    }
    return {};
  }

  std::string read_columns() {
    const auto statements = without_pragmas(tree_, statements_of(tree_, found_.columns.body));
    for (std::size_t at = 0; at + 1 < statements.size(); ++at) {
      const NodeId statement = statements[at];
      if (tree_.is(statement, "declaration")) continue;  // looked through where they are used
      if (auto why = take_mark_loop(statement); why.empty()) continue;
      if (tree_.is(statement, "if_statement") &&
          canonical(tree_, tree_.field(statement, "consequence")).find("continue") !=
              std::string::npos) {
        const auto inner = statements_of(tree_, tree_.field(statement, "consequence"));
        if (inner.size() == 1 && tree_.is(inner[0], "continue_statement") &&
            tree_.field(statement, "alternative") == kNoNode &&
            is_taken(tree_.bare(tree_.field(statement, "condition")))) {
          leaves_out_ = true;
          continue;
        }
      }
      return "the loop over the columns does more than look for the best";
    }
    return statements.empty() ? "the loop over the columns is empty"
                              : take_choice(statements.back());
  }

  /// `for (earlier < rank) taken = taken || positions[earlier] == c;`
  std::string take_mark_loop(NodeId statement) {
    std::string other = "no loop over earlier ranks";
    if (!tree_.is(statement, "for_statement")) return other;
    const auto loop = plain_loop(statement);
    if (!loop || named(loop->bound) != found_.ranks.variable) return other;
    const auto inner = without_pragmas(tree_, statements_of(tree_, loop->body));
    if (inner.size() != 1) return other;
    for (const Local& flag : body_.locals()) {
      if (!body_.declared_in(flag, found_.columns.body) || flag.is_array) continue;
      const std::string start = canonical(tree_, flag.value);
      if (flag.value == kNoNode || (start != "false" && start != "0")) continue;
      const NodeId test = mark_test(inner.front(), flag);
      if (test == kNoNode || writes_of(flag) != 1) continue;
      if (!take_mark(test, *loop)) return other;
      flag_ = &flag;
      return {};
    }
    return other;
  }

  [[nodiscard]] std::ptrdiff_t writes_of(const Local& local) const {
    return std::count_if(body_.writes().begin(), body_.writes().end(),
                         [&](const Write& write) { return write.local == &local; });
  }

  /// `E` of `flag = flag || E`, `flag |= E`, `if (E) flag = true`, also with a break.
  [[nodiscard]] NodeId mark_test(NodeId statement, const Local& flag) const {
    if (tree_.is(statement, "if_statement")) {
      const std::string then = canonical(tree_, tree_.field(statement, "consequence"));
      for (const char* yes : {"true", "1"}) {
        const std::string set = "{ " + flag.name + " = " + yes + " ;";
        if (then == set + " }" || then == set + " break ; }" || then == set.substr(2)) {
          return tree_.field(statement, "alternative") == kNoNode
                     ? tree_.bare(tree_.field(statement, "condition"))
                     : kNoNode;
        }
      }
      return kNoNode;
    }
    const auto parts = tree_.children(statement);
    if (!tree_.is(statement, "expression_statement") || parts.size() != 1 ||
        !tree_.is(parts[0], "assignment_expression") ||
        named(tree_.field(parts[0], "left")) != &flag) {
      return kNoNode;
    }
    const NodeId right = tree_.bare(tree_.field(parts[0], "right"));
    if (tree_.operator_of(parts[0]) == "|=") return right;
    const auto op = tree_.operator_of(right);
    if (tree_.operator_of(parts[0]) != "=" || (op != "||" && op != "|")) return kNoNode;
    if (named(tree_.field(right, "left")) == &flag) return tree_.bare(tree_.field(right, "right"));
    return named(tree_.field(right, "right")) == &flag ? tree_.bare(tree_.field(right, "left"))
                                                       : kNoNode;
  }

  /// Of `kept[earlier] == c`: the mark is `kept[rank] = best;`.
  bool take_mark(NodeId test, const CountedLoop& earlier) {
    if (!tree_.is(test, "binary_expression") || tree_.operator_of(test) != "==") return false;
    NodeId kept = tree_.bare(tree_.field(test, "left"));
    NodeId column = tree_.field(test, "right");
    if (named(column) != found_.columns.variable) std::swap(kept, column);
    kept = tree_.bare(kept);
    if (named(column) != found_.columns.variable || !tree_.is(kept, "subscript_expression")) {
      return false;
    }
    std::vector<TextEdit> edits;
    for (const NodeId use : body_.uses_of(*earlier.variable, kept)) {
      edits.push_back({tree_.node(use).range, found_.ranks.variable->name});
    }
    if (edits.empty()) return false;
    const auto place = SyntaxTree::parse(
        "void wm_f() {" + edited_part(tree_.source(), tree_.node(kept).range, edits) + " = " +
        best_->name + ";}");
    const auto assigned =
        place ? place->descendants(place->root(), "expression_statement") : std::vector<NodeId>{};
    if (assigned.size() != 1) return false;
    mark_ = canonical(*place, assigned.front());
    for (const MemoryAccess& access : body_.accesses()) {
      if (access.node == kept) is_private_mark_ = access.is_private;
    }
    return true;
  }

  /// `taken`, or `used[c]` of an array of the thread that starts out as false.
  bool is_taken(NodeId condition) {
    const NodeId at = tree_.bare(condition);
    if (flag_ != nullptr && named(at) == flag_) return true;
    if (!tree_.is(at, "subscript_expression")) return false;
    const auto indices = tree_.children(tree_.field(at, "indices"));
    const Local* array = named(tree_.field(at, "argument"));
    if (array == nullptr || !array->is_array || indices.size() != 1 ||
        named(indices[0]) != found_.columns.variable || !starts_clear(*array)) {
      return false;
    }
    const std::string place = array->name + " [ " + best_->name + " ] = ";
    mark_ = place + (array->type == "bool" ? "true ;" : "1 ;");
    is_private_mark_ = true;
    // The declaration, what clears it, the test and the mark.
    const auto cleared = array->value == kNoNode ? 1U : 0U;
    return body_.uses_of(*array, rows_.function().body).size() == 2 + cleared;
  }

  [[nodiscard]] bool starts_clear(const Local& array) const {
    if (array.value != kNoNode) {
      const std::string start = canonical(tree_, array.value);
      return start == "{ }" || start == "{ 0 }" || start == "{ false }";
    }
    for (const RowItem& item : rows_.items()) {
      if (item.is_guard || !tree_.is(item.node, "for_statement") || item.node > found_.ranks.node) {
        continue;
      }
      const auto loop = plain_loop(item.node);
      if (!loop || canonical(tree_, loop->bound) != canonical(tree_, found_.columns.bound)) {
        continue;
      }
      const auto inner = without_pragmas(tree_, statements_of(tree_, loop->body));
      const std::string place = array.name + " [ " + loop->variable->name + " ] = ";
      for (const char* no : {"false ;", "0 ;"}) {
        if (inner.size() == 1 && canonical(tree_, inner[0]) == place + no) return true;
      }
    }
    return false;
  }

  std::string take_choice(NodeId statement) {
    if (!tree_.is(statement, "if_statement") || tree_.field(statement, "alternative") != kNoNode) {
      return "the best of the columns is not chosen by one if";
    }
    NodeId better = kNoNode;
    for (const NodeId part : conjuncts(tree_, tree_.field(statement, "condition"))) {
      const bool is_not = tree_.is(part, "unary_expression") && tree_.operator_of(part) == "!";
      if (is_not && is_taken(tree_.field(part, "argument"))) {
        leaves_out_ = true;
        continue;
      }
      if (better != kNoNode) return "the best is chosen by more than being better";
      better = part;
    }
    if (!leaves_out_) return "no pass leaves out the columns that were taken";
    if (auto why = take_comparison(better); !why.empty()) return why;
    for (const NodeId one : statements_of(tree_, tree_.field(statement, "consequence"))) {
      const auto parts = tree_.children(one);
      const NodeId assigned = parts.size() == 1 ? parts[0] : kNoNode;
      const NodeId right = tree_.field(assigned, "right");
      const Local* left = named(tree_.field(assigned, "left"));
      const bool is_place = left == best_ && named(right) == found_.columns.variable;
      const bool is_value =
          left != nullptr && left == value_ &&
          key_text(body_, right, found_.columns.node, *found_.columns.variable) == key_;
      if (tree_.operator_of(assigned) != "=" || (!is_place && !is_value)) {
        return "a better column changes more than the best";
      }
      (is_place ? keeps_place_ : keeps_value_) = true;
    }
    if (!keeps_place_ || keeps_value_ != (value_ != nullptr)) {
      return "a better column is not kept with its key";
    }
    return {};
  }

  /// `best < 0 || x[c] > x[best]`, or `x[c] > most`.
  std::string take_comparison(NodeId better) {
    NodeId comparison = better;
    bool has_none = false;
    if (tree_.is(better, "binary_expression") && tree_.operator_of(better) == "||") {
      const std::string first = canonical(tree_, tree_.bare(tree_.field(better, "left")));
      for (const char* none : {" < 0", " == - 1"}) has_none |= first == best_->name + none;
      comparison = tree_.bare(tree_.field(better, "right"));
      if (!has_none) return "a column is also taken without being better";
    }
    if (!tree_.is(comparison, "binary_expression")) return "columns are not compared";
    std::string op(tree_.operator_of(comparison));
    NodeId key = tree_.field(comparison, "left");
    NodeId other = tree_.field(comparison, "right");
    const auto text_of = [&](NodeId expression, const Local& variable) {
      return key_text(body_, expression, found_.columns.node, variable);
    };
    if (text_of(key, *found_.columns.variable).find("wm_c") == std::string::npos) {
      std::swap(key, other);
      op = flipped(op);
    }
    if (!set_order(found_, op)) return "columns are not compared by size";
    key_ = text_of(key, *found_.columns.variable);
    if (key_.find("wm_c") == std::string::npos) return "what is compared is no column's key";
    found_.key = key;
    found_.key_type = type_of_key(key);
    if (has_none != (value_ == nullptr)) return "a pass starts with no column and with a key";
    if (has_none) {
      return text_of(other, *best_) == key_ ? "" : "columns are not compared with the best";
    }
    if (named(other) != value_) return "columns are not compared with the best key";
    if (value_->type != found_.key_type) return "the best key is kept in another type";
    found_.sentinel = std::string(tree_.text(value_->value));
    return {};
  }

  SelectionLoops found_;
  const Local* best_ = nullptr;
  const Local* value_ = nullptr;
  const Local* flag_ = nullptr;
  std::string key_, mark_;
  bool is_private_mark_ = false, leaves_out_ = false;
  bool keeps_place_ = false, keeps_value_ = false;
};

/// `for (c) { insert x[c] into a sorted array of the thread }` and a loop that stores the array.
class InsertionReader : LoopReader {
 public:
  using LoopReader::LoopReader;

  Result<SelectionLoops> read(NodeId column_loop, NodeId rank_loop) {
    WARPMIND_TRY(found_.columns, plain_loop(column_loop));
    WARPMIND_TRY(found_.ranks, plain_loop(rank_loop));
    const auto statements = without_pragmas(tree_, statements_of(tree_, found_.columns.body));
    if (statements.empty()) return refuse("the loop over the columns is empty");
    for (std::size_t at = 0; at + 1 < statements.size(); ++at) {
      if (local_of_statement(statements[at]) == nullptr) {
        return refuse("the loop over the columns does more than keep the best");
      }
    }
    if (auto why = take_insertion(statements); !why.empty()) return refuse(why);
    if (auto why = take_start(); !why.empty()) return refuse(why);
    if (auto why = take_stores(); !why.empty()) return refuse(why);
    if (auto why = obstacle_in_stores(found_); !why.empty()) return refuse(why);
    return found_;
  }

 private:
  /// The last index, as the code may write it.
  [[nodiscard]] std::vector<std::string> last_texts() const {
    std::vector<std::string> all{canonical(tree_, found_.ranks.bound) + " - 1"};
    if (const auto count = integer_literal(tree_, found_.ranks.bound)) {
      all.push_back(std::to_string(*count - 1));
    }
    return all;
  }

  /// The names in `if (v > most[last]) { … }`.
  std::string take_insertion(const std::vector<NodeId>& statements) {
    const NodeId gate = statements.back();
    const NodeId condition = tree_.bare(tree_.field(gate, "condition"));
    if (!tree_.is(gate, "if_statement") || tree_.field(gate, "alternative") != kNoNode ||
        !tree_.is(condition, "binary_expression")) {
      return "a column is not compared with the last that is kept";
    }
    std::string op(tree_.operator_of(condition));
    NodeId key = tree_.bare(tree_.field(condition, "left"));
    NodeId kept = tree_.bare(tree_.field(condition, "right"));
    if (!tree_.is(kept, "subscript_expression") ||
        named(tree_.field(kept, "argument")) == nullptr) {
      std::swap(key, kept);
      op = flipped(op);
    }
    values_ = named(tree_.field(kept, "argument"));
    const auto indices = tree_.children(tree_.field(kept, "indices"));
    if (values_ == nullptr || !values_->is_array || indices.size() != 1 || !set_order(found_, op)) {
      return "a column is not compared with the last that is kept";
    }
    last_ = canonical(tree_, indices[0]);
    const auto lasts = last_texts();
    if (std::find(lasts.begin(), lasts.end(), last_) == lasts.end()) {
      return "a column is not compared with the last that is kept";
    }
    found_.key = key;
    found_.key_type = type_of_key(key);
    if (found_.key_type != values_->type) return "keys are kept in another type";
    const std::string text = key_text(body_, key, found_.columns.node, *found_.columns.variable);
    if (text.find("wm_c") == std::string::npos) return "what is compared is no column's key";
    return match_insertion(gate, canonical(tree_, key), op);
  }

  /// Compares what the gate guards with the ways of inserting that are known.
  std::string match_insertion(NodeId gate, const std::string& key, const std::string& op) {
    const std::string given = canonical(tree_, tree_.field(gate, "consequence"));
    for (const Local& places : body_.locals()) {
      const bool is_none = &places == values_;  // stands for: no positions are kept
      if (!is_none && (!places.is_array || places.is_shared || !is_integer_type(places.type))) {
        continue;
      }
      for (const Local& at : body_.locals()) {
        if (!body_.declared_in(at, gate) || at.is_array || !is_integer_type(at.type)) continue;
        for (const auto& known : insertions(key, op, is_none ? "" : places.name, at)) {
          if (known != given) continue;
          places_ = is_none ? nullptr : &places;
          return {};
        }
      }
    }
    return "how a column is put among those kept is not known";
  }

  [[nodiscard]] std::vector<std::string> insertions(const std::string& key, const std::string& op,
                                                    const std::string& places,
                                                    const Local& at) const {
    using Parts = std::initializer_list<std::string_view>;
    const auto text = [](Parts parts) {
      std::string all;
      for (const auto part : parts) all += part;
      return all;
    };
    const std::string& j = at.name;
    const std::string& values = values_->name;
    const auto element = [&](const std::string& array, const std::string& index) {
      return text({array, " [ ", index, " ]"});
    };
    const auto both = [&](const std::string& first, const std::string& second) {
      if (places.empty()) return std::vector<std::string>{first};
      return std::vector<std::string>{text({first, " ", second}), text({second, " ", first})};
    };
    const std::string above = text({j, " - 1"});
    const auto shifts = both(text({element(values, j), " = ", element(values, above), " ;"}),
                             text({element(places, j), " = ", element(places, above), " ;"}));
    const auto puts = both(text({element(values, j), " = ", key, " ;"}),
                           text({element(places, j), " = ", found_.columns.variable->name, " ;"}));
    const std::string start = text({at.type, " ", j, " = ", last_, " ;"});
    const std::string late = text({at.type, " ", j, " ; for ( ", j, " = ", last_, " ; "});
    std::vector<std::string> all;
    for (const std::string& test : {text({key, " ", op, " ", element(values, above)}),
                                    text({element(values, above), " ", flipped(op), " ", key})}) {
      const std::string more = text({j, " > 0 && ", test});
      for (const std::string& shift : shifts) {
        for (const std::string& put : puts) {
          for (const std::string& head :
               {text({start, " while ( ", more, " ) { ", shift, " -- ", j, " ; }"}),
                text({start, " for ( ; ", more, " ; -- ", j, " ) { ", shift, " }"}),
                text({late, more, " ; -- ", j, " ) { ", shift, " }"})}) {
            all.push_back(text({"{ ", head, " ", put, " }"}));
          }
        }
      }
    }
    return all;
  }

  /// `for (i < k) { most[i] = -INFINITY; at[i] = -1; }` in front.
  std::string take_start() {
    for (const RowItem& item : rows_.items()) {
      if (item.is_guard || !tree_.is(item.node, "for_statement") ||
          item.node >= found_.columns.node) {
        continue;
      }
      const auto loop = plain_loop(item.node);
      if (!loop || canonical(tree_, loop->bound) != canonical(tree_, found_.ranks.bound)) continue;
      for (const NodeId one : statements_of(tree_, loop->body)) {
        const auto parts = tree_.children(one);
        const NodeId assigned = parts.size() == 1 ? parts[0] : kNoNode;
        const std::string place = values_->name + " [ " + loop->variable->name + " ]";
        if (canonical(tree_, tree_.field(assigned, "left")) != place ||
            tree_.operator_of(assigned) != "=" || !is_constant(tree_.field(assigned, "right"))) {
          continue;
        }
        found_.sentinel = std::string(tree_.text(tree_.field(assigned, "right")));
      }
    }
    if (found_.sentinel.empty()) return "what is kept does not start from one key to beat";
    // Written once at the start and twice by the insertion; read where it is stored.
    const auto stores = std::count_if(
        body_.accesses().begin(), body_.accesses().end(), [&](const MemoryAccess& access) {
          return access.is_private && access.is_store && access.root == values_->name;
        });
    return stores == 3 ? std::string() : "'" + values_->name + "' is written elsewhere";
  }

  std::string take_stores() {
    found_.stores = without_pragmas(tree_, statements_of(tree_, found_.ranks.body));
    found_.at = "wm_best";
    found_.at_type = found_.columns.variable->type;
    found_.value = "wm_value";
    for (const NodeId statement : found_.stores) {
      for (const Local* array : {values_, places_}) {
        if (array == nullptr) continue;
        for (const NodeId use : body_.uses_of(*array, statement)) {
          const NodeId element = tree_.node(use).parent;
          const std::string wanted = array->name + " [ " + found_.ranks.variable->name + " ]";
          if (canonical(tree_, element) != wanted) return "ranks are stored out of order";
          found_.edits.push_back(
              {tree_.node(element).range, array == values_ ? found_.value : found_.at});
        }
      }
    }
    return {};
  }

  SelectionLoops found_;
  const Local* values_ = nullptr;
  const Local* places_ = nullptr;  ///< nullptr: no positions are kept
  std::string last_;
};

}  // namespace

Result<SelectionLoops> selection_loops(const Scene& scene, const ThreadRows& rows) {
  const SyntaxTree& tree = rows.body().tree();
  std::vector<NodeId> loops;
  NodeId last = kNoNode;
  for (const RowItem& item : rows.items()) {
    if (!item.is_guard && tree.is(item.node, "for_statement")) loops.push_back(item.node);
    if (!item.is_guard && !tree.is(item.node, "preproc_call")) last = item.node;
  }
  if (loops.empty()) return refuse("a row has no loop");
  if (loops.back() != last) return refuse("statements follow the selection");
  auto passes = PassReader(scene, rows).read(loops.back());
  if (passes || loops.size() < 2) return passes;
  auto sorted = InsertionReader(scene, rows).read(loops[loops.size() - 2], loops.back());
  // The reason that fits the loops better.
  const bool is_pass = tree.descendants(loops.back(), "for_statement").size() > 1;
  return sorted || !is_pass ? sorted : passes;
}

}  // namespace warpmind::agents::builtin
