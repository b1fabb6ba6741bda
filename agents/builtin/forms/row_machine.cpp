#include "agents/builtin/forms/row_machine.h"

#include "agents/builtin/pointwise/guarded_body.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::size_t kMostSteps = 20000;  // statements, each for all lanes
constexpr std::int64_t kMostUnrolled = 16;

}  // namespace

RowMachine::RowMachine(const std::vector<RowKernel>& kernels, const ProbeProgram& program,
                       const BufferNames& buffer, RowValues& values)
    : kernels_(kernels), program_(program), buffer_(buffer), values_(values) {}

void RowMachine::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

bool RowMachine::any(const Mask& active) {
  return std::find(active.begin(), active.end(), true) != active.end();
}

std::size_t RowMachine::first(const Mask& active) const {
  return static_cast<std::size_t>(std::find(active.begin(), active.end(), true) - active.begin());
}

Result<RowProgram> RowMachine::run(const MayReorder& may_reorder) {
  may_reorder_ = &may_reorder;
  for (const RowKernel& kernel : kernels_) {
    if (!failed()) run_kernel(kernel);
  }
  if (!failed() && found_.totals.empty()) refuse("it has no loop that reduces");
  if (failed()) return fail(Errc::not_found, refusal_);
  for (RowStore& one : found_.finals) {
    const std::size_t guards = found_.guards.size();
    if (one.conditions.size() < guards ||
        !std::equal(found_.guards.begin(), found_.guards.end(), one.conditions.begin())) {
      return fail(Errc::not_found, "it stores where a row has no work");
    }
    one.conditions.erase(one.conditions.begin(),
                         one.conditions.begin() + static_cast<std::ptrdiff_t>(guards));
  }
  return std::move(found_);
}

/// What earlier kernels have stored in buffers is still known; the rest is not.
void RowMachine::run_kernel(const RowKernel& kernel) {
  kernel_ = &kernel;
  lanes_ = static_cast<std::size_t>(kernel.shape.lanes);
  path_.clear();
  walk_ = {};
  state_.frames.assign(1, {});
  state_.bases.clear();
  staged_.clear();
  std::erase_if(state_.memory, [](const auto& kept) { return !kept.first.first.starts_with('&'); });
  for (const Parameter& parameter : body().function().parameters) {
    const std::string type = resolved(parameter.type);
    const auto known = kernel.parameters.find(parameter.name);
    const Parameter& shown = known == kernel.parameters.end() ? parameter : known->second;
    RowValueId value = values_.leaf(Kind::name, shown.name, resolved(shown.type));
    if (parameter.is_pointer) value = values_.place(value, values_.number(0, "int"), type);
    state_.frames.back().variables.push_back({parameter.name, type, all(value)});
  }
  Mask active(lanes_, true);
  execute(body().function().body, active);
  if (stretch_ && stretch_->must_go_on) refuse("its loops walk over different terms");
  stretch_.reset();
  guards_before_.push_back(path_);
}

RowMachine::Variable* RowMachine::find(std::string_view name) {
  auto& variables = state_.frames.back().variables;
  const auto found = std::find_if(variables.rbegin(), variables.rend(),
                                  [&](const Variable& one) { return one.name == name; });
  return found == variables.rend() ? nullptr : &*found;
}

std::string RowMachine::resolved(std::string_view type) const {
  std::string plain = plain_type(type);
  for (int i = 0; i < 4; ++i) {
    const auto alias = program_.aliases().find(plain);
    if (alias == program_.aliases().end() || alias->second == plain) break;
    plain = plain_type(alias->second);
  }
  return plain;
}

const RowTotal* RowMachine::total_called(std::int64_t id) const {
  for (const RowTotal& one : found_.totals) {
    if (one.id == id) return &one;
  }
  return nullptr;
}

// --- statements ---

void RowMachine::execute(NodeId statement, Mask& active) {
  if (failed() || !any(active)) return;
  if (++steps_ > kMostSteps) return refuse("its threads meet in too many steps");
  const auto kind = tree().node(statement).kind;
  if (kind == "compound_statement") return run_block(statement, active);
  if (kind == "declaration") return run_declaration(statement, active);
  if (kind == "expression_statement") {
    for (const NodeId part : tree().children(statement)) evaluate(part, active);
    return;
  }
  if (kind == "if_statement") return run_if(statement, active);
  if (kind == "else_clause") {
    for (const NodeId child : tree().children(statement)) execute(child, active);
    return;
  }
  if (kind == "for_statement") return run_for(statement, active);
  if (kind == "return_statement") return run_return(statement, active);
  if (kind == "comment" || kind == "preproc_call" || kind == "using_declaration" ||
      kind == "alias_declaration" || kind == "static_assert_declaration" || kind == ";") {
    return;
  }
  refuse("a " + std::string(kind) + " stands in it");
}

