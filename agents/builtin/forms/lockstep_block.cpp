#include "agents/builtin/forms/lockstep_block.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/parallel_loop.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr int kMostSteps = 2000;
constexpr std::size_t kDeepestCall = 4;

bool is_loop(const SyntaxTree& tree, NodeId statement) {
  return tree.is(statement, "for_statement") || tree.is(statement, "while_statement") ||
         tree.is(statement, "do_statement");
}

std::optional<Combining> combining_of_atomic(std::string_view name) {
  if (name == "atomicAdd") return Combining::sum;
  if (name == "atomicMax") return Combining::maximum;
  if (name == "atomicMin") return Combining::minimum;
  if (name == "atomicAnd") return Combining::bit_and;
  if (name == "atomicOr") return Combining::bit_or;
  if (name == "atomicXor") return Combining::bit_xor;
  return std::nullopt;
}

bool is_zero(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_of("123456789xX") == std::string_view::npos;
}

bool is_barrier(std::string_view name) {
  return name.starts_with("__syncthreads") || name == "__syncwarp" ||
         name.starts_with("__threadfence");
}

}  // namespace

LockstepBlock::LockstepBlock(const Scene& scene, const KernelBody& body, const LoopFacts& loop,
                             const LaneGroup& group, const SceneLaunch& launch)
    : scene_(scene),
      body_(body),
      loop_(loop),
      group_(group),
      launch_(launch),
      program_(scene.source(), launch.constants) {
  threads_ = std::size_t{launch.shape.block[0]} * launch.shape.block[1] * launch.shape.block[2];
}

void LockstepBlock::refuse(std::string why) {
  if (found_.refusal.empty()) found_.refusal = std::move(why);
}

bool LockstepBlock::any(const LaneMask& active) const {
  return std::find(active.begin(), active.end(), true) != active.end();
}

bool LockstepBlock::is_leader(std::size_t thread) const {
  if (group_.is_grid) return thread == 0;
  return static_cast<std::int64_t>(thread) % group_.lanes == 0;
}

std::optional<LaneTotals> LockstepBlock::run() {
  if (!arrive()) return std::nullopt;
  LaneSums own(threads_);
  for (const Reduction& reduction : loop_.reductions) {
    for (std::size_t t = 0; t < threads_; ++t) {
      own[t].kind = LaneSum::Kind::sum;
      own[t].reduction = &reduction;
      own[t].lanes.reset();
      own[t].lanes.set(t);
    }
    frames_.back().sums.insert_or_assign(reduction.variable->name, own);
  }
  for (const Local& local : body_.locals()) {
    if (local.is_shared && !local.is_array) frames_.back().shared_numbers.insert(local.name);
  }
  run_behind(loop_.header.node);
  return found_;
}

/// Brings the threads of the first block to the loop; false: none gets there.
bool LockstepBlock::arrive() {
  const KernelProber prober(scene_.source(), body_.function(), launch_);
  frames_.emplace_back();
  alive_.assign(threads_, false);
  numbers_.assign(threads_, IntegerInterpreter(program_));
  const auto& block = launch_.shape.block;
  for (std::size_t t = 0; t < threads_; ++t) {
    ThreadPosition position;
    position.thread = {static_cast<std::int64_t>(t % block[0]),
                       static_cast<std::int64_t>(t / block[0] % block[1]),
                       static_cast<std::int64_t>(t / block[0] / block[1])};
    const auto known = prober.integers_at(loop_.header.node, position);
    if (!known) continue;
    alive_[t] = true;
    std::array<std::array<std::int64_t, 3>, 4> all{position.thread, position.block, {}, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      all[2].at(axis) = block.at(axis);
      all[3].at(axis) = launch_.shape.grid.at(axis);
    }
    numbers_[t].set_position(all);
    for (const auto& [name, value] : *known) {
      ValueType type{ValueType::Kind::integer, true, 8};
      for (const Local& local : body_.locals()) {
        if (local.name == name) type = value_type(local.type, program_.aliases());
      }
      if (const Parameter* parameter = body_.function().parameter(name)) {
        type = value_type(parameter->type, program_.aliases());
      }
      // Names stay those of the source, which outlives the interpreters.
      for (const NodeId use : tree().uses(body_.function().node, name)) {
        numbers_[t].declare(tree().text(use), converted(Value::exactly(value, type), type));
        break;
      }
    }
  }
  return any(alive_);
}

