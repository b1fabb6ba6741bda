#include "agents/builtin/forms/attention_kernel.h"

#include "agents/builtin/pointwise/guarded_body.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 3> kExponentials{"expf", "__expf", "exp"};
constexpr std::array<std::string_view, 3> kMaxima{"fmaxf", "max", "fmax"};
/// What may stand for "no score yet".
constexpr std::array<std::string_view, 4> kInfinities{"-INFINITY", "-CUDART_INF_F", "-HUGE_VALF",
                                                      "-FLT_MAX"};

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

class AttentionReader {
 public:
  explicit AttentionReader(const KernelBody& body) : body_(body), tree_(body.tree()) {}

  Result<AttentionKernel> read() {
    found_.function = &body_.function();
    const auto statements = tree_.children(body_.function().body);
    std::size_t at = 0;
    while (at < statements.size() && !is_score_loop(statements[at])) ++at;
    if (at == statements.size()) return in_the_way("no loop writes a score for each key");
    found_.prologue.assign(statements.begin(),
                           statements.begin() + static_cast<std::ptrdiff_t>(at));
    WARPMIND_CHECK(read_scores());
    for (++at; at < statements.size(); ++at) {
      if (found_.store != kNoNode && !is_barrier(statements[at])) {
        return in_the_way("'" + shown(statements[at]) + "' follows the weighted sum");
      }
      WARPMIND_CHECK(read_softmax(statements[at], false));
    }
    if (found_.store == kNoNode) return in_the_way("no loop adds up weighted rows");
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string shown(NodeId node) const { return first_line(tree_.plain_text(node)); }

  /// The assignment, call or update that is all of a statement.
  [[nodiscard]] NodeId only_expression(NodeId statement) const {
    if (!tree_.is(statement, "expression_statement")) return kNoNode;
    const auto parts = tree_.children(statement);
    return parts.size() == 1 ? tree_.bare(parts.front()) : kNoNode;
  }
  [[nodiscard]] bool is_barrier(NodeId statement) const {
    const NodeId call = only_expression(statement);
    if (tree_.is(statement, "preproc_call")) return true;
    if (!tree_.is(call, "call_expression")) return false;
    const auto name = tree_.text(tree_.field(call, "function"));
    return name == "__syncthreads" || name == "__syncwarp";
  }
  [[nodiscard]] const MemoryAccess* access_at(NodeId node) const {
    const NodeId at = tree_.bare(node);
    for (const auto& access : body_.accesses()) {
      if (access.node == at) return &access;
    }
    return nullptr;
  }
  [[nodiscard]] const Local* named(NodeId node) const {
    const NodeId at = tree_.bare(node);
    return tree_.is(at, "identifier") ? body_.local_of(at) : nullptr;
  }
  /// Whether `node` is the score of the key that `variable` numbers.
  [[nodiscard]] bool is_score(NodeId node, const Local& variable) const {
    const MemoryAccess* access = access_at(node);
    return access != nullptr && access->root == scores_ && access->index != kNoNode &&
           named(access->index) == &variable;
  }
  [[nodiscard]] bool is_first_score(NodeId node) const {
    const MemoryAccess* access = access_at(node);
    return access != nullptr && access->root == scores_ && access->index != kNoNode &&
           integer_literal(tree_, access->index) == 0;
  }
  [[nodiscard]] bool is_call_of(NodeId node, const auto& names) const {
    return tree_.is(node, "call_expression") &&
           contains(names, tree_.text(tree_.field(node, "function")));
  }
  [[nodiscard]] std::vector<NodeId> arguments_of(NodeId call) const {
    return tree_.children(tree_.field(call, "arguments"));
  }
  /// `-INFINITY`, or a number below -1e20, which no score is.
  [[nodiscard]] bool is_infinite(NodeId node) const {
    const std::string text = tree_.plain_text(tree_.bare(node));
    if (contains(kInfinities, text)) return true;
    if (!text.starts_with("-")) return false;
    std::string digits = text.substr(1);
    while (!digits.empty() && (digits.back() == 'f' || digits.back() == 'F')) digits.pop_back();
    const auto number = parse_number<double>(digits);
    return number && *number >= 1e20;
  }
  [[nodiscard]] bool is_zero(NodeId node) const {
    std::string text = tree_.plain_text(tree_.bare(node));
    while (!text.empty() && (text.back() == 'f' || text.back() == 'F')) text.pop_back();
    const auto number = parse_number<double>(text);
    return number && *number == 0;
  }

  // The scores.

  /// A loop over keys with another one in it whose last statement writes an element that its own
  /// variable numbers, to memory that the kernel's buffers are not.
  bool is_score_loop(NodeId statement) {
    if (!tree_.is(statement, "for_statement")) return false;
    auto loop = counted_loop(body_, statement);
    if (!loop) return false;
    if (tree_.descendants(loop->body, "for_statement").empty()) return false;
    const auto statements = statements_of(tree_, loop->body);
    if (statements.empty()) return false;
    const NodeId last = only_expression(statements.back());
    if (!tree_.is(last, "assignment_expression") || tree_.operator_of(last) != "=") return false;
    const MemoryAccess* access = access_at(tree_.field(last, "left"));
    if (access == nullptr || !(access->is_shared || access->is_private) ||
        access->index == kNoNode || named(access->index) != loop->variable) {
      return false;
    }
    scores_ = access->root;
    scores_are_shared_ = access->is_shared;
    found_.keys = *loop;
    return true;
  }

  /// Whether the loop starts at 0 and meets every number: in one thread, or in all threads side by
  /// side.
  [[nodiscard]] bool is_whole(const CountedLoop& loop, bool is_spread) const {
    if (!is_spread) return loop.step == kNoNode && integer_literal(tree_, loop.start) == 0;
    return loop.step != kNoNode && resolved_text(loop.start) == "threadIdx.x" &&
           resolved_text(loop.step) == "blockDim.x";
  }
  [[nodiscard]] bool is_spread(const CountedLoop& loop) const { return loop.step != kNoNode; }
  [[nodiscard]] std::string resolved_text(NodeId node) const {
    const Local* local = named(node);
    if (local != nullptr && local->value != kNoNode &&
        !body_.written_in(*local, body_.function().body)) {
      return tree_.plain_text(tree_.bare(local->value));
    }
    return tree_.plain_text(tree_.bare(node));
  }

  Result<void> read_scores() {
    const CountedLoop& keys = found_.keys;
    if (!is_whole(keys, is_spread(keys))) {
      return in_the_way("the loop over '" + keys.variable->name +
                        "' does not meet every key from the first on, thread by thread");
    }
    if (is_spread(keys) != scores_are_shared_) {
      return in_the_way("'" + scores_ + "' is not shared by the threads that write scores");
    }
    const auto statements = statements_of(tree_, keys.body);
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      WARPMIND_CHECK(read_score_statement(statements[i]));
    }
    if (score_ == nullptr) return in_the_way("no loop forms the dot product of a query and a key");
    const NodeId stored = tree_.field(only_expression(statements.back()), "right");
    return read_score(stored);
  }