void RowMachine::run_block(NodeId statement, Mask& active) {
  const std::size_t scope = state_.frames.back().variables.size();
  for (const NodeId child : tree().children(statement)) execute(child, active);
  if (!failed()) state_.frames.back().variables.resize(scope);
}

void RowMachine::run_declaration(NodeId statement, const Mask& active) {
  bool is_shared = false;
  for (const NodeId part : tree().all_children(statement)) {
    is_shared = is_shared || tree().text(part) == "__shared__";
    if (tree().text(part) == "volatile") return refuse("it declares something volatile");
    if (tree().text(part) == "static" && !is_shared) is_shared = false;
  }
  const std::string base = resolved(tree().plain_text(tree().field(statement, "type")));
  for (const NodeId part : tree().all_children(statement)) {
    if (tree().node(part).field != "declarator") continue;
    const bool has_value = tree().is(part, "init_declarator");
    const NodeId declarator = has_value ? tree().field(part, "declarator") : part;
    std::string type = base;
    if (tree().is(declarator, "reference_declarator")) return refuse("it declares a reference");
    if (tree().is(declarator, "pointer_declarator")) type += "*";
    if (is_shared || !tree().descendants(declarator, "array_declarator").empty()) {
      if (has_value) return refuse("an array is declared with values");
      declare_array(declarator, type, is_shared);
      continue;
    }
    const NodeId identifier = tree().declared(declarator);
    Lanes values = all(values_.leaf(Kind::unset, {}, type));
    if (has_value) {
      NodeId value = tree().field(part, "value");
      if (tree().is(value, "initializer_list") || tree().is(value, "argument_list")) {
        const auto parts = tree().children(value);
        if (parts.size() != 1) return refuse("a variable is declared with several values");
        value = parts.front();
      }
      values = evaluate(value, active);
      const bool converts = base != "auto" && !type.ends_with("*");
      for (std::size_t t = 0; t < lanes_; ++t) {
        if (active[t] && converts) values[t] = values_.cast(type, values[t]);
      }
      if (base == "auto" && any(active)) type = values_.at(values[first(active)]).type;
    }
    state_.frames.back().variables.push_back(
        {std::string(tree().text(identifier)), type, std::move(values)});
  }
}

/// The value of an array's name says where its elements are: 0 private, 1 a shared number, 2 a
/// shared array.
void RowMachine::declare_array(NodeId declarator, const std::string& type, bool is_shared) {
  const NodeId identifier = tree().declared(declarator);
  const bool is_array = !tree().descendants(declarator, "array_declarator").empty();
  if (tree().descendants(declarator, "array_declarator").size() > 1) {
    return refuse("it declares an array of several dimensions");
  }
  std::string name = std::string(tree().text(identifier)) + "#" + std::to_string(identifier);
  // Arrays without a size are one memory.
  if (is_array &&
      tree().field(tree().descendants(declarator, "array_declarator").front(), "size") == kNoNode) {
    name = "dynamic";
  }
  if (walk_.depth > 0) walk_.own_arrays.insert(name);
  const RowValueId array =
      values_.leaf(Kind::array, name, type, is_shared ? (is_array ? 2 : 1) : 0);
  const RowValueId place = values_.place(array, values_.number(0, "int"), type + "*");
  state_.frames.back().variables.push_back(
      {std::string(tree().text(identifier)), type, all(place)});
}

void RowMachine::run_return(NodeId statement, Mask& active) {
  const auto parts = tree().children(statement);
  if (walk_.depth > 0 && state_.frames.size() == 1) return refuse("a loop leaves the kernel");
  Frame& frame = state_.frames.back();
  if (!parts.empty()) {
    const Lanes values = evaluate(parts.front(), active);
    Frame& own = state_.frames.back();
    own.returned.resize(lanes_, values_.broken());
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (active[t]) own.returned[t] = values_.cast(own.return_type, values[t]);
    }
  } else if (state_.frames.size() > 1 && frame.return_type != "void") {
    return refuse("a function returns nothing");
  }
  std::fill(active.begin(), active.end(), false);
}

