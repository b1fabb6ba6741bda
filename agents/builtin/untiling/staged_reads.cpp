#include "agents/builtin/untiling/staged_reads.h"

#include "agents/builtin/untiling/index_forms.h"
#include "agents/builtin/untiling/lane_vector.h"
#include "base/sequence.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

using Substitutes = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t kMostText = 20'000;
constexpr std::int64_t kMostOffset = std::int64_t{1} << 40;

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

bool is_zero(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kZeroTexts{"0",  "0.0f", "0.f",  "0.0",
                                                              "0.", "0.F",  "0.0F", "0u"};
  return contains(kZeroTexts, text);
}

/// An element of a shared array, with the innermost index last.
struct Place {
  NodeId node = kNoNode;
  const Local* array = nullptr;
  std::vector<NodeId> indices;
  NodeId statement = kNoNode;  ///< of a store
  NodeId value = kNoNode;      ///< of a store
};

class PlainReadsWriter {
 public:
  PlainReadsWriter(const CudaSource& source, const Function& function, const SceneLaunch& launch,
                   const StagingChoice& choice)
      : body_(source, function), tree_(source.tree), forms_(body_, launch, true), choice_(choice) {}

  Result<PlainReads> write() {
    WARPMIND_CHECK(collect());
    std::vector<TextEdit> texts;
    for (const Place& read : reads_) {
      WARPMIND_TRY(std::string text, plain_text(read));
      texts.push_back({tree_.node(read.node).range, std::move(text)});
    }
    std::vector<NodeId> gone = barriers_;
    for (const Place& store : stores_) gone.push_back(store.statement);
    found_.source = without_dead_code(body_, gone, std::move(texts));
    return std::move(found_);
  }

 private:
  Result<void> collect() {
    for (const auto& access : body_.accesses()) {
      if (choice_.of_threads ? !access.is_private : !access.is_shared) continue;
      Place place;
      place.node = access.node;
      NodeId at = access.node;
      while (tree_.is(at, "subscript_expression")) {
        const auto indices = tree_.children(tree_.field(at, "indices"));
        if (indices.size() != 1) return in_the_way("an index of shared memory is not understood");
        place.indices.insert(place.indices.begin(), indices.front());
        at = tree_.bare(tree_.field(at, "argument"));
      }
      if (!tree_.is(at, "identifier") || place.indices.empty()) {
        return in_the_way("'" + tree_.plain_text(access.node) +
                          "' is not an element by its number");
      }
      place.array = body_.local_of(at);
      if (place.array == nullptr) return in_the_way("shared memory is reached by other ways");
      if (choice_.of_threads && is_added_to(*place.array)) continue;
      if (access.is_store && access.is_load) {
        return in_the_way("'" + place.array->name + "' is added to");
      }
      if (access.is_store) {
        WARPMIND_CHECK(add_store(std::move(place)));
      } else {
        reads_.push_back(std::move(place));
      }
    }
    if (reads_.empty() || stores_.empty()) return in_the_way("no tile of shared memory is read");
    for (const Place& read : reads_) append_unique(found_.arrays, read.array->name);
    if (choice_.of_threads) return {};
    for (const Local& local : body_.locals()) {
      if (local.is_shared && !local.is_array) {
        return in_the_way("'" + local.name + "' is a shared number");
      }
    }
    for (const Call& call : body_.calls()) {
      if (call.kind == CallKind::pure) continue;
      if (call.name != "__syncthreads") {
        return in_the_way("the kernel calls '" + call.name + "'");
      }
      barriers_.push_back(tree_.node(call.node).parent);
    }
    return {};
  }