  Result<void> read_score_statement(NodeId statement) {
    if (tree_.is(statement, "declaration") || tree_.is(statement, "preproc_call")) return {};
    if (tree_.is(statement, "for_statement") && writes_float(statement)) return read_dot(statement);
    if (tree_.is(statement, "if_statement")) {
      if (auto mask = read_mask(statement)) {
        found_.seen.push_back(*mask);
        return {};
      }
    }
    const NodeId what = only_expression(statement);
    if (tree_.is(what, "assignment_expression") && named(tree_.field(what, "left")) == score_ &&
        score_ != nullptr) {
      const auto op = tree_.operator_of(what);
      const NodeId right = tree_.field(what, "right");
      if (op == "*=" || op == "/=") {
        found_.factors.push_back({right, op == "/="});
        return {};
      }
      if (op == "=") return read_score(right);
    }
    if (!writes_float(statement) && !has_stores(statement) && !jumps(statement)) return {};
    return in_the_way("'" + shown(statement) + "' stands among the scores");
  }

  [[nodiscard]] bool jumps(NodeId statement) const {
    return std::any_of(kJumps.begin(), kJumps.end(), [&](std::string_view kind) {
      return !tree_.descendants(statement, kind).empty();
    });
  }
  [[nodiscard]] bool has_stores(NodeId statement) const {
    return std::any_of(body_.accesses().begin(), body_.accesses().end(), [&](const auto& access) {
      return access.is_store && tree_.contains(statement, access.node);
    });
  }
  [[nodiscard]] bool writes_float(NodeId statement) const {
    return std::any_of(body_.writes().begin(), body_.writes().end(), [&](const Write& write) {
      return tree_.contains(statement, write.node) &&
             (write.local == nullptr || !is_integer_type(write.local->type)) &&
             !(write.local != nullptr && write.local->type == "bool");
    });
  }