/// What follows a statement in its block, then what follows that block.
void LockstepBlock::run_behind(NodeId statement) {
  for (NodeId at = statement; at != body_.function().body; at = tree().node(at).parent) {
    const NodeId up = tree().node(at).parent;
    if (!tree().is(up, "compound_statement")) {
      if (is_loop(tree(), up)) return refuse("the loop stands in another one");
      continue;
    }
    bool behind = false;
    for (const NodeId child : tree().children(up)) {
      if (failed()) return;
      if (behind) execute(child, alive_);
      behind = behind || child == at;
    }
  }
}

void LockstepBlock::execute(NodeId statement, LaneMask& active) {
  if (failed() || !any(active)) return;
  if (++steps_ > kMostSteps) return refuse("its lanes combine in too many steps");
  const auto kind = tree().node(statement).kind;
  if (kind == "compound_statement") return run_block(statement, active);
  if (kind == "declaration") return run_declaration(statement, active);
  if (kind == "expression_statement") return run_expression(statement, active);
  if (kind == "if_statement") return run_if(statement, active);
  if (kind == "else_clause") {
    for (const NodeId child : tree().children(statement)) execute(child, active);
    return;
  }
  if (kind == "for_statement" || kind == "while_statement") return run_loop(statement, active);
  if (kind == "return_statement") return run_return(statement, active);
  if (kind == "comment" || kind == "preproc_call") return;
  refuse("a " + std::string(kind) + " stands behind the loop");
}

void LockstepBlock::run_block(NodeId statement, LaneMask& active) {
  for (auto& numbers : numbers_) numbers.open_scope();
  for (const NodeId child : tree().children(statement)) execute(child, active);
  for (auto& numbers : numbers_) numbers.close_scope();
}

void LockstepBlock::run_return(NodeId statement, LaneMask& active) {
  if (is_unsure_) return refuse("it is not known which threads return");
  const auto value = tree().children(statement);
  if (frames_.size() > 1 && !value.empty()) {
    const LaneSums returned = evaluate(value.front(), active);
    frames_.back().returned.resize(threads_);
    for (std::size_t t = 0; t < threads_; ++t) {
      if (active[t]) frames_.back().returned[t] = returned[t];
    }
  }
  active.assign(threads_, false);
}

void LockstepBlock::run_declaration(NodeId statement, const LaneMask& active) {
  bool is_shared = false;
  for (const NodeId part : tree().all_children(statement)) {
    is_shared = is_shared || tree().text(part) == "__shared__";
  }
  for (const NodeId part : tree().all_children(statement)) {
    if (tree().node(part).field != "declarator") continue;
    const std::string name(tree().text(tree().declared(part)));
    if (is_shared) {
      found_.dropped.insert(statement);
      if (tree().descendants(part, "array_declarator").empty()) {
        frames_.back().shared_numbers.insert(name);
      }
      continue;
    }
    const NodeId value = tree().field(part, "value");
    const LaneSums sums = value == kNoNode ? LaneSums(threads_) : evaluate(value, active);
    frames_.back().sums.insert_or_assign(name, LaneSums(threads_));
    hold(statement, value, name, sums, active);
    for (std::size_t t = 0; t < threads_; ++t) {
      if (active[t]) numbers_[t].declare_from(part, statement);
    }
  }
}