  /// Whether a statement stores to an array what it read there.
  [[nodiscard]] bool is_added_to(const Local& array) const {
    const auto& all = body_.accesses();
    return std::any_of(all.begin(), all.end(), [&](const MemoryAccess& access) {
      if (!access.is_store || access.root != array.name) return false;
      const NodeId statement = tree_.ancestor(access.node, "expression_statement");
      return access.is_load || std::any_of(all.begin(), all.end(), [&](const auto& other) {
               return other.is_load && other.root == array.name &&
                      tree_.contains(statement, other.node);
             });
    });
  }

  /// `0.0f`, also converted.
  [[nodiscard]] bool is_zero_value(NodeId value) const {
    NodeId at = tree_.bare(value);
    for (int depth = 0; depth < 4; ++depth) {
      if (tree_.is(at, "cast_expression")) at = tree_.bare(tree_.field(at, "value"));
      if (!tree_.is(at, "call_expression")) break;
      const auto arguments = tree_.children(tree_.field(at, "arguments"));
      const auto name = tree_.plain_text(tree_.field(at, "function"));
      const bool converts = name.starts_with("__float2") || name.starts_with("static_cast<") ||
                            lane_type(name, {}).kind != LaneKind::nothing;
      if (arguments.size() != 1 || !converts) break;
      at = tree_.bare(arguments.front());
    }
    return is_zero(tree_.text(at));
  }

  Result<void> add_store(Place place) {
    NodeId up = tree_.node(place.node).parent;
    while (tree_.is(up, "parenthesized_expression")) up = tree_.node(up).parent;
    place.statement = tree_.node(up).parent;
    if (!tree_.is(up, "assignment_expression") ||
        !tree_.is(place.statement, "expression_statement")) {
      return in_the_way("a store to '" + place.array->name + "' is not a statement of its own");
    }
    place.value = tree_.field(up, "right");
    stores_.push_back(std::move(place));
    return {};
  }

  /// The loop in which an element is stored and read anew each time, or the body.
  NodeId region_of(const Place& read, const Place& store) const {
    for (NodeId at = tree_.node(read.node).parent; at != body_.function().body;
         at = tree_.node(at).parent) {
      if (tree_.is(at, "for_statement") && tree_.contains(at, store.node)) return at;
    }
    return body_.function().body;
  }

  Result<std::string> plain_text(const Place& read) {
    std::string reason = "nothing is stored to '" + read.array->name + "'";
    for (const Place& store : stores_) {
      if (store.array != read.array || tree_.is(tree_.bare(store.value), "number_literal"))
        continue;
      region_ = region_of(read, store);
      reader_ = read.node;
      found_.by_steps |= region_ != body_.function().body;
      failure_.clear();
      const auto bounds = found_.bounds;
      const auto substitutes = solve(store, read);
      const std::string text = substitutes ? staged_value(store, *substitutes) : std::string();
      if (substitutes && failure_.empty()) return typed(text, store);
      found_.bounds = bounds;
      reason = failure_.empty() ? "how '" + tree_.plain_text(read.node) + "' follows from '" +
                                      tree_.plain_text(store.node) + "' is not clear"
                                : failure_;
    }
    return in_the_way(reason);
  }

  /// As the array's type holds it.
  std::string typed(const std::string& text, const Place& store) const {
    if (value_type_of(store.value, 0) == store.array->type) return in_parentheses(text);
    return "static_cast<" + store.array->type + ">(" + text + ")";
  }

  [[nodiscard]] std::string value_type_of(NodeId value, int depth) const {
    const NodeId at = tree_.bare(value);
    if (depth > 8) return {};
    if (tree_.is(at, "conditional_expression")) {
      return value_type_of(tree_.field(at, "consequence"), depth + 1);
    }
    if (tree_.is(at, "subscript_expression")) {
      NodeId base = tree_.bare(tree_.field(at, "argument"));
      while (tree_.is(base, "subscript_expression"))
        base = tree_.bare(tree_.field(base, "argument"));
      return body_.element_type(base);
    }
    if (tree_.is(at, "cast_expression")) return tree_.plain_text(tree_.field(at, "type"));
    if (tree_.is(at, "call_expression")) {
      const auto name = tree_.plain_text(tree_.field(at, "function"));
      if (name == "__half2float" || name == "__bfloat162float") return "float";
      const auto arguments = tree_.children(tree_.field(at, "arguments"));
      if (name == "__ldg" && arguments.size() == 1) {
        const NodeId pointer = tree_.bare(arguments.front());
        return body_.element_type(pointer);
      }
      return {};
    }
    if (tree_.is(at, "identifier")) {
      const Local* local = body_.local_of(at);
      return local == nullptr || local->is_pointer ? std::string() : local->type;
    }
    return {};
  }