  /// `if (hidden) score = -INFINITY;` or `if (hidden) { scores[j] = -INFINITY; continue; }`.
  [[nodiscard]] std::optional<KeyCondition> read_mask(NodeId statement) const {
    if (tree_.field(statement, "alternative") != kNoNode) return std::nullopt;
    const auto inner = statements_of(tree_, tree_.field(statement, "consequence"));
    if (inner.empty() || inner.size() > 2) return std::nullopt;
    const NodeId what = only_expression(inner.front());
    if (!tree_.is(what, "assignment_expression") || tree_.operator_of(what) != "=" ||
        !is_infinite(tree_.field(what, "right"))) {
      return std::nullopt;
    }
    const NodeId left = tree_.field(what, "left");
    const bool leaves = inner.size() == 2 && tree_.is(inner[1], "continue_statement");
    const bool of_score = inner.size() == 1 && score_ != nullptr && named(left) == score_;
    if (!of_score && !(leaves && is_score(left, *found_.keys.variable))) return std::nullopt;
    return KeyCondition{tree_.bare(tree_.field(statement, "condition")), false};
  }

  Result<void> read_dot(NodeId statement) {
    if (score_ != nullptr) return in_the_way("'" + shown(statement) + "' is a second dot product");
    WARPMIND_TRY(found_.dot, counted_loop(body_, statement));
    if (!is_whole(found_.dot, false) || found_.dot.is_inclusive) {
      return in_the_way("the dot product does not meet the numbers of a row one by one");
    }
    const auto inner = statements_of(tree_, found_.dot.body);
    const auto product = inner.size() == 1 ? product_added(inner.front()) : std::nullopt;
    if (!product) return in_the_way("'" + shown(statement) + "' is no dot product of two rows");
    score_ = product->sum;
    if (score_->value == kNoNode || !is_zero(score_->value) || score_->type != "float" ||
        !body_.declared_in(*score_, found_.keys.body)) {
      return in_the_way("'" + score_->name + "' does not start at zero for every key");
    }
    found_.query = product->left;
    found_.key = product->right;
    if (moves_with(found_.query, *found_.keys.variable)) std::swap(found_.query, found_.key);
    if (moves_with(found_.query, *found_.keys.variable) ||
        !moves_with(found_.key, *found_.keys.variable)) {
      return in_the_way("'" + shown(statement) + "' does not multiply one query with a key");
    }
    WARPMIND_CHECK(check_row(found_.query, found_.dot));
    return check_row(found_.key, found_.dot);
  }

  struct AddedProduct {
    const Local* sum = nullptr;
    NodeId left = kNoNode;  ///< subscripts
    NodeId right = kNoNode;
  };

  /// `sum += a * b` and `sum = fmaf(a, b, sum)` of elements of buffers; for weights, `a` is a
  /// score.
  [[nodiscard]] std::optional<AddedProduct> product_added(NodeId statement) const {
    const NodeId what = only_expression(statement);
    if (!tree_.is(what, "assignment_expression")) return std::nullopt;
    AddedProduct found;
    found.sum = named(tree_.field(what, "left"));
    if (found.sum == nullptr) return std::nullopt;
    const NodeId right = tree_.bare(tree_.field(what, "right"));
    constexpr std::array<std::string_view, 3> kFused{"fmaf", "__fmaf_rn", "fma"};
    if (tree_.operator_of(what) == "+=" && tree_.is(right, "binary_expression") &&
        tree_.operator_of(right) == "*") {
      found.left = element_of(tree_.field(right, "left"));
      found.right = element_of(tree_.field(right, "right"));
    } else if (tree_.operator_of(what) == "=" && is_call_of(right, kFused)) {
      const auto arguments = arguments_of(right);
      if (arguments.size() != 3 || named(arguments[2]) != found.sum) return std::nullopt;
      found.left = element_of(arguments[0]);
      found.right = element_of(arguments[1]);
    }
    if (found.left == kNoNode || found.right == kNoNode) return std::nullopt;
    return found;
  }