void LockstepBlock::run_expression(NodeId statement, const LaneMask& active) {
  for (const NodeId part : tree().children(statement)) {
    const NodeId at = tree().bare(part);
    if (tree().is(at, "assignment_expression")) {
      run_assignment(statement, at, active);
    } else if (tree().is(at, "call_expression")) {
      run_call(statement, at, active);
    } else if (tree().is(at, "update_expression")) {
      for (std::size_t t = 0; t < threads_; ++t) {
        if (active[t]) static_cast<void>(numbers_[t].evaluate(at));
      }
      hold(statement, at, std::string(tree().text(tree().bare(tree().field(at, "argument")))),
           LaneSums(threads_), active);
    } else {
      refuse("'" + tree().plain_text(at) + "' stands behind the loop");
    }
  }
}

void LockstepBlock::run_assignment(NodeId statement, NodeId assignment, const LaneMask& active) {
  const NodeId target = tree().bare(tree().field(assignment, "left"));
  const NodeId value = tree().field(assignment, "right");
  const auto op = tree().operator_of(assignment);
  const bool is_name = tree().is(target, "identifier");
  const std::string name(is_name ? tree().text(target) : std::string_view());
  const bool is_shared_number = is_name && frames_.back().shared_numbers.contains(name);
  std::string array = is_shared_number ? name : std::string();
  NodeId index = kNoNode;
  if (tree().is(target, "subscript_expression")) {
    array = shared_array(tree().field(target, "argument"));
    const auto indices = tree().children(tree().field(target, "indices"));
    if (indices.size() == 1) index = indices.front();
  }
  if (array.empty() && !is_name) return keep_output(assignment, active, false);
  LaneSums values = evaluate(value, active);
  if (op != "=") {
    const auto how = combining_of_operator(op);
    const LaneSums before = evaluate(target, active);
    values = how ? combined(before, values, *how) : LaneSums(threads_);
  }
  if (!array.empty()) {
    found_.dropped.insert(statement);
    return store_shared(array, index, values, active);
  }
  for (std::size_t t = 0; t < threads_; ++t) {
    if (active[t] && is_unsure_) numbers_[t].forget({tree().text(target)});
    if (active[t] && !is_unsure_) static_cast<void>(numbers_[t].evaluate(assignment));
  }
  hold(statement, op == "=" ? value : assignment, name, values, active);
}

/// A variable of the threads gets those values.
void LockstepBlock::hold(NodeId statement, NodeId expression, const std::string& name,
                         LaneSums values, const LaneMask& active) {
  LaneSums& held = frames_.back().sums[name];
  held.resize(threads_);
  bool is_sum = false;
  for (std::size_t t = 0; t < threads_; ++t) {
    is_sum =
        is_sum ||
        (active[t] && (values[t].kind == LaneSum::Kind::sum || held[t].kind == LaneSum::Kind::sum));
  }
  if (is_sum && is_unsure_) return refuse("a sum changes under a condition that is not known");
  if (is_sum) {
    found_.dropped.insert(statement);
  } else if (frames_.size() == 1 && expression != kNoNode) {
    // A loop is left out as a whole: what it sets is not there afterwards.
    const bool is_kept = in_loop_ == 0 && collect_totals(expression, active);
    if (!is_kept) found_.dropped.insert(statement);
    for (std::size_t t = 0; t < threads_; ++t) {
      if (is_kept && is_leader(t) && values[t].kind == LaneSum::Kind::broken) values[t] = {};
      if (!is_kept) values[t].kind = LaneSum::Kind::broken;
    }
  }
  for (std::size_t t = 0; t < threads_; ++t) {
    if (active[t]) held[t] = std::move(values[t]);
  }
}

void LockstepBlock::run_call(NodeId statement, NodeId call, const LaneMask& active) {
  const std::string name = tree().plain_text(tree().field(call, "function"));
  if (is_barrier(name)) {
    found_.dropped.insert(statement);
    return;
  }
  const auto arguments = tree().children(tree().field(call, "arguments"));
  if (combining_of_atomic(name) && arguments.size() == 2) {
    const NodeId pointer = tree().bare(arguments[0]);
    NodeId target = pointer;
    if (tree().is(pointer, "pointer_expression") && tree().operator_of(pointer) == "&") {
      target = tree().bare(tree().field(pointer, "argument"));
    }
    const bool is_number = tree().is(target, "identifier") && target != pointer &&
                           frames_.back().shared_numbers.contains(std::string(tree().text(target)));
    const NodeId array =
        tree().is(target, "subscript_expression") ? tree().field(target, "argument") : target;
    if (is_number || !shared_array(array).empty()) {
      found_.dropped.insert(statement);
      return add_shared(target, arguments[1], name, active);
    }
    return keep_output(call, active, true);
  }
  const Function* function = program_.callee(name);
  if (function == nullptr) return refuse("it calls " + name + " behind the loop");
  found_.dropped.insert(statement);
  static_cast<void>(of_function(*function, arguments, active));
}