void RowMachine::run_if(NodeId statement, Mask& active) {
  const NodeId clause = tree().field(statement, "condition");
  if (tree().field(clause, "initializer") != kNoNode) return refuse("an if declares something");
  const Lanes conditions = evaluate(clause, active);
  if (failed()) return;
  const NodeId taken = tree().field(statement, "consequence");
  const NodeId other = tree().field(statement, "alternative");
  Mask yes(lanes_, false);
  Mask no(lanes_, false);
  Mask open(lanes_, false);
  std::optional<RowValueId> condition;
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t]) continue;
    if (const auto known = values_.known(conditions[t])) {
      (*known != 0 ? yes : no)[t] = true;
      continue;
    }
    if (condition && *condition != conditions[t]) {
      return refuse("threads of a row part at '" + tree().plain_text(clause) + "'");
    }
    condition = conditions[t];
    open[t] = true;
  }
  execute(taken, yes);
  if (other != kNoNode) execute(other, no);
  if (condition && !failed()) run_under(*condition, taken, other, open);
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (active[t]) active[t] = yes[t] || no[t] || open[t];
  }
}

/// Both ways, one after the other from the same state.
void RowMachine::run_under(RowValueId condition, NodeId taken, NodeId other, Mask& open) {
  if (values_.at(condition).is_spoiled) {
    return refuse("a condition is made of what only some threads have found");
  }
  const State before = state_;
  const Mask inside = open;
  Mask yes = inside;
  path_.push_back(condition);
  ++open_conditions_;
  execute(taken, yes);
  State after = std::exchange(state_, before);
  path_.back() = values_.applied("!", condition);
  Mask no = inside;
  if (other != kNoNode) execute(other, no);
  path_.pop_back();
  --open_conditions_;
  if (failed()) return;
  const bool some_left = (any(yes) && yes != inside) || (any(no) && no != inside);
  if (some_left) return refuse("some threads of a row leave");
  if (any(yes) && any(no)) return merge(condition, after, inside);
  if (any(yes) || any(no)) {
    if (open_conditions_ > 0 || state_.frames.size() > 1 || walk_.depth > 0) {
      return refuse("it leaves below a condition");
    }
    path_.push_back(any(yes) ? condition : values_.applied("!", condition));
    if (any(yes)) state_ = std::move(after);
    return;
  }
  // Both ways leave the function: what it returns depends on the condition.
  if (state_.frames.size() > 1) merge(condition, after, inside);
  open.assign(lanes_, false);
}

/// `state_` is what holds where the condition does not.
void RowMachine::merge(RowValueId condition, const State& yes, const Mask& active) {
  const auto chosen = [&](RowValueId a, RowValueId b) {
    return a == b ? a : values_.choice(condition, a, b);
  };
  for (std::size_t f = 0; f < state_.frames.size(); ++f) {
    auto& variables = state_.frames[f].variables;
    const auto& others = yes.frames[f].variables;
    for (std::size_t v = 0; v < variables.size() && v < others.size(); ++v) {
      for (std::size_t t = 0; t < lanes_; ++t) {
        if (active[t]) variables[v].values[t] = chosen(others[v].values[t], variables[v].values[t]);
      }
    }
    auto& returned = state_.frames[f].returned;
    const auto& other = yes.frames[f].returned;
    for (std::size_t t = 0; t < returned.size() && t < other.size(); ++t) {
      if (active[t]) returned[t] = chosen(other[t], returned[t]);
    }
  }
  const auto none = [&](std::size_t size) { return Lanes(size, values_.broken()); };
  for (const auto& [place, values] : yes.memory) {
    auto [known, is_new] = state_.memory.emplace(place, none(values.size()));
    for (std::size_t t = 0; t < values.size(); ++t) {
      known->second[t] = chosen(values[t], known->second[t]);
    }
  }
  for (auto& [place, values] : state_.memory) {
    if (yes.memory.contains(place)) continue;
    for (RowValueId& value : values) value = chosen(values_.broken(), value);
  }
  for (const auto& [array, base] : yes.bases) {
    const auto [known, is_new] = state_.bases.emplace(array, base);
    if (known->second != base) refuse("it is not known which element of an array is meant");
  }
}

void RowMachine::run_for(NodeId statement, Mask& active) {
  const auto header = counted_loop(body(), statement);
  if (header && state_.frames.size() == 1 && is_walk(*header, active)) {
    return run_walk(*header, active);
  }
  if (failed()) return;
  const std::size_t scope = state_.frames.back().variables.size();
  const NodeId initializer = tree().field(statement, "initializer");
  if (tree().is(initializer, "declaration")) {
    run_declaration(initializer, active);
  } else if (initializer != kNoNode) {
    evaluate(initializer, active);
  }
  if (!run_known_loop(statement, active) && !failed()) {
    refuse(header ? "it is not known how often a loop runs" : header.error().message);
  }
  if (!failed()) state_.frames.back().variables.resize(scope);
}