  /// Through conversions to float and values of locals to a subscript; kNoNode: something else.
  [[nodiscard]] NodeId element_of(NodeId node) const {
    constexpr std::array<std::string_view, 5> kConversions{"__half2float", "__bfloat162float",
                                                           "float", "static_cast<float>", "__ldg"};
    NodeId at = tree_.bare(node);
    for (int depth = 0; depth < 8; ++depth) {
      if (tree_.is(at, "subscript_expression")) return at;
      if (tree_.is(at, "cast_expression") && tree_.plain_text(tree_.field(at, "type")) == "float") {
        at = tree_.bare(tree_.field(at, "value"));
      } else if (tree_.is(at, "call_expression") &&
                 contains(kConversions, tree_.plain_text(tree_.field(at, "function")))) {
        const auto arguments = arguments_of(at);
        if (arguments.size() != 1) return kNoNode;
        at = tree_.bare(arguments.front());
        // __ldg(&p[i])
        if (tree_.is(at, "pointer_expression") && tree_.operator_of(at) == "&") {
          at = tree_.bare(tree_.field(at, "argument"));
        }
      } else {
        return kNoNode;
      }
    }
    return kNoNode;
  }

  /// Whether where `node` lies depends on `variable`, through locals as well.
  [[nodiscard]] bool moves_with(NodeId node, const Local& variable, int depth = 0) const {
    for (const NodeId use : tree_.descendants(node, "identifier")) {
      const Local* local = body_.local_of(use);
      if (local == nullptr) continue;
      if (local == &variable) return true;
      if (depth < 8 && local->value != kNoNode && body_.declared_in(*local, variable.scope) &&
          moves_with(local->value, variable, depth + 1)) {
        return true;
      }
    }
    return false;
  }

  /// Change of an index from one value of `variable` to the next; what it reads counts as fixed
  /// where it does not depend on the variable.
  [[nodiscard]] std::optional<std::int64_t> step_of(NodeId node, const Local& variable) const {
    const NodeId at = tree_.bare(node);
    if (!moves_with(at, variable)) return 0;
    if (const Local* local = named(at)) {
      if (local == &variable) return 1;
      if (body_.written_in(*local, body_.function().body)) return std::nullopt;
      return step_of(local->value, variable);
    }
    if (tree_.is(at, "cast_expression")) return step_of(tree_.field(at, "value"), variable);
    if (!tree_.is(at, "binary_expression")) return std::nullopt;
    const auto left = step_of(tree_.field(at, "left"), variable);
    const auto right = step_of(tree_.field(at, "right"), variable);
    if (!left || !right) return std::nullopt;
    if (tree_.operator_of(at) == "+") return *left + *right;
    return tree_.operator_of(at) == "-" ? std::optional(*left - *right) : std::nullopt;
  }

  /// The next number of `loop` must lie next to it.
  Result<void> check_row(NodeId subscript, const CountedLoop& loop) const {
    const MemoryAccess* access = access_at(subscript);
    if (access == nullptr || access->index == kNoNode || access->root.empty() ||
        body_.function().parameter(access->root) == nullptr) {
      return in_the_way("'" + shown(subscript) + "' is no element of a buffer");
    }
    if (moves_with(access->pointer, *loop.variable) ||
        step_of(access->index, *loop.variable) != 1) {
      return in_the_way("the numbers of a row of '" + access->root + "' do not lie side by side");
    }
    return {};
  }