void LockstepBlock::add_shared(NodeId target, NodeId value, std::string_view name,
                               const LaneMask& active) {
  const bool is_subscript = tree().is(target, "subscript_expression");
  const NodeId pointer = is_subscript ? tree().field(target, "argument") : target;
  std::string array = shared_array(pointer);
  if (array.empty()) array = tree().text(target);
  const auto indices = tree().children(tree().field(target, "indices"));
  const LaneSums values = evaluate(value, active);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t]) continue;
    const auto index =
        indices.empty() ? std::optional<std::int64_t>(0) : number(indices.front(), t);
    if (!index) return refuse("it is not known where '" + array + "' is added to");
    LaneSum& held = shared_[array][*index];
    held = combined(held, values[t], *combining_of_atomic(name));
  }
}

void LockstepBlock::store_shared(const std::string& array, NodeId index, const LaneSums& values,
                                 const LaneMask& active) {
  if (is_unsure_) return refuse("'" + array + "' is stored under a condition that is not known");
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t]) continue;
    const auto at = index == kNoNode ? std::optional<std::int64_t>(0) : number(index, t);
    if (!at) return refuse("it is not known where '" + array + "' is stored");
    shared_[array][*at] = values[t];
  }
}

void LockstepBlock::run_if(NodeId statement, LaneMask& active) {
  const NodeId condition = tree().field(statement, "condition");
  const NodeId taken = tree().field(statement, "consequence");
  const NodeId other = tree().field(statement, "alternative");
  LaneMask yes(threads_, false);
  LaneMask no(threads_, false);
  bool is_known = true;
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t]) continue;
    const auto value = number(condition, t);
    is_known = is_known && value.has_value();
    (value.value_or(0) != 0 ? yes : no)[t] = true;
  }
  if (is_known) {
    if (any(yes)) execute(taken, yes);
    if (other != kNoNode && any(no)) execute(other, no);
    for (std::size_t t = 0; t < threads_; ++t) {
      const bool stays = yes[t] || no[t];
      if (active[t] && !stays) active[t] = false;
    }
    return;
  }
  if (!collect_totals(condition, active)) {
    return refuse("'" + tree().plain_text(condition) + "' hangs on a part of the sum");
  }
  const bool before = is_unsure_;
  is_unsure_ = true;
  LaneMask both = active;
  execute(taken, both);
  both = active;
  if (other != kNoNode) execute(other, both);
  is_unsure_ = before;
}

void LockstepBlock::run_loop(NodeId statement, LaneMask& active) {
  if (is_unsure_) return refuse("a loop stands under a condition that is not known");
  if (program_.returns(statement)) return refuse("a loop behind the sum may return");
  for (auto& numbers : numbers_) numbers.open_scope();
  const NodeId initializer = tree().field(statement, "initializer");
  if (initializer != kNoNode) {
    for (std::size_t t = 0; t < threads_; ++t) {
      if (active[t]) static_cast<void>(numbers_[t].execute(initializer));
    }
  }
  ++in_loop_;
  LaneMask inside = active;
  while (!failed()) {
    if (++steps_ > kMostSteps) refuse("its lanes combine in too many steps");
    for (std::size_t t = 0; t < threads_; ++t) {
      if (!inside[t]) continue;
      const auto goes_on = number(tree().field(statement, "condition"), t);
      if (!goes_on) refuse("a loop behind the sum runs as often as data say");
      inside[t] = goes_on.value_or(0) != 0;
    }
    if (!any(inside)) break;
    execute(tree().field(statement, "body"), inside);
    const NodeId update = tree().field(statement, "update");
    for (std::size_t t = 0; t < threads_; ++t) {
      if (inside[t] && update != kNoNode) static_cast<void>(numbers_[t].evaluate(update));
    }
  }
  --in_loop_;
  for (auto& numbers : numbers_) numbers.close_scope();
  if (in_loop_ == 0) found_.dropped.insert(statement);
}