/// false: some thread's condition is not known.
bool RowMachine::run_known_loop(NodeId statement, const Mask& active) {
  const NodeId condition = tree().field(statement, "condition");
  const NodeId update = tree().field(statement, "update");
  Mask running = active;
  if (condition == kNoNode) return false;
  while (!failed()) {
    const Lanes holds = evaluate(condition, running);
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (!running[t]) continue;
      const auto known = values_.known(holds[t]);
      if (!known) return false;
      running[t] = *known != 0;
    }
    if (!any(running)) return true;
    Mask inside = running;
    execute(tree().field(statement, "body"), inside);
    if (inside != running) {
      refuse("a loop leaves the kernel");
      return true;
    }
    if (update != kNoNode) evaluate(update, running);
    if (++steps_ > kMostSteps) refuse("a loop runs very often");
  }
  return true;
}

// --- loops over terms ---

/// Whether its iterations are terms, and not steps in which threads meet.
bool RowMachine::is_walk(const CountedLoop& header, const Mask& active) {
  bool reads = false;
  bool reads_outside = false;
  for (const MemoryAccess& access : body().accesses()) {
    if (!tree().contains(header.node, access.node) || access.is_private) continue;
    reads = true;
    reads_outside = reads_outside || !access.is_shared;
  }
  if (!reads) return false;
  const Lanes starts = evaluate(header.start, active);
  const Lanes bounds = evaluate(header.bound, active);
  if (failed()) return false;
  const std::size_t lead = first(active);
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t]) continue;
    const auto start = values_.known(starts[t]);
    const auto bound = values_.known(bounds[t]);
    if (!start || !bound || starts[t] != starts[lead]) return reads_outside || !start || !bound;
    if (reads_outside && *bound - *start > kMostUnrolled) return true;
  }
  return false;
}

void RowMachine::run_walk(const CountedLoop& header, const Mask& active) {
  if (auto why = jump_obstacle(body(), header); !why.empty()) {
    return refuse("the loop over '" + header.variable->name + "': " + why);
  }
  if (walk_.depth == 0) {
    begin_walk(header.node);
  } else if (!enter_inner(header.node)) {
    return;
  }
  TermLevel level;
  level.type = resolved(header.variable->type);
  if (!read_level(header, active, level)) return;
  std::int64_t first_term = 0;
  if (const auto start = values_.known(level.start); start && level.step == 1) {
    if (*start < 0) return refuse("a loop starts below 0");
    first_term = *start;
    level.start = values_.number(0, level.type);
  } else if (start) {
    level.start = values_.number(*start, level.type);
  }
  walk_.levels.push_back(level);
  ++walk_.depth;
  run_terms(header, level, first_term, active);
  --walk_.depth;
  if (failed()) return;
  close_inner();
  if (walk_.depth == 0 && !failed()) end_walk(active);
}

/// Runs the body for a term; where other loops start earlier, terms in front of `first` are left
/// out.
void RowMachine::run_terms(const CountedLoop& header, const TermLevel& level, std::int64_t first,
                           const Mask& active) {
  const auto number = static_cast<std::int64_t>(walk_.levels.size()) - 1;
  const RowValueId term = values_.leaf(Kind::term, {}, level.type, number);
  const RowValueId distance = values_.operation("*", term, values_.number(level.step, level.type));
  const RowValueId value = values_.cast(level.type, values_.operation("+", level.start, distance));
  auto& variables = state_.frames.back().variables;
  const std::size_t scope = variables.size();
  variables.push_back({header.variable->name, level.type, all(value)});
  const auto before = carried_now();
  if (first > 0) path_.push_back(values_.operation(">=", term, values_.number(first, level.type)));
  Mask inside = active;
  execute(header.body, inside);
  if (failed()) return;
  if (first > 0) {
    for (std::size_t i = 0; i < walk_.carried.size(); ++i) {
      Lanes& now = state_.frames.back().variables[walk_.carried[i].variable].values;
      for (RowValueId& one : now) one = values_.choice(path_.back(), one, before[i]);
    }
    path_.pop_back();
  }
  state_.frames.back().variables.resize(scope);
}