  /// A score as an expression: masks around, factors inside, the dot product at the bottom.
  Result<void> read_score(NodeId expression) {
    const NodeId at = tree_.bare(expression);
    if (named(at) == score_) return {};
    if (tree_.is(at, "conditional_expression")) {
      const NodeId yes = tree_.field(at, "consequence");
      const NodeId no = tree_.field(at, "alternative");
      const NodeId condition = tree_.bare(tree_.field(at, "condition"));
      if (is_infinite(no)) {
        found_.seen.push_back({condition, true});
        return read_score(yes);
      }
      if (is_infinite(yes)) {
        found_.seen.push_back({condition, false});
        return read_score(no);
      }
    }
    if (tree_.is(at, "binary_expression")) {
      const auto op = tree_.operator_of(at);
      NodeId inner = tree_.field(at, "left");
      NodeId factor = tree_.field(at, "right");
      if (op == "*" && !moves_with_score(inner)) std::swap(inner, factor);
      if ((op == "*" || op == "/") && moves_with_score(inner) && !moves_with_score(factor)) {
        if (moves_with(factor, *found_.keys.variable)) {
          return in_the_way("the scores' factor '" + shown(factor) + "' differs between keys");
        }
        found_.factors.push_back({factor, op == "/"});
        return read_score(inner);
      }
    }
    const Local* local = named(at);
    if (local != nullptr && local->value != kNoNode &&
        body_.declared_in(*local, found_.keys.body) &&
        !body_.written_in(*local, found_.keys.body)) {
      return read_score(local->value);
    }
    return in_the_way("'" + shown(at) + "' is more than a dot product, a factor and a mask");
  }
  [[nodiscard]] bool moves_with_score(NodeId node) const {
    for (const NodeId use : tree_.descendants(node, "identifier")) {
      const Local* local = body_.local_of(use);
      if (local == score_) return true;
      if (local != nullptr && local->value != kNoNode &&
          body_.declared_in(*local, found_.keys.body) && moves_with_score(local->value)) {
        return true;
      }
    }
    return false;
  }

  // The softmax and what follows.

  /// `single`: one thread of the block runs it.
  Result<void> read_softmax(NodeId statement, bool single) {
    if (is_barrier(statement)) return {};
    if (tree_.is(statement, "compound_statement")) {
      for (const NodeId inner : tree_.children(statement)) {
        WARPMIND_CHECK(read_softmax(inner, single));
      }
      return {};
    }
    if (tree_.is(statement, "if_statement") && is_first_thread(statement)) {
      return read_softmax(tree_.field(statement, "consequence"), true);
    }
    if (tree_.is(statement, "declaration")) return read_declaration(statement, single);
    if (tree_.is(statement, "for_statement")) {
      WARPMIND_TRY(const auto loop, counted_loop(body_, statement));
      if (!single && writes_buffer(statement)) return read_output(loop);
      return read_pass(loop, single);
    }
    const NodeId what = only_expression(statement);
    if (tree_.is(what, "assignment_expression") && tree_.operator_of(what) == "=") {
      const Local* local = named(tree_.field(what, "left"));
      if (local != nullptr && set_role(*local, tree_.field(what, "right"), single)) return {};
    }
    return in_the_way("'" + shown(statement) + "' is no part of a softmax that is known");
  }

  [[nodiscard]] bool is_first_thread(NodeId statement) const {
    if (tree_.field(statement, "alternative") != kNoNode) return false;
    const NodeId condition = tree_.bare(tree_.field(statement, "condition"));
    if (!tree_.is(condition, "binary_expression") || tree_.operator_of(condition) != "==") {
      return false;
    }
    return resolved_text(tree_.field(condition, "left")) == "threadIdx.x" &&
           integer_literal(tree_, tree_.field(condition, "right")) == 0;
  }

  [[nodiscard]] bool writes_buffer(NodeId statement) const {
    return std::any_of(body_.accesses().begin(), body_.accesses().end(), [&](const auto& access) {
      return access.is_store && !access.is_shared && !access.is_private &&
             tree_.contains(statement, access.node);
    });
  }