void LockstepBlock::keep_output(NodeId expression, const LaneMask& active, bool is_atomic) {
  const std::string shown = "'" + tree().plain_text(expression) + "'";
  if (frames_.size() > 1) return refuse("a function stores " + shown);
  if (in_loop_ > 0) return refuse("it stores in a loop behind the sum");
  if (group_.is_grid && !is_atomic) return refuse("every block stores " + shown);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (active[t] && !is_leader(t)) {
      return refuse("a thread that is not the first of its group stores " + shown);
    }
  }
  if (group_.is_grid) {
    const auto name = tree().plain_text(tree().field(expression, "function"));
    const auto arguments = tree().children(tree().field(expression, "arguments"));
    const Local* total = total_of(evaluate(arguments[1], active), active);
    bool fits = false;
    for (const Reduction& reduction : loop_.reductions) {
      fits = fits || (reduction.variable == total && reduction.how == *combining_of_atomic(name));
    }
    if (!fits) return refuse(shown + " does not add up the sums of the blocks");
  }
  if (!collect_totals(expression, active)) refuse(shown + " does not store the whole sum");
}

const Local* LockstepBlock::total_of(const LaneSums& sums, const LaneMask& active) const {
  const Local* found = nullptr;
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t] || !is_leader(t)) continue;
    if (sums[t].kind != LaneSum::Kind::sum) return nullptr;
    const std::size_t lanes = group_.is_grid ? threads_ : static_cast<std::size_t>(group_.lanes);
    if (sums[t].lanes.count() != lanes) return nullptr;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (!sums[t].lanes.test(t + lane)) return nullptr;
    }
    if (found != nullptr && found != sums[t].reduction->variable) return nullptr;
    found = sums[t].reduction->variable;
  }
  return found;
}

bool LockstepBlock::collect_totals(NodeId expression, const LaneMask& active) {
  const NodeId at = tree().bare(expression);
  if (at == kNoNode) return true;
  bool any_leader = false;
  for (std::size_t t = 0; t < threads_; ++t) any_leader = any_leader || (active[t] && is_leader(t));
  if (!any_leader) return true;
  const bool is_target =
      tree().node(at).field == "left" && tree().is(tree().node(at).parent, "assignment_expression");
  if (!is_target || !tree().is(at, "identifier")) {
    const LaneSums sums = evaluate(at, active);
    if (const Local* total = total_of(sums, active)) {
      found_.totals.insert_or_assign(at, total);
      return true;
    }
    // What is made of several parts may be made of totals; a variable or an element is not.
    const bool is_place = tree().is(at, "identifier") || tree().is(at, "subscript_expression");
    for (std::size_t t = 0; t < threads_; ++t) {
      if (!active[t] || !is_leader(t) || sums[t].kind == LaneSum::Kind::other) continue;
      const bool is_part = is_place || sums[t].kind == LaneSum::Kind::sum;
      if (is_part && sums[t].kind != LaneSum::Kind::literal) return false;
    }
  }
  bool whole = true;
  for (const NodeId child : tree().children(at)) whole = collect_totals(child, active) && whole;
  return whole;
}

std::optional<std::int64_t> LockstepBlock::number(NodeId expression, std::size_t thread) {
  const Value value = numbers_[thread].evaluate(expression);
  if (!value.known || value.type.is_pointer()) return std::nullopt;
  return value.number;
}