void RowMachine::begin_walk(NodeId loop) {
  walk_ = {};
  ++walks_;
  walk_.path = path_.size();
  const auto& written = program_.written(loop);
  auto& variables = state_.frames.back().variables;
  std::set<std::string_view> seen;
  for (std::size_t i = variables.size(); i-- > 0;) {
    Variable& one = variables[i];
    if (!seen.insert(one.name).second || !written.contains(one.name)) continue;
    const RowValue& value = values_.at(one.values.front());
    if (value.kind == Kind::place && values_.at(value.parts[0]).kind == Kind::array) continue;
    if (one.type.ends_with("*")) return refuse("the pointer '" + one.name + "' moves");
    const RowValueId atom = values_.leaf(Kind::carried, one.name, one.type, next_carried_++);
    walk_.carried.push_back({i, std::exchange(one.values, all(atom)), atom});
  }
}

/// A loop in a loop: what stands around the inner one must not do anything by itself.
bool RowMachine::enter_inner(NodeId loop) {
  if (walk_.is_closed) refuse("a loop holds several loops");
  if (walk_.levels.size() >= 3) refuse("its loops are nested deeper than three");
  if (walk_.stores != 0) refuse("it stores between its loops");
  const auto now = carried_now();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != walk_.carried[i].atom) refuse("a sum changes between its loops");
  }
  // A variable of the loop around it that changes in it would be carried, too.
  const auto& written = program_.written(loop);
  const auto& variables = state_.frames.back().variables;
  std::set<std::string_view> seen;
  for (std::size_t i = variables.size(); i-- > 0;) {
    if (!seen.insert(variables[i].name).second || !written.contains(variables[i].name)) continue;
    const bool is_carried =
        std::any_of(walk_.carried.begin(), walk_.carried.end(),
                    [&](const Carried& carried) { return carried.variable == i; });
    if (!is_carried) refuse("'" + variables[i].name + "' changes in an inner loop");
  }
  walk_.own_arrays.clear();
  return !failed();
}

std::vector<RowValueId> RowMachine::carried_now() const {
  std::vector<RowValueId> now;
  for (const Carried& one : walk_.carried) {
    now.push_back(state_.frames.back().variables[one.variable].values.front());
  }
  return now;
}

void RowMachine::close_inner() {
  if (!walk_.is_closed) {
    walk_.is_closed = true;
    walk_.closed = carried_now();
    walk_.closed_stores = walk_.stores;
  } else if (walk_.closed != carried_now() || walk_.closed_stores != walk_.stores) {
    refuse("a loop does more around another one");
  }
}

bool RowMachine::read_level(const CountedLoop& header, const Mask& active, TermLevel& level) {
  const Lanes starts = evaluate(header.start, active);
  const Lanes bounds = evaluate(header.bound, active);
  const Lanes steps =
      header.step == kNoNode ? all(values_.number(1, "int")) : evaluate(header.step, active);
  if (failed()) return false;
  const std::size_t lead = first(active);
  const std::string name = "the loop over '" + header.variable->name + "'";
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (active[t] && (bounds[t] != bounds[lead] || steps[t] != steps[lead])) {
      refuse(name + " ends elsewhere in other threads");
    }
  }
  for (const RowValueId part : {starts[lead], bounds[lead]}) {
    const RowValue& value = values_.at(part);
    if (value.has_term) refuse(name + " is as long as the loop around it says");
    if (value.has_carried || value.is_spoiled || !is_whole_type(value.type)) {
      refuse(name + " does not end at a whole number that is known in front");
    }
  }
  const auto step = values_.known(steps[lead]);
  if (!step || *step < 1) refuse(name + " has a step that is not a number");
  if (failed()) return false;
  level.start = starts[lead];
  level.bound = bounds[lead];
  level.is_inclusive = header.is_inclusive;
  level.step = *step;
  if (!share_level(starts, active, level)) refuse(name + " is not shared evenly by threads");
  return !failed();
}

/// One after the other, or lane by lane.
bool RowMachine::share_level(const Lanes& starts, const Mask& active, TermLevel& level) {
  const std::size_t lead = first(active);
  const bool is_same = [&] {
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (active[t] && starts[t] != starts[lead]) return false;
    }
    return true;
  }();
  if (is_same) return true;
  const auto apart = values_.distance(starts[0], starts[1]);
  if (!apart || *apart < 1 || walk_.is_shared ||
      level.step != *apart * static_cast<std::int64_t>(lanes_)) {
    return false;
  }
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t] ||
        values_.distance(starts[0], starts[t]) != *apart * static_cast<std::int64_t>(t)) {
      return false;
    }
  }
  walk_.is_shared = true;
  level.step = *apart;
  return true;
}