  Result<void> read_declaration(NodeId statement, bool single) {
    for (const auto& local : body_.locals()) {
      if (!tree_.contains(statement, local.identifier)) continue;
      if (local.value == kNoNode) continue;
      if (set_role(local, local.value, single)) continue;
      if (largest_is_known() && sum_is_known() && !body_.written_in(local, body_.function().body)) {
        found_.around_sum.push_back(statement);
        continue;
      }
      return in_the_way("'" + shown(statement) + "' is no part of a softmax that is known");
    }
    return {};
  }

  [[nodiscard]] bool largest_is_known() const { return largest_ != nullptr && has_largest_; }
  [[nodiscard]] bool sum_is_known() const { return found_.sum != nullptr && has_sum_; }

  /// A variable that starts as the largest score or as the sum of the weights, or takes one over.
  bool set_role(const Local& local, NodeId value, bool single) {
    if (is_first_score(value) || is_infinite(value)) {
      if (has_largest_) return false;
      largest_ = &local;
      largest_is_single_ = single && !local.is_shared;
      largest_from_first_ = is_first_score(value);
      return true;
    }
    if (is_zero(value) && !has_sum_) {
      found_.sum = &local;
      sum_is_single_ = single && !local.is_shared;
      return true;
    }
    const Local* from = named(value);
    if (from == nullptr) return false;
    if (from == largest_ && has_largest_) {
      largest_ = &local;
      largest_is_single_ = single && !local.is_shared;
      return true;
    }
    if (from == found_.sum && has_sum_) {
      found_.sum = &local;
      sum_is_single_ = single && !local.is_shared;
      return true;
    }
    return false;
  }

  /// Whether it meets the keys that have scores; `from`: the first.
  [[nodiscard]] bool is_over_keys(const CountedLoop& loop, std::int64_t from) const {
    if (loop.is_inclusive != found_.keys.is_inclusive ||
        tree_.plain_text(loop.bound) != tree_.plain_text(found_.keys.bound)) {
      return false;
    }
    if (is_spread(loop)) return from == 0 && is_whole(loop, true);
    const auto start = integer_literal(tree_, loop.start);
    return start && (*start == 0 || *start == from);
  }

  /// A loop over the scores: largest, exponentials, sum, division.
  Result<void> read_pass(const CountedLoop& loop, bool single) {
    const bool spread = is_spread(loop);
    if (!is_over_keys(loop, largest_from_first_ && !has_largest_ ? 1 : 0)) {
      return in_the_way("the loop over '" + loop.variable->name +
                        "' does not meet the keys that have scores");
    }
    if (spread && (single || !scores_are_shared_)) {
      return in_the_way("the loop over '" + loop.variable->name + "' leaves scores out");
    }
    weight_ = nullptr;
    is_single_ = single;
    bool has_max = false;
    bool has_add = false;
    for (const NodeId statement : statements_of(tree_, loop.body)) {
      WARPMIND_TRY(const auto step, read_step(statement, loop));
      if (step == PassStep::unknown) {
        return in_the_way("'" + shown(statement) + "' is no part of a softmax that is known");
      }
      const bool changes = step == PassStep::weight || step == PassStep::divided;
      if (changes && scores_are_shared_ && !spread && !single) {
        return in_the_way("every thread changes every score");
      }
      has_max = has_max || step == PassStep::largest;
      has_add = has_add || step == PassStep::added;
    }
    if (spread && (has_max || has_add)) {
      return in_the_way("threads combine their parts of the softmax in a way that is not known");
    }
    has_largest_ = has_largest_ || has_max;
    has_sum_ = has_sum_ || has_add;
    has_weights_ = has_weights_ || weights_come_;
    found_.weights_are_divided = found_.weights_are_divided || divided_comes_;
    return {};
  }

  enum class PassStep { unknown, largest, exponential, weight, added, divided };