/// The shared array whose start a pointer is; empty: none.
std::string LockstepBlock::shared_array(NodeId pointer) const {
  const NodeId at = tree().bare(pointer);
  if (!tree().is(at, "identifier")) return {};
  std::string name(tree().text(at));
  const auto known = frames_.back().arrays.find(name);
  if (known != frames_.back().arrays.end()) return known->second;
  for (const NodeId declaration : tree().descendants(tree().root(), "declaration")) {
    bool is_shared = false;
    for (const NodeId part : tree().all_children(declaration)) {
      is_shared = is_shared || tree().text(part) == "__shared__";
    }
    if (!is_shared) continue;
    for (const NodeId array : tree().descendants(declaration, "array_declarator")) {
      if (tree().text(tree().declared(array)) == name) return name;
    }
  }
  const Local* local = body_.local_of(at);
  if (local == nullptr || !local->is_pointer || local->value == kNoNode) return {};
  return tree().is(tree().bare(local->value), "identifier") ? shared_array(local->value)
                                                            : std::string();
}

LaneSums LockstepBlock::evaluate(NodeId expression, const LaneMask& active) {
  const NodeId at = tree().bare(expression);
  LaneSums none(threads_);
  if (at == kNoNode || failed()) return none;
  const auto kind = tree().node(at).kind;
  if (kind == "identifier") {
    const std::string name(tree().text(at));
    if (frames_.back().shared_numbers.contains(name)) return of_shared(name, kNoNode, active);
    const auto known = frames_.back().sums.find(name);
    if (known != frames_.back().sums.end()) return known->second;
  }
  if (kind == "subscript_expression") {
    const std::string array = shared_array(tree().field(at, "argument"));
    const auto indices = tree().children(tree().field(at, "indices"));
    if (!array.empty() && indices.size() == 1) return of_shared(array, indices[0], active);
    return none;
  }
  if (kind == "pointer_expression" && tree().operator_of(at) == "*") {
    const std::string array = shared_array(tree().field(at, "argument"));
    return array.empty() ? none : of_shared(array, kNoNode, active);
  }
  if (kind == "conditional_expression") return of_choice(at, active);
  if (kind == "call_expression") return of_call(at, active);
  if (kind == "binary_expression") {
    const auto how = combining_of_operator(tree().operator_of(at));
    if (!how) return made_of_parts(at, active);
    return combined(evaluate(tree().field(at, "left"), active),
                    evaluate(tree().field(at, "right"), active), *how);
  }
  if (kind == "number_literal" || kind == "unary_expression" || kind == "identifier") {
    for (auto& one : none) {
      one.kind = LaneSum::Kind::literal;
      one.literal = tree().plain_text(at);
    }
  }
  if (kind == "cast_expression" || kind == "unary_expression") {
    LaneSums made = made_of_parts(at, active);
    for (std::size_t t = 0; t < threads_; ++t) {
      if (made[t].kind == LaneSum::Kind::broken) none[t] = made[t];
    }
  }
  return none;
}

/// Of an operation that combines nothing: what is made of a part of a sum is none.
LaneSums LockstepBlock::made_of_parts(NodeId expression, const LaneMask& active) {
  LaneSums made(threads_);
  for (const NodeId child : tree().children(expression)) {
    const LaneSums part = evaluate(child, active);
    for (std::size_t t = 0; t < threads_; ++t) {
      if (part[t].kind == LaneSum::Kind::sum || part[t].kind == LaneSum::Kind::broken) {
        made[t].kind = LaneSum::Kind::broken;
      }
    }
  }
  return made;
}

LaneSums LockstepBlock::of_shared(const std::string& array, NodeId index, const LaneMask& active) {
  LaneSums sums(threads_);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t]) continue;
    const auto at = index == kNoNode ? std::optional<std::int64_t>(0) : number(index, t);
    const auto known = shared_.find(array);
    const bool is_there = at && known != shared_.end() && known->second.contains(*at);
    if (is_there) {
      sums[t] = known->second.at(*at);
    } else {
      sums[t].kind = LaneSum::Kind::broken;  // nothing has been stored there
    }
  }
  return sums;
}