  /// What the store's own numbers (threads, loops that copy) are for the element that is read.
  std::optional<Substitutes> solve(const Place& store, const Place& read) {
    Substitutes substitutes;
    if (store.indices.size() != read.indices.size()) return std::nullopt;
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
      if (!solve_index(forms_.form(store.indices[d]), read.indices[d], substitutes)) {
        return std::nullopt;
      }
    }
    return substitutes;
  }

  bool solve_index(const IndexForm& stored, NodeId read, Substitutes& substitutes) {
    struct Group {
      std::int64_t factor = 0;
      std::vector<std::string> names;
      IndexForm read;
    };
    const IndexForm wanted = forms_.form(read);
    std::vector<Group> groups;
    for (const auto& [name, term] : stored.terms) {
      const auto same = [&, factor = term.factor](const Group& g) { return g.factor == factor; };
      auto found = std::find_if(groups.begin(), groups.end(), same);
      if (found == groups.end()) found = groups.insert(groups.end(), Group{term.factor, {}, {}});
      found->names.push_back(name);
    }
    std::sort(groups.begin(), groups.end(),
              [](const Group& a, const Group& b) { return a.factor > b.factor; });
    if (groups.empty()) return wanted.spelling() == stored.spelling();
    if (groups.back().factor <= 0) return false;
    const std::size_t first = choice_.in_one_index ? groups.size() - 1 : 0;
    for (const auto& [name, term] : wanted.terms) {
      std::size_t i = first;
      while (i < groups.size() && term.factor % groups[i].factor != 0) ++i;
      if (i == groups.size()) return false;
      groups[i].read.terms[name] = {term.factor / groups[i].factor, term.node};
    }
    if (std::max(wanted.constant, stored.constant) > kMostOffset ||
        std::min(wanted.constant, stored.constant) < -kMostOffset) {
      return false;
    }
    std::int64_t rest = wanted.constant - stored.constant;
    for (std::size_t i = first; i < groups.size(); ++i) {
      const std::int64_t by = groups[i].factor;
      const std::int64_t times = i + 1 == groups.size() ? rest / by : nearest(rest, by);
      groups[i].read.constant = times;
      rest -= times * by;
    }
    if (rest != 0) return false;
    for (const Group& group : groups) {
      const bool same = group.names.size() == 1 && group.read.spelling() == group.names.front();
      if (same) continue;
      for (std::size_t n = 0; n < group.names.size(); ++n) {
        std::string text = n == 0 ? printed(group.read) : "0";
        const auto [known, is_new] = substitutes.emplace(group.names[n], text);
        if (!is_new && known->second != text) return false;
      }
    }
    return true;
  }

  static std::int64_t nearest(std::int64_t number, std::int64_t by) {
    const std::int64_t shifted = number + (number < 0 ? -by / 2 : by / 2);
    return shifted / by;
  }

  /// As text where the element is read.
  std::string printed(const IndexForm& form) {
    std::string text;
    for (const auto& [name, term] : form.terms) {
      std::string one = emit(term.node, {});
      if (term.factor != 1) one = std::to_string(term.factor) + " * " + in_parentheses(one);
      text += (text.empty() ? "" : " + ") + one;
    }
    if (form.constant != 0 || text.empty()) {
      const bool negative = form.constant < 0 && !text.empty();
      text += text.empty() ? "" : negative ? " - " : " + ";
      text += std::to_string(negative ? -form.constant : form.constant);
    }
    return text;
  }

  /// With the conditions around the store whose other way stores, too.
  std::string staged_value(const Place& store, const Substitutes& substitutes) {
    std::string text = emit(store.value, substitutes);
    NodeId below = store.statement;
    for (NodeId at = tree_.node(below).parent; at != region_ && at != kNoNode;
         below = at, at = tree_.node(at).parent) {
      if (!tree_.is(at, "if_statement")) continue;
      const bool is_taken = tree_.node(below).field == "consequence";
      const Place* other =
          counterpart(store, tree_.field(at, is_taken ? "alternative" : "consequence"));
      if (other == nullptr) continue;
      const NodeId condition = tree_.field(at, "condition");
      const bool is_fill = is_zero_value(other->value);
      if (is_fill && is_taken && choice_.drops_fills) {
        keep_bounds(condition, substitutes);
        continue;
      }
      const std::string rest = emit(other->value, substitutes);
      std::string choice = "(" + fill_condition(condition, substitutes);
      choice.append(" ? ").append(is_taken ? text : rest);
      choice.append(" : ").append(is_taken ? rest : text).append(")");
      text = std::move(choice);
    }
    return text;
  }

  /// The store to the same place in the other way of an if.
  const Place* counterpart(const Place& store, NodeId way) const {
    for (const Place& other : stores_) {
      if (way == kNoNode || !tree_.contains(way, other.node) || other.array != store.array ||
          other.indices.size() != store.indices.size()) {
        continue;
      }
      bool same = true;
      for (std::size_t d = 0; d < store.indices.size(); ++d) {
        same &= forms_.spelling(store.indices[d]) == forms_.spelling(other.indices[d]);
      }
      if (same) return &other;
    }
    return nullptr;
  }

  std::string fill_condition(NodeId condition, const Substitutes& substitutes) {
    std::string text = emit(condition, substitutes);
    if (!choice_.at_both_ends) return text;
    const auto kept = found_.bounds.size();
    keep_bounds(condition, substitutes);
    std::string low;
    for (std::size_t i = kept; i < found_.bounds.size(); ++i) {
      low += " && " + in_parentheses(found_.bounds[i].first) + " >= 0";
    }
    found_.bounds.resize(kept);
    return low.empty() ? text : "(" + text + ")" + low;
  }

  void keep_bounds(NodeId condition, const Substitutes& substitutes) {
    NodeId at = tree_.bare(condition);
    if (tree_.is(at, "condition_clause")) at = tree_.bare(tree_.field(at, "value"));
    if (!tree_.is(at, "binary_expression")) return;
    const NodeId left = tree_.field(at, "left");
    const NodeId right = tree_.field(at, "right");
    const auto op = tree_.operator_of(at);
    if (op == "&&") {
      keep_bounds(left, substitutes);
      keep_bounds(right, substitutes);
    } else if (op == "<") {
      found_.bounds.emplace_back(emit(left, substitutes), emit(right, substitutes));
    } else if (op == ">") {
      found_.bounds.emplace_back(emit(right, substitutes), emit(left, substitutes));
    }
  }

  /// Whether what an expression stands for changes by the substitution.
  [[nodiscard]] bool is_touched(NodeId node, const Substitutes& substitutes) const {
    const std::string spelling = forms_.spelling(node);
    return std::any_of(substitutes.begin(), substitutes.end(), [&](const auto& one) {
      return spelling.find(one.first) != std::string::npos;
    });
  }

  /// `float v = 0; if (c) v = x;` as `(c ? x : 0)`.
  std::string conditional_local(const Local& local, const Substitutes& substitutes) {
    const Write* only = nullptr;
    for (const Write& write : body_.writes()) {
      if (write.local != &local) continue;
      if (only != nullptr || write.is_address) return {};
      only = &write;
    }
    if (only == nullptr || local.value == kNoNode || !is_zero_value(local.value) ||
        tree_.operator_of(only->node) != "=") {
      return {};
    }
    NodeId branch = tree_.node(only->node).parent;
    while (!tree_.is(branch, "if_statement") && branch != local.scope && branch != kNoNode) {
      if (tree_.is(branch, "for_statement")) return {};
      branch = tree_.node(branch).parent;
    }
    if (!tree_.is(branch, "if_statement") || tree_.node(branch).parent != local.scope ||
        tree_.field(branch, "alternative") != kNoNode) {
      return {};
    }
    const NodeId condition = tree_.field(branch, "condition");
    std::string value = emit(tree_.field(only->node, "right"), substitutes);
    if (choice_.drops_fills) {
      keep_bounds(condition, substitutes);
      return in_parentheses(value);
    }
    return "(" + fill_condition(condition, substitutes) + " ? " + value + " : " +
           std::string(tree_.text(local.value)) + ")";
  }

  /// In place of a local: numbers of threads have no sign, and what is computed from them has none.
  static std::string as_local(const Local& local, const std::string& text) {
    const bool has_no_sign =
        text.find("Idx.") != std::string::npos || text.find("Dim.") != std::string::npos;
    return has_no_sign && local.type == "int" ? "(int)(" + text + ")" : in_parentheses(text);
  }

  std::string emit_identifier(NodeId node, const Substitutes& substitutes) {
    const Local* local = body_.local_of(node);
    std::string name(tree_.text(node));
    if (local == nullptr) return name;
    const bool is_inner = region_ != body_.function().body &&
                          tree_.contains(region_, local->scope) &&
                          !tree_.is(local->scope, "for_statement");
    const bool is_visible = tree_.contains(local->scope, reader_) && local->identifier < reader_;
    const Local* once = forms_.set_once(node);
    if (once != nullptr && (is_inner || !is_visible || is_touched(once->value, substitutes))) {
      return as_local(*once, emit(once->value, substitutes));
    }
    if (is_visible && !is_inner) return name;
    if (auto text = conditional_local(*local, substitutes); !text.empty()) return text;
    if (is_visible) return name;
    failure_ = "'" + name + "' is not known where the tile is read";
    return name;
  }

  std::string emit(NodeId node, const Substitutes& substitutes) {
    if (tree_.is(node, "identifier") || tree_.is(node, "binary_expression") ||
        tree_.is(node, "field_expression")) {
      const auto found = substitutes.find(forms_.spelling(node));
      const Local* local = tree_.is(node, "identifier") ? body_.local_of(node) : nullptr;
      if (found != substitutes.end()) {
        return local != nullptr ? as_local(*local, found->second) : in_parentheses(found->second);
      }
    }
    if (tree_.is(node, "identifier")) return emit_identifier(node, substitutes);
    if (tree_.is(node, "conditional_expression") && choice_.drops_fills &&
        is_zero_value(tree_.field(node, "alternative"))) {
      keep_bounds(tree_.field(node, "condition"), substitutes);
      return emit(tree_.field(node, "consequence"), substitutes);
    }
    if (tree_.is(node, "conditional_expression") && choice_.at_both_ends) {
      return "(" + fill_condition(tree_.field(node, "condition"), substitutes) + " ? " +
             emit(tree_.field(node, "consequence"), substitutes) + " : " +
             emit(tree_.field(node, "alternative"), substitutes) + ")";
    }
    const Range whole = tree_.node(node).range;
    std::vector<TextEdit> edits;
    for (const NodeId child : tree_.children(node)) {
      if (tree_.node(child).field == "function" || tree_.node(child).field == "type") continue;
      if (tree_.node(child).field == "field") continue;
      edits.push_back({tree_.node(child).range, emit(child, substitutes)});
      if (edits.back().text.size() > kMostText) failure_ = "its expressions are too long";
      if (!failure_.empty()) return {};
    }
    const bool adds_nothing = edits.size() == 2 && tree_.is(node, "binary_expression") &&
                              tree_.operator_of(node) == "+" && edits.back().text == "0";
    if (adds_nothing) return edits.front().text;
    return edited_part(tree_.source(), whole, edits);
  }

  KernelBody body_;
  const SyntaxTree& tree_;
  IndexForms forms_;
  StagingChoice choice_;
  std::vector<Place> reads_;
  std::vector<Place> stores_;
  std::vector<NodeId> barriers_;
  NodeId region_ = kNoNode;  ///< of the read that is being written
  NodeId reader_ = kNoNode;
  std::string failure_;
  PlainReads found_;
};