  Result<PassStep> read_step(NodeId statement, const CountedLoop& loop) {
    if (const auto step = read_max_step(statement, loop)) return *step;
    if (tree_.is(statement, "declaration")) {
      const NodeId part = only_declarator(tree_, statement);
      if (part == kNoNode || !is_exponential(tree_.field(part, "value"), loop)) {
        return PassStep::unknown;
      }
      weight_ = body_.local_of(tree_.declared(part));
      return PassStep::exponential;
    }
    const NodeId what = only_expression(statement);
    if (!tree_.is(what, "assignment_expression")) return PassStep::unknown;
    const auto op = tree_.operator_of(what);
    const NodeId left = tree_.field(what, "left");
    const NodeId right = tree_.field(what, "right");
    if (is_score(left, *loop.variable)) {
      const bool is_weight = op == "=" && (is_exponential(right, loop) ||
                                           (weight_ != nullptr && named(right) == weight_));
      if (is_weight && !has_weights_) {
        weights_come_ = true;
        return PassStep::weight;
      }
      if (op == "/=" && sum_is_known() && has_weights_ && named(right) == found_.sum &&
          (is_single_ || !sum_is_single_)) {
        divided_comes_ = true;
        return PassStep::divided;
      }
      return PassStep::unknown;
    }
    if (op == "+=" && found_.sum != nullptr && named(left) == found_.sum && !has_sum_) {
      const bool of_weight = (weight_ != nullptr && named(right) == weight_) ||
                             ((has_weights_ || weights_come_) && is_score(right, *loop.variable));
      if (of_weight) return PassStep::added;
    }
    return PassStep::unknown;
  }

  /// `largest = fmaxf(largest, scores[j])` or `if (scores[j] > largest) largest = scores[j];`.
  [[nodiscard]] std::optional<PassStep> read_max_step(NodeId statement,
                                                      const CountedLoop& loop) const {
    if (largest_ == nullptr || has_largest_ || weights_come_ || has_weights_) return std::nullopt;
    if (tree_.is(statement, "if_statement")) {
      const NodeId condition = tree_.bare(tree_.field(statement, "condition"));
      const auto inner = statements_of(tree_, tree_.field(statement, "consequence"));
      if (tree_.field(statement, "alternative") != kNoNode || inner.size() != 1)
        return std::nullopt;
      const NodeId what = only_expression(inner.front());
      const bool greater = tree_.operator_of(condition) == ">" &&
                           is_score(tree_.field(condition, "left"), *loop.variable) &&
                           named(tree_.field(condition, "right")) == largest_;
      const bool takes = tree_.is(what, "assignment_expression") &&
                         tree_.operator_of(what) == "=" &&
                         named(tree_.field(what, "left")) == largest_ &&
                         is_score(tree_.field(what, "right"), *loop.variable);
      return greater && takes ? std::optional(PassStep::largest) : std::nullopt;
    }
    const NodeId what = only_expression(statement);
    if (!tree_.is(what, "assignment_expression") || tree_.operator_of(what) != "=" ||
        named(tree_.field(what, "left")) != largest_) {
      return std::nullopt;
    }
    const NodeId call = tree_.bare(tree_.field(what, "right"));
    if (!is_call_of(call, kMaxima)) return std::nullopt;
    const auto arguments = arguments_of(call);
    if (arguments.size() != 2) return std::nullopt;
    const bool plain = named(arguments[0]) == largest_ && is_score(arguments[1], *loop.variable);
    const bool turned = named(arguments[1]) == largest_ && is_score(arguments[0], *loop.variable);
    return plain || turned ? std::optional(PassStep::largest) : std::nullopt;
  }

  /// `expf(scores[j] - largest)`.
  [[nodiscard]] bool is_exponential(NodeId node, const CountedLoop& loop) const {
    const NodeId call = tree_.bare(node);
    if (!is_call_of(call, kExponentials) || !largest_is_known() ||
        (largest_is_single_ && !is_single_)) {
      return false;
    }
    const auto arguments = arguments_of(call);
    if (arguments.size() != 1) return false;
    const NodeId inner = tree_.bare(arguments.front());
    return tree_.is(inner, "binary_expression") && tree_.operator_of(inner) == "-" &&
           is_score(tree_.field(inner, "left"), *loop.variable) &&
           named(tree_.field(inner, "right")) == largest_;
  }