LaneSums LockstepBlock::of_choice(NodeId expression, const LaneMask& active) {
  LaneMask yes(threads_, false);
  LaneMask no(threads_, false);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t]) continue;
    const auto value = number(tree().field(expression, "condition"), t);
    if (!value) return LaneSums(threads_);
    (*value != 0 ? yes : no)[t] = true;
  }
  LaneSums sums = evaluate(tree().field(expression, "consequence"), yes);
  const LaneSums others = evaluate(tree().field(expression, "alternative"), no);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (no[t]) sums[t] = others[t];
  }
  return sums;
}

LaneSums LockstepBlock::of_call(NodeId expression, const LaneMask& active) {
  const NodeId callee = tree().field(expression, "function");
  const std::string name = tree().is(callee, "template_function")
                               ? std::string(tree().text(tree().field(callee, "name")))
                               : tree().plain_text(callee);
  const auto arguments = tree().children(tree().field(expression, "arguments"));
  if (const auto how = combining_of_call(name); how && arguments.size() == 2) {
    return combined(evaluate(arguments[0], active), evaluate(arguments[1], active), *how);
  }
  if (name.starts_with("__shfl")) return of_shuffle(name, arguments, active);
  if (name.starts_with("__reduce_")) return of_warp_sum(name, arguments, active);
  const Function* function = program_.callee(name);
  if (function != nullptr && !function->is_template) {
    return of_function(*function, arguments, active);
  }
  return made_of_parts(tree().field(expression, "arguments"), active);
}

LaneSums LockstepBlock::of_shuffle(std::string_view name, const std::vector<NodeId>& arguments,
                                   const LaneMask& active) {
  LaneSums sums(threads_);
  const std::size_t first = name.find("_sync") == std::string_view::npos ? 0 : 1;
  if (arguments.size() < first + 2) return sums;
  const LaneSums values = evaluate(arguments[first], active);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (!active[t]) continue;
    const auto by = number(arguments[first + 1], t);
    const auto width = arguments.size() > first + 2 ? number(arguments[first + 2], t)
                                                    : std::optional<std::int64_t>(32);
    if (!by || !width || *width < 1) {
      refuse("it is not known which lane a shuffle reads");
      return sums;
    }
    const auto lane = static_cast<std::int64_t>(t % 32);
    const std::int64_t segment = lane / *width * *width;
    std::int64_t from = segment + *by % *width;
    if (name.starts_with("__shfl_down")) from = lane + *by;
    if (name.starts_with("__shfl_up")) from = lane - *by;
    if (name.starts_with("__shfl_xor")) from = lane ^ *by;
    if (from < segment || from >= segment + *width) from = lane;
    const std::size_t other = t - t % 32 + static_cast<std::size_t>(from);
    sums[t] = values[t];
    if (other < threads_ && active[other]) {
      sums[t] = values[other];
    } else if (values[t].kind != LaneSum::Kind::other) {
      sums[t].kind = LaneSum::Kind::broken;
    }
  }
  return sums;
}

LaneSums LockstepBlock::of_warp_sum(std::string_view name, const std::vector<NodeId>& arguments,
                                    const LaneMask& active) {
  LaneSums sums(threads_);
  auto how = Combining::sum;
  if (name.starts_with("__reduce_max")) how = Combining::maximum;
  if (name.starts_with("__reduce_min")) how = Combining::minimum;
  if (name.starts_with("__reduce_and")) how = Combining::bit_and;
  if (name.starts_with("__reduce_or")) how = Combining::bit_or;
  if (name.starts_with("__reduce_xor")) how = Combining::bit_xor;
  if (arguments.size() != 2) return sums;
  const LaneSums values = evaluate(arguments[1], active);
  for (std::size_t warp = 0; warp < threads_; warp += 32) {
    const std::size_t end = std::min(threads_, warp + 32);
    LaneSum whole;
    for (std::size_t t = warp; t < end; ++t) {
      if (active[t])
        whole = whole.kind == LaneSum::Kind::other ? values[t] : combined(whole, values[t], how);
    }
    for (std::size_t t = warp; t < end; ++t) sums[t] = whole;
  }
  return sums;
}