/// Statements and locals that are still of use.
class DeadCode {
 public:
  DeadCode(const KernelBody& body, const std::vector<NodeId>& gone, std::vector<TextEdit> texts)
      : body_(body),
        tree_(body.tree()),
        gone_(gone.begin(), gone.end()),
        texts_(std::move(texts)) {}

  std::string removed() {
    while (drop_empty() || drop_unused()) {
    }
    std::vector<TextEdit> edits;
    for (TextEdit& text : texts_) {
      if (!is_gone_at(text.range)) edits.push_back(std::move(text));
    }
    for (const NodeId node : gone_) {
      if (!is_gone(tree_.node(node).parent)) edits.push_back({line_of(node), ""});
    }
    return apply_edits(tree_.source(), std::move(edits));
  }

 private:
  [[nodiscard]] bool is_gone(NodeId node) const {
    for (NodeId at = node; at != kNoNode; at = tree_.node(at).parent) {
      if (gone_.contains(at)) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_gone_at(const Range& range) const {
    return std::any_of(gone_.begin(), gone_.end(), [&](NodeId node) {
      const Range& whole = tree_.node(node).range;
      return whole.begin <= range.begin && range.end <= whole.end;
    });
  }

  /// With its indentation and line end where nothing else stands on the line, and a pragma above.
  [[nodiscard]] Range line_of(NodeId node) const {
    const std::string& source = tree_.source();
    Range range = tree_.node(node).range;
    std::size_t begin = range.begin;
    while (begin > 0 && (source[begin - 1] == ' ' || source[begin - 1] == '\t')) --begin;
    std::size_t end = range.end;
    while (end < source.size() && (source[end] == ' ' || source[end] == '\t')) ++end;
    if ((begin == 0 || source[begin - 1] == '\n') && end < source.size() && source[end] == '\n') {
      range = {begin, end + 1};
    }
    return range;
  }

  /// Ifs, loops and blocks of which nothing is left.
  bool drop_empty() {
    bool any = false;
    for (const NodeId node : tree_.descendants(body_.function().body)) {
      const auto kind = tree_.node(node).kind;
      if (kind != "if_statement" && kind != "for_statement" && kind != "compound_statement")
        continue;
      if (node == body_.function().body || is_gone(node)) continue;
      bool empty = true;
      bool had = false;
      for (const NodeId child : tree_.children(node)) {
        const auto field = tree_.node(child).field;
        const bool is_head = kind != "compound_statement" && field != "body" &&
                             field != "consequence" && field != "alternative";
        if (is_head || tree_.is(child, "preproc_call")) continue;
        had = true;
        empty &= is_gone(child) || is_empty_clause(child);
      }
      if (!had || !empty) continue;
      gone_.insert(node);
      drop_pragma(node);
      any = true;
    }
    return any;
  }

  [[nodiscard]] bool is_empty_clause(NodeId node) const {
    if (!tree_.is(node, "else_clause")) return false;
    const auto parts = tree_.children(node);
    return std::all_of(parts.begin(), parts.end(), [&](NodeId part) { return is_gone(part); });
  }

  /// `#pragma unroll` above a loop that is gone.
  void drop_pragma(NodeId loop) {
    NodeId before = kNoNode;
    for (const NodeId child : tree_.children(tree_.node(loop).parent)) {
      if (child == loop) break;
      before = child;
    }
    if (tree_.is(before, "preproc_call")) gone_.insert(before);
  }

  [[nodiscard]] bool stands_in_texts(std::string_view name) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const TextEdit& text) {
      if (is_gone_at(text.range)) return false;
      const auto lexemes = syntax::code_lexemes(text.text);
      return std::any_of(lexemes.begin(), lexemes.end(),
                         [&](const auto& lexeme) { return lexeme.text == name; });
    });
  }

  [[nodiscard]] bool is_replaced(NodeId node) const {
    const Range& range = tree_.node(node).range;
    return std::any_of(texts_.begin(), texts_.end(), [&](const TextEdit& text) {
      return text.range.begin <= range.begin && range.end <= text.range.end;
    });
  }

  /// Locals that nothing but their own statements uses.
  bool drop_unused() {
    for (const Local& local : body_.locals()) {
      const NodeId declaration = tree_.ancestor(local.identifier, "declaration");
      if (is_gone(declaration) || tree_.is(tree_.node(declaration).parent, "for_statement"))
        continue;
      std::size_t declarators = 0;
      for (const NodeId part : tree_.all_children(declaration)) {
        declarators += tree_.node(part).field == "declarator" ? 1 : 0;
      }
      if (!is_unused(local)) continue;
      if (declarators > 1) {
        const bool all =
            std::all_of(body_.locals().begin(), body_.locals().end(), [&](const Local& other) {
              return !tree_.contains(declaration, other.identifier) || is_unused(other);
            });
        if (!all) continue;
      }
      drop_local(local, declaration);
      return true;
    }
    return false;
  }

  [[nodiscard]] bool is_unused(const Local& local) const {
    if (has_effects(local.value) || stands_in_texts(local.name)) return false;
    for (const NodeId use : body_.uses_of(local, body_.function().body)) {
      if (is_gone(use) || is_replaced(use) || is_own_write(local, use)) continue;
      return false;
    }
    return true;
  }

  /// `v = x;` or `++v;` as a statement.
  [[nodiscard]] bool is_own_write(const Local& local, NodeId use) const {
    const auto& writes = body_.writes();
    return std::any_of(writes.begin(), writes.end(), [&](const Write& write) {
      return write.local == &local && tree_.contains(write.node, use) && !write.is_address &&
             tree_.is(tree_.node(write.node).parent, "expression_statement") &&
             !has_effects(tree_.field(write.node, "right"));
    });
  }

  [[nodiscard]] bool has_effects(NodeId value) const {
    if (value == kNoNode) return false;
    if (!tree_.descendants(value, "assignment_expression").empty() ||
        !tree_.descendants(value, "update_expression").empty()) {
      return true;
    }
    return std::any_of(body_.calls().begin(), body_.calls().end(), [&](const Call& call) {
      return tree_.contains(value, call.node) && call.kind != CallKind::pure;
    });
  }

  void drop_local(const Local& local, NodeId declaration) {
    for (const Write& write : body_.writes()) {
      if (write.local == &local) gone_.insert(tree_.node(write.node).parent);
    }
    gone_.insert(declaration);
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  std::set<NodeId> gone_;
  std::vector<TextEdit> texts_;
};

}  // namespace

Result<PlainReads> with_plain_reads(const CudaSource& source, const Function& function,
                                    const SceneLaunch& launch, const StagingChoice& choice) {
  return PlainReadsWriter(source, function, launch, choice).write();
}

std::string without_dead_code(const KernelBody& body, const std::vector<NodeId>& gone,
                              std::vector<TextEdit> texts) {
  return DeadCode(body, gone, std::move(texts)).removed();
}

}  // namespace warpmind::agents::builtin