bool RowMachine::has_work() const {
  if (walk_.stores > 0) return true;
  for (std::size_t i = 0; i < walk_.carried.size(); ++i) {
    if (walk_.closed[i] != walk_.carried[i].atom) return true;
  }
  return false;
}

void RowMachine::end_walk(const Mask& active) {
  const auto before = std::exchange(stretch_, std::nullopt);
  if (has_guards_ && found_.guards != path_) {
    return refuse("its loops run under different conditions");
  }
  if (before && has_work()) {
    if (const auto width = steps_continued(*before)) return join(*before, *width, active);
  }
  const bool differs = !found_.terms.empty() && found_.terms != walk_.levels;
  if ((before && before->must_go_on) || (differs && !(may_be_stretch() && has_work()))) {
    return refuse("its loops walk over different terms");
  }
  if (has_work()) {
    if (may_be_stretch()) {
      stretch_ =
          Stretch{walk_.levels.front(), walk_.is_shared, differs, found_.terms.empty(), walks_};
    }
    if (!differs) found_.terms = walk_.levels;
    found_.guards = path_;
    has_guards_ = true;
  }
  const auto carried = walk_.carried;
  for (const Carried& one : carried) end_carried(one, active);
}

std::optional<RowValueId> RowMachine::update_of(const Carried& carried, const Mask& active) {
  const Variable& variable = state_.frames.back().variables[carried.variable];
  const RowValueId update = variable.values[first(active)];
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (active[t] && variable.values[t] != update) {
      refuse("threads of a row do not treat a term alike");
      return std::nullopt;
    }
  }
  return update;
}

void RowMachine::end_carried(const Carried& carried, const Mask& active) {
  if (failed()) return;
  Variable& variable = state_.frames.back().variables[carried.variable];
  const auto made = update_of(carried, active);
  if (!made) return;
  const RowValueId update = *made;
  variable.values = carried.before;
  if (update == carried.atom) return;
  const std::string name = "'" + variable.name + "'";
  if (!values_.at(update).has_carried) {
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (active[t]) variable.values[t] = values_.broken();
    }
    return;
  }
  const auto how = taken_in(values_, update, carried.atom);
  if (!how) return refuse(name + " is carried from one iteration to the next");
  if (values_.at(update).is_spoiled) return refuse(name + " is made of what is not known");
  if (size_of_type(variable.type) < 4) return refuse(name + " has a type that is not combined");
  if (!(*may_reorder_)(variable.type, *how)) {
    return refuse("the contract asks for the exact sum " + name);
  }
  const auto identity = identity_of(carried, *how, variable.type, active);
  if (!identity) return refuse("every thread starts " + name + " at another value");
  const std::int64_t id = values_.at(carried.atom).number;
  found_.totals.push_back({id, variable.name, variable.type, *how, *identity, update, walks_});
  const RowValueId total = values_.leaf(Kind::total, variable.name, variable.type, id);
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t]) continue;
    if (walk_.is_shared && lanes_ > 1) {
      LaneSet own;
      own.set(t);
      variable.values[t] = values_.partial(id, own, variable.type);
    } else if (*identity == carried.before[t]) {
      variable.values[t] = total;
    } else {
      // What it starts from is no part of the terms.
      const std::string_view op = *how == Combining::product ? "*" : "+";
      variable.values[t] =
          values_.cast(variable.type, values_.operation(op, carried.before[t], total));
    }
  }
}

/// What a lane without terms has found; nullopt: lanes start where they must not.
std::optional<RowValueId> RowMachine::identity_of(const Carried& carried, Combining how,
                                                  const std::string& type, const Mask& active) {
  const RowValueId start = carried.before[first(active)];
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (active[t] && carried.before[t] != start) return std::nullopt;
  }
  const RowValue& value = values_.at(start);
  if (value.is_spoiled || value.kind == Kind::unset) return std::nullopt;
  const bool is_extreme = how == Combining::maximum || how == Combining::minimum;
  if (is_extreme || is_neutral(values_, start, how, start)) return start;
  const bool is_plain = how == Combining::sum || how == Combining::product;
  if ((walk_.is_shared && lanes_ > 1) || !is_plain) return std::nullopt;
  return values_.cast(type, values_.number(how == Combining::sum ? 0 : 1, "int"));
}

}  // namespace warpmind::agents::builtin