LaneSums LockstepBlock::of_function(const Function& function, const std::vector<NodeId>& arguments,
                                    const LaneMask& active) {
  LaneSums none(threads_);
  if (frames_.size() > kDeepestCall || arguments.size() != function.parameters.size()) return none;
  Frame frame;
  std::vector<std::vector<Value>> given(threads_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (parameter.type.find('&') != std::string::npos) return none;
    if (parameter.is_pointer) frame.arrays[parameter.name] = shared_array(arguments[i]);
    frame.sums[parameter.name] = evaluate(arguments[i], active);
    for (std::size_t t = 0; t < threads_; ++t) {
      if (active[t]) given[t].push_back(numbers_[t].evaluate(arguments[i]));
    }
  }
  // A pure function of other values is none of the sums' business.
  bool meets = !frame.arrays.empty();
  for (const auto& [name, sums] : frame.sums) {
    for (const auto& one : sums) {
      meets = meets || one.kind == LaneSum::Kind::sum || one.kind == LaneSum::Kind::broken;
    }
  }
  if (!meets) return none;
  const std::vector<IntegerInterpreter> outside = numbers_;
  for (std::size_t t = 0; t < threads_; ++t) {
    for (std::size_t i = 0; i < given[t].size(); ++i) {
      const ValueType type = value_type(function.parameters[i].type, program_.aliases());
      numbers_[t].declare(tree().text(function.parameters[i].identifier),
                          converted(given[t][i], type));
    }
  }
  frame.returned.resize(threads_);
  frames_.push_back(std::move(frame));
  const int loops = in_loop_;
  in_loop_ = 0;
  LaneMask inside = active;
  execute(function.body, inside);
  in_loop_ = loops;
  LaneSums returned = std::move(frames_.back().returned);
  frames_.pop_back();
  numbers_ = outside;
  return returned;
}

LaneSums LockstepBlock::combined(const LaneSums& left, const LaneSums& right, Combining how) const {
  LaneSums sums(threads_);
  for (std::size_t t = 0; t < threads_; ++t) sums[t] = combined(left[t], right[t], how);
  return sums;
}

LaneSum LockstepBlock::combined(const LaneSum& left, const LaneSum& right, Combining how) const {
  using Kind = LaneSum::Kind;
  if (left.kind != Kind::sum && right.kind == Kind::sum) return combined(right, left, how);
  LaneSum result;
  if (left.kind != Kind::sum) {
    if (left.kind == Kind::broken || right.kind == Kind::broken) result.kind = Kind::broken;
    // Lanes that have nothing to add combine among themselves, too.
    if (left.kind == Kind::literal && right.kind == Kind::literal) {
      for (const Reduction& one : loop_.reductions) {
        if (one.how == how && is_neutral(left, one) && is_neutral(right, one)) return left;
      }
    }
    return result;
  }
  const Reduction& reduction = *left.reduction;
  if (right.kind == Kind::literal && how == reduction.how && is_neutral(right, reduction)) {
    return left;
  }
  result.kind = Kind::broken;
  if (right.kind != Kind::sum || right.reduction != left.reduction || how != reduction.how) {
    return result;
  }
  if (!is_idempotent(how) && (left.lanes & right.lanes).any()) return result;
  result = left;
  result.lanes |= right.lanes;
  return result;
}

bool LockstepBlock::is_neutral(const LaneSum& literal, const Reduction& reduction) const {
  // Every lane starts from that value, so the sum of the lanes has it already.
  const std::string first = tree().plain_text(reduction.variable->value);
  switch (reduction.how) {
    case Combining::sum:
    case Combining::bit_or:
    case Combining::bit_xor: return is_zero(literal.literal);
    case Combining::product:
      return literal.literal.starts_with('1') &&
             literal.literal.find_first_of("23456789xXeE") == std::string::npos &&
             literal.literal.find('1', 1) == std::string::npos;
    case Combining::minimum:
    case Combining::maximum:
    case Combining::bit_and: return literal.literal == first;
  }
  return false;
}

}  // namespace warpmind::agents::builtin