  Result<void> read_output(const CountedLoop& loop) {
    found_.numbers = loop;
    if (!sum_is_known() || !has_weights_) {
      return in_the_way("rows are added up before their weights are known");
    }
    if (sum_is_single_) {
      return in_the_way("one thread alone knows the sum of the weights");
    }
    if (loop.is_inclusive || !is_whole(loop, is_spread(loop)) ||
        is_spread(loop) != scores_are_shared_ ||
        tree_.plain_text(loop.bound) != tree_.plain_text(found_.dot.bound)) {
      return in_the_way("the output is not written number by number, as many as a key has");
    }
    for (const NodeId statement : statements_of(tree_, loop.body)) {
      WARPMIND_CHECK(read_output_statement(statement));
    }
    if (found_.store == kNoNode) return in_the_way("no weighted sum is stored");
    return {};
  }

  Result<void> read_output_statement(NodeId statement) {
    if (found_.store != kNoNode) {
      return in_the_way("'" + shown(statement) + "' follows the weighted sum");
    }
    if (found_.total == nullptr && tree_.is(statement, "declaration")) return {};
    if (found_.total == nullptr && tree_.is(statement, "for_statement")) {
      return read_weighted_sum(statement);
    }
    const NodeId what = only_expression(statement);
    if (found_.total != nullptr && tree_.is(what, "assignment_expression") &&
        writes_buffer(statement)) {
      if (tree_.operator_of(what) != "=") return in_the_way("the output is added to");
      found_.store = what;
      return check_row(tree_.bare(tree_.field(what, "left")), found_.numbers);
    }
    if (found_.total != nullptr && !has_stores(statement) && !jumps(statement)) {
      found_.finish.push_back(statement);
      return {};
    }
    return in_the_way("'" + shown(statement) + "' is no part of a weighted sum that is known");
  }

  Result<void> read_weighted_sum(NodeId statement) {
    WARPMIND_TRY(found_.weighted, counted_loop(body_, statement));
    if (is_spread(found_.weighted) || !is_over_keys(found_.weighted, 0)) {
      return in_the_way("the loop over '" + found_.weighted.variable->name +
                        "' does not meet the keys that have scores");
    }
    const auto inner = statements_of(tree_, found_.weighted.body);
    const auto product = inner.size() == 1 ? product_added(inner.front()) : std::nullopt;
    if (!product) return in_the_way("'" + shown(statement) + "' is no sum of weighted rows");
    NodeId weight = product->left;
    found_.value = product->right;
    if (!is_score(weight, *found_.weighted.variable)) std::swap(weight, found_.value);
    if (!is_score(weight, *found_.weighted.variable) ||
        !moves_with(found_.value, *found_.weighted.variable)) {
      return in_the_way("'" + shown(statement) + "' is no sum of weighted rows");
    }
    found_.total = product->sum;
    if (found_.total->value == kNoNode || !is_zero(found_.total->value) ||
        found_.total->type != "float" || !body_.declared_in(*found_.total, found_.numbers.body)) {
      return in_the_way("'" + found_.total->name + "' does not start at zero for every number");
    }
    return check_row(found_.value, found_.numbers);
  }

  static constexpr std::array<std::string_view, 3> kJumps{"break_statement", "continue_statement",
                                                          "return_statement"};

  const KernelBody& body_;
  const SyntaxTree& tree_;
  AttentionKernel found_;
  std::string scores_;  ///< the array that holds them
  bool scores_are_shared_ = false;
  const Local* score_ = nullptr;  ///< of one key: the dot product
  const Local* largest_ = nullptr;
  const Local* weight_ = nullptr;  ///< of one key, in the pass that is read
  bool largest_from_first_ = false;
  bool is_single_ = false;          ///< the pass that is read is one thread's
  bool largest_is_single_ = false;  ///< only the first thread has it
  bool sum_is_single_ = false;
  bool has_largest_ = false;
  bool has_weights_ = false;
  bool has_sum_ = false;
  bool weights_come_ = false;
  bool divided_comes_ = false;
};

}  // namespace

Result<AttentionKernel> read_attention(const KernelBody& body) {
  return AttentionReader(body).read();
}

}  // namespace warpmind::agents::builtin
