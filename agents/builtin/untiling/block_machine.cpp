#include "agents/builtin/untiling/block_machine.h"

#include "agents/builtin/untiling/lane_calls.h"
#include "base/sequence.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

const LaneType kInt{LaneKind::number, true, false, 4};
const LaneType kUnsigned{LaneKind::number, false, false, 4};
const LaneType kSize{LaneKind::number, false, false, 8};
const LaneType kBool{LaneKind::number, false, false, 1, 1, {}, true};
const LaneType kFloat{LaneKind::data, true, true, 4};
constexpr std::size_t kMostFrames = 12;

LaneType of_value_type(const ValueType& type) {
  if (type.kind == ValueType::Kind::boolean) return kBool;
  return {LaneKind::number, type.is_signed, false, type.bytes};
}

int component_of(std::string_view field) {
  static constexpr std::string_view kComponentNames = "xyzw";
  return field.size() == 1 && kComponentNames.find(field.front()) != std::string_view::npos
             ? static_cast<int>(kComponentNames.find(field.front()))
             : -1;
}

}  // namespace

BlockMachine::BlockMachine(const CudaSource& source, const Function& function,
                           const SceneLaunch& launch, std::int64_t most_work)
    : function_(function),
      launch_(launch),
      most_work_(most_work),
      program_(source, launch.constants),
      lanes_(static_cast<std::size_t>(launch.shape.block[0]) * launch.shape.block[1] *
             launch.shape.block[2]),
      memory_(lanes_) {}

void BlockMachine::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

bool BlockMachine::any(const LaneMask& active) {
  return std::find(active.begin(), active.end(), true) != active.end();
}

LaneVector BlockMachine::number(std::int64_t value, LaneType type) const {
  LaneVector result(std::move(type), lanes_);
  for (std::size_t i = 0; i < lanes_; ++i) result.set(i, value);
  return result;
}

BlockRun BlockMachine::run(const std::array<std::int64_t, 3>& block) {
  memory_ = LaneMemory(lanes_);
  variables_.clear();
  jumps_.clear();
  refusal_.clear();
  work_ = 0;
  block_ = block;
  frames_.assign(1, {0, nothing()});
  alive_.assign(lanes_, true);
  bind_parameters();
  LaneMask active = alive_;
  execute(function_.body, active);
  BlockRun result;
  result.work = work_;
  result.refusal = refusal_.empty() ? memory_.refusal() : refusal_;
  if (result.refusal.empty()) result.stores = memory_.stores();
  return result;
}

void BlockMachine::bind_parameters() {
  for (const Parameter& parameter : function_.parameters) {
    const LaneType type = lane_type(parameter.type, program_.aliases());
    if (parameter.is_pointer) {
      const auto buffer = launch_.buffers.find(parameter.name);
      const auto extent = launch_.extents.find(parameter.name);
      if (type.kind != LaneKind::pointer || buffer == launch_.buffers.end() ||
          extent == launch_.extents.end()) {
        declare(parameter.name, nothing());
        continue;
      }
      declare(parameter.name,
              number(memory_.global(buffer->second, type.element(), extent->second), type));
      continue;
    }
    const auto scalar = launch_.scalars.find(parameter.name);
    if (scalar != launch_.scalars.end() && type.kind == LaneKind::number) {
      declare(parameter.name, number(scalar->second, type));
    } else if (type.kind == LaneKind::data) {
      declare(parameter.name,
              number(static_cast<std::int64_t>(field_image(parameter.name, {})), type));
    } else {
      declare(parameter.name, nothing());
    }
  }
}

BlockMachine::Variable* BlockMachine::find(std::string_view name) {
  for (std::size_t i = variables_.size(); i > frames_.back().first_variable; --i) {
    if (variables_[i - 1].name == name) return &variables_[i - 1];
  }
  return nullptr;
}

void BlockMachine::declare(std::string_view name, LaneVector value, bool is_array) {
  variables_.push_back({name, std::move(value), is_array, false});
}

void BlockMachine::execute(NodeId statement, LaneMask& active) {
  if (failed() || statement == kNoNode || !any(active)) return;
  const auto kind = tree().node(statement).kind;
  if (kind == "compound_statement" || kind == "else_clause") return run_block(statement, active);
  if (kind == "declaration") return run_declaration(statement, active);
  if (kind == "expression_statement" || kind == "init_statement") {
    for (const NodeId part : tree().children(statement)) {
      if (tree().is(part, "declaration")) {
        run_declaration(part, active);
      } else {
        evaluate(part, active);
      }
    }
    return;
  }
  if (kind == "if_statement") return run_if(statement, active);
  if (kind == "for_statement" || kind == "while_statement" || kind == "do_statement") {
    return run_loop(statement, active);
  }
  if (kind == "return_statement") return run_return(statement, active);
  if (kind == "break_statement" || kind == "continue_statement") {
    if (jumps_.empty()) return refuse("a jump leads nowhere");
    LaneMask& left = kind == "break_statement" ? jumps_.back().broken : jumps_.back().continued;
    for (std::size_t i = 0; i < lanes_; ++i) {
      if (active[i]) left[i] = true;
      active[i] = false;
    }
    return;
  }
  static constexpr std::array<std::string_view, 6> kSilentKinds{"comment",
                                                                "preproc_call",
                                                                "using_declaration",
                                                                "alias_declaration",
                                                                "static_assert_declaration",
                                                                ";"};
  if (!contains(kSilentKinds, kind)) refuse("a " + std::string(kind) + " is not understood");
}

void BlockMachine::run_block(NodeId statement, LaneMask& active) {
  const std::size_t scope = variables_.size();
  for (const NodeId child : tree().children(statement)) execute(child, active);
  variables_.resize(scope);
}

void BlockMachine::run_declaration(NodeId statement, const LaneMask& active) {
  for (const NodeId part : tree().all_children(statement)) {
    if (tree().node(part).field == "declarator") declare_from(part, statement, active);
  }
}

std::vector<std::int64_t> BlockMachine::extents_of(NodeId declarator, NodeId identifier) {
  std::vector<std::int64_t> extents;
  for (NodeId at = declarator; at != identifier && at != kNoNode;) {
    if (tree().is(at, "array_declarator")) {
      const NodeId size = tree().field(at, "size");
      const LaneVector extent = size == kNoNode ? nothing() : evaluate(size, alive_);
      const bool is_known = extent.type.kind == LaneKind::number && extent.known.front() != 0;
      extents.insert(extents.begin(), is_known ? extent.at.front() : -1);
    }
    const NodeId below = tree().field(at, "declarator");
    at = below == kNoNode && !tree().children(at).empty() ? tree().children(at).back() : below;
  }
  return extents;
}

void BlockMachine::declare_array(std::string_view name, const LaneType& element,
                                 const std::vector<std::int64_t>& extents, bool is_shared) {
  std::int64_t all = element.pack;
  if (extents.size() == 1 && extents.front() < 0 && is_shared && element.bytes > 0) {
    all = static_cast<std::int64_t>(launch_.shape.shared_bytes / element.bytes);
  } else {
    for (const std::int64_t extent : extents) {
      all = extent <= 0 || all < 0 || extent > INT32_MAX || all > INT32_MAX ? -1 : all * extent;
    }
  }
  const std::string text(name);
  const std::int64_t at =
      is_shared ? memory_.shared(text, element, all) : memory_.of_threads(text, element, all);
  LaneType type = element.pointer();
  if (!extents.empty()) type.shape.assign(extents.begin() + 1, extents.end());
  declare(name, number(at, type), true);
}

void BlockMachine::fill_array(std::string_view name, NodeId list, const LaneMask& active) {
  const LaneVector start = find(name)->value;
  const auto parts = tree().children(list);
  if (!start.type.shape.empty() && parts.size() > 1) {
    return refuse("how '" + std::string(name) + "' starts is not understood");
  }
  LaneType element = start.type;
  std::int64_t count = 1;
  for (const std::int64_t extent : element.shape) count *= extent;
  element.shape.clear();
  const NodeId declarator = tree().node(list).parent;
  const auto extents =
      extents_of(tree().field(declarator, "declarator"), tree().declared(declarator));
  if (!extents.empty() && extents.front() > 0) count *= extents.front();
  LaneVector zero = number(0, element.element());
  LaneVector pointer = start;
  pointer.type = element;
  for (std::int64_t i = 0; i < count && !failed(); ++i) {
    const bool given = i < static_cast<std::int64_t>(parts.size());
    const LaneVector value =
        given ? converted(evaluate(parts[static_cast<std::size_t>(i)], active), element.element())
              : zero;
    memory_.store(pointer, value, active);
    for (auto& at : pointer.at) at += element.stride();
  }
}

void BlockMachine::declare_from(NodeId part, NodeId declaration, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId declarator = t.is(part, "init_declarator") ? t.field(part, "declarator") : part;
  const NodeId identifier = t.declared(declarator);
  if (identifier == kNoNode) return refuse("a declaration is not understood");
  const auto name = t.text(identifier);
  std::string text = t.plain_text(t.field(declaration, "type"));
  bool is_shared = false;
  for (const NodeId mark : t.all_children(declaration)) {
    is_shared |= t.text(mark) == "__shared__";
    if (t.text(mark) == "static") return refuse("'" + std::string(name) + "' is static");
  }
  if (!t.descendants(declarator, "reference_declarator").empty()) {
    return refuse("'" + std::string(name) + "' is a reference");
  }
  const bool is_pointer = !t.descendants(declarator, "pointer_declarator").empty();
  const bool is_array = !t.descendants(declarator, "array_declarator").empty();
  if (is_pointer) text += '*';
  NodeId initial = t.is(part, "init_declarator") ? t.field(part, "value") : kNoNode;
  const LaneType declared = lane_type(text, program_.aliases());
  if (is_array) {
    if (is_pointer) return refuse("'" + std::string(name) + "' holds pointers");
    if (declared.kind == LaneKind::nothing) return refuse("a type is not understood: " + text);
    declare_array(name, declared, extents_of(declarator, identifier), is_shared);
    if (initial != kNoNode) fill_array(name, initial, active);
    return;
  }
  if (is_shared) {
    declare_array(name, declared, {1}, true);
    variables_.back().is_array = false;
    variables_.back().is_place = true;
    return;
  }
  if (t.is(initial, "initializer_list") || t.is(initial, "argument_list")) {
    const auto parts = t.children(initial);
    if (parts.size() != 1)
      return refuse("how '" + std::string(name) + "' starts is not understood");
    initial = parts.front();
  }
  LaneVector value = initial == kNoNode ? LaneVector(declared, lanes_) : evaluate(initial, active);
  if (text == "auto" || text == "auto*") return declare(name, std::move(value));
  if (declared.kind == LaneKind::nothing) return refuse("a type is not understood: " + text);
  declare(name, initial == kNoNode ? std::move(value) : converted(value, declared));
}

LaneMask BlockMachine::holds(NodeId condition, const LaneMask& active) {
  LaneMask result(lanes_, false);
  const LaneVector value = evaluate(condition, active);
  const bool is_number =
      value.type.kind == LaneKind::number || value.type.kind == LaneKind::pointer;
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (!active[i]) continue;
    if (!is_number || value.known[i] == 0) {
      refuse("'" + tree().plain_text(tree().bare(condition)) + "' hangs on data");
      return result;
    }
    result[i] = value.at[i] != 0;
  }
  return result;
}

void BlockMachine::run_if(NodeId statement, LaneMask& active) {
  const std::size_t scope = variables_.size();
  const NodeId clause = tree().field(statement, "condition");
  if (const NodeId first = tree().field(clause, "initializer"); first != kNoNode) {
    execute(first, active);
  }
  LaneMask taken = holds(clause, active);
  LaneMask other(lanes_, false);
  for (std::size_t i = 0; i < lanes_; ++i) other[i] = active[i] && !taken[i];
  execute(tree().field(statement, "consequence"), taken);
  execute(tree().field(statement, "alternative"), other);
  for (std::size_t i = 0; i < lanes_; ++i) active[i] = taken[i] || other[i];
  variables_.resize(scope);
}

void BlockMachine::run_loop(NodeId statement, LaneMask& active) {
  const std::size_t scope = variables_.size();
  const NodeId first = tree().field(statement, "initializer");
  if (tree().is(first, "declaration")) {
    execute(first, active);
  } else if (first != kNoNode) {
    evaluate(first, active);
  }
  const NodeId condition = tree().field(statement, "condition");
  const NodeId update = tree().field(statement, "update");
  bool tested = tree().is(statement, "do_statement");
  LaneMask inside = active;
  LaneMask left(lanes_, false);
  while (any(inside) && !failed()) {
    if (!tested && condition != kNoNode) {
      const LaneMask stays = holds(condition, inside);
      for (std::size_t i = 0; i < lanes_; ++i) {
        if (inside[i] && !stays[i]) left[i] = true;
      }
      inside = stays;
      if (!any(inside)) break;
    }
    tested = false;
    jumps_.push_back({LaneMask(lanes_, false), LaneMask(lanes_, false)});
    execute(tree().field(statement, "body"), inside);
    const Jumps jumps = jumps_.back();
    jumps_.pop_back();
    for (std::size_t i = 0; i < lanes_; ++i) {
      if (jumps.broken[i]) left[i] = true;
      if (jumps.continued[i]) inside[i] = true;
    }
    if (update != kNoNode && any(inside)) evaluate(update, inside);
    work_ += static_cast<std::int64_t>(lanes_);
  }
  active = left;
  variables_.resize(scope);
}

void BlockMachine::run_return(NodeId statement, LaneMask& active) {
  const auto value = tree().children(statement);
  if (!value.empty()) {
    LaneVector result = evaluate(value.front(), active);
    LaneVector& kept = frames_.back().returned;
    if (kept.type.kind == LaneKind::nothing) {
      kept = LaneVector(result.type, lanes_);
    }
    keep(kept, result, active);
  }
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (active[i] && frames_.size() == 1) alive_[i] = false;
    active[i] = false;
  }
}

LaneVector BlockMachine::evaluate(NodeId expression, const LaneMask& active) {
  if (failed() || expression == kNoNode) return nothing();
  work_ += static_cast<std::int64_t>(lanes_);
  if (work_ > most_work_) {
    refuse("a block takes too long to be followed");
    return nothing();
  }
  const SyntaxTree& t = tree();
  const auto kind = t.node(expression).kind;
  if (kind == "identifier") return of_identifier(expression, active);
  if (kind == "number_literal" || kind == "char_literal") return of_literal(expression);
  if (kind == "true" || kind == "false") return number(kind == "true" ? 1 : 0, kBool);
  if (kind == "parenthesized_expression") return evaluate(t.bare(expression), active);
  if (kind == "condition_clause") return evaluate(t.field(expression, "value"), active);
  if (kind == "field_expression") return of_field(expression, active);
  if (kind == "binary_expression") return of_binary(expression, active);
  if (kind == "unary_expression") return of_unary(expression, active);
  if (kind == "conditional_expression") return of_conditional(expression, active);
  if (kind == "assignment_expression") return of_assignment(expression, active);
  if (kind == "update_expression") return of_update(expression, active);
  if (kind == "subscript_expression") return loaded(address(expression, active), active);
  if (kind == "pointer_expression") {
    if (t.operator_of(expression) == "&") {
      return address(t.bare(t.field(expression, "argument")), active);
    }
    return loaded(address(expression, active), active);
  }
  if (kind == "cast_expression") {
    const auto type = t.plain_text(t.field(expression, "type"));
    return converted(evaluate(t.field(expression, "value"), active),
                     lane_type(type, program_.aliases()));
  }
  if (kind == "sizeof_expression") {
    const NodeId type = t.field(expression, "type");
    const NodeId operand = type != kNoNode ? type : t.bare(t.field(expression, "value"));
    const auto bytes = bytes_of_type(t.plain_text(operand), program_.aliases());
    return bytes == 0 ? nothing() : number(bytes, kSize);
  }
  if (kind == "call_expression") return of_call(expression, active);
  if (kind == "comma_expression") {
    evaluate(t.field(expression, "left"), active);
    return evaluate(t.field(expression, "right"), active);
  }
  refuse("'" + t.plain_text(expression) + "' is not understood");
  return nothing();
}

LaneVector BlockMachine::of_identifier(NodeId expression, const LaneMask& active) {
  const auto name = tree().text(expression);
  if (name == "warpSize") return number(32, kInt);
  if (const Variable* found = find(name)) {
    if (found->is_place) return memory_.load(found->value, active);
    return found->value;
  }
  const Value constant = program_.constant(name);
  if (constant.known && !constant.type.is_pointer()) {
    return number(constant.number, of_value_type(constant.type));
  }
  // A number of the file that is no integer, or a name of a header.
  return number(static_cast<std::int64_t>(field_image(name, {})), kFloat);
}

LaneVector BlockMachine::of_literal(NodeId expression) {
  const auto text = tree().text(expression);
  const Value whole = literal_value(text);
  if (whole.known) return number(whole.number, of_value_type(whole.type));
  if (const auto real = field_literal(text)) {
    LaneType type = kFloat;
    if (text.back() != 'f' && text.back() != 'F') type.bytes = 8;
    return number(static_cast<std::int64_t>(*real), type);
  }
  refuse("'" + std::string(text) + "' is not understood");
  return nothing();
}

LaneVector BlockMachine::of_field(NodeId expression, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId argument = t.field(expression, "argument");
  const auto name = t.text(argument);
  const int component = component_of(t.text(t.field(expression, "field")));
  if (component < 0) {
    refuse("'" + t.plain_text(expression) + "' is not understood");
    return nothing();
  }
  const auto axis = static_cast<std::size_t>(component);
  if (find(name) == nullptr && axis < 3) {
    if (name == "blockIdx") return number(block_.at(axis), kUnsigned);
    if (name == "blockDim") return number(launch_.shape.block.at(axis), kUnsigned);
    if (name == "gridDim") return number(launch_.shape.grid.at(axis), kUnsigned);
    if (name == "threadIdx") {
      LaneVector result(kUnsigned, lanes_);
      const std::array<std::size_t, 2> extent{launch_.shape.block[0], launch_.shape.block[1]};
      for (std::size_t i = 0; i < lanes_; ++i) {
        const std::array<std::size_t, 3> at{i % extent[0], i / extent[0] % extent[1],
                                            i / extent[0] / extent[1]};
        result.set(i, static_cast<std::int64_t>(at.at(axis)));
      }
      return result;
    }
  }
  const LaneVector whole = evaluate(argument, active);
  LaneType type = whole.type;
  if (type.pack <= axis || type.kind == LaneKind::pointer) {
    refuse("'" + t.plain_text(expression) + "' is not understood");
    return nothing();
  }
  type.pack = 1;
  LaneVector result(type, lanes_);
  for (std::size_t i = 0; i < lanes_; ++i) {
    result.at[i] = whole.at[i * whole.type.pack + axis];
    result.known[i] = whole.known[i];
  }
  return result;
}

LaneVector BlockMachine::of_binary(NodeId expression, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const auto op = t.operator_of(expression);
  const LaneVector left = evaluate(t.field(expression, "left"), active);
  if (op != "&&" && op != "||") {
    const auto known = lane_operator(op);
    if (!known) {
      refuse("'" + t.plain_text(expression) + "' is not understood");
      return nothing();
    }
    return combined(*known, left, evaluate(t.field(expression, "right"), active));
  }
  const bool decides = op == "||";
  if (left.type.kind == LaneKind::truth || left.type.kind == LaneKind::data) {
    const LaneVector right = evaluate(t.field(expression, "right"), active);
    LaneVector result = image(std::string(op), {left, right});
    result.type.kind = LaneKind::truth;
    return result;
  }
  LaneMask open = active;
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (left.known[i] != 0 && (left.at[i] != 0) == decides) open[i] = false;
  }
  LaneVector right = any(open) ? evaluate(t.field(expression, "right"), open) : number(0, kBool);
  if (right.type.kind == LaneKind::truth || right.type.kind == LaneKind::data) {
    LaneVector result = image(std::string(op), {left, right});
    result.type.kind = LaneKind::truth;
    return result;
  }
  LaneVector result(kBool, lanes_);
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (!active[i] || left.known[i] == 0) continue;
    if (!open[i]) {
      result.set(i, decides ? 1 : 0);
    } else if (right.known[i] != 0) {
      result.set(i, right.at[i] != 0 ? 1 : 0);
    }
  }
  return result;
}

LaneVector BlockMachine::of_unary(NodeId expression, const LaneMask& active) {
  const auto op = tree().operator_of(expression);
  LaneVector value = evaluate(tree().field(expression, "argument"), active);
  const bool is_number = value.type.kind == LaneKind::number;
  if (op == "-" && (is_number || value.type.kind == LaneKind::data)) {
    return combined(LaneOperator::subtract, number(0, value.type), value);
  }
  if (op == "+") return value;
  if (op == "!" && is_number) return combined(LaneOperator::equal, value, number(0, kInt));
  if (op == "~" && is_number) {
    return combined(LaneOperator::subtract, number(-1, kInt), value);
  }
  LaneVector result = image(std::string(op), {value});
  if (op == "!") result.type.kind = LaneKind::truth;
  return result;
}

LaneVector BlockMachine::of_conditional(NodeId expression, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId taken = t.field(expression, "consequence");
  const NodeId other = t.field(expression, "alternative");
  const LaneVector condition = evaluate(t.field(expression, "condition"), active);
  if (condition.type.kind != LaneKind::number) {
    return image("?:", {condition, evaluate(taken, active), evaluate(other, active)});
  }
  LaneMask yes(lanes_, false);
  LaneMask no(lanes_, false);
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (!active[i] || condition.known[i] == 0) continue;
    (condition.at[i] != 0 ? yes : no)[i] = true;
  }
  if (!any(yes)) return evaluate(other, no);
  LaneVector result = evaluate(taken, yes);
  if (!any(no)) return result;
  LaneVector second = evaluate(other, no);
  // The common type: an int literal beside a float is a float.
  if (second.type.kind == LaneKind::data && result.type.kind == LaneKind::number) {
    std::swap(result, second);
    std::swap(yes, no);
  }
  keep(result, second, no);
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (!yes[i] && !no[i]) result.known[i] = 0;
  }
  return result;
}

LaneVector BlockMachine::of_assignment(NodeId expression, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId target = t.bare(t.field(expression, "left"));
  const auto op = t.operator_of(expression);
  LaneVector value = evaluate(t.field(expression, "right"), active);
  if (op != "=") {
    const auto known = lane_operator(op.substr(0, op.size() - 1));
    if (!known) refuse("'" + t.plain_text(expression) + "' is not understood");
    if (!known) return nothing();
    value = combined(*known, evaluate(target, active), value);
  }
  assign(target, value, active);
  return value;
}

LaneVector BlockMachine::of_update(NodeId expression, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId target = t.bare(t.field(expression, "argument"));
  const auto op = t.operator_of(expression);
  const LaneVector before = evaluate(target, active);
  const LaneVector after =
      combined(op == "++" ? LaneOperator::add : LaneOperator::subtract, before, number(1, kInt));
  assign(target, after, active);
  return t.text(expression).starts_with(op) ? after : before;
}

void BlockMachine::keep(LaneVector& variable, const LaneVector& value, const LaneMask& active) {
  LaneVector fitting = value.type.kind == LaneKind::truth ? value : converted(value, variable.type);
  if (fitting.type.kind == LaneKind::nothing || fitting.type.pack != variable.type.pack) {
    return refuse("a value is not understood");
  }
  if (fitting.type.kind != variable.type.kind) {
    if (variable.type.kind == LaneKind::number) variable = as_data(variable);
    variable.type.kind = fitting.type.kind;
  }
  const std::uint32_t pack = variable.type.pack;
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (!active[i]) continue;
    for (std::size_t p = i * pack; p < (i + 1) * pack; ++p) variable.at[p] = fitting.at[p];
    variable.known[i] = fitting.known[i];
  }
}

void BlockMachine::assign(NodeId target, const LaneVector& value, const LaneMask& active) {
  const SyntaxTree& t = tree();
  if (failed()) return;
  if (t.is(target, "identifier")) {
    Variable* found = find(t.text(target));
    if (found == nullptr || found->is_array) {
      return refuse("'" + std::string(t.text(target)) + "' is not a variable of the thread");
    }
    if (!found->is_place) return keep(found->value, value, active);
    return memory_.store(found->value, converted(value, found->value.type.element()), active);
  }
  if (t.is(target, "field_expression")) {
    const NodeId whole = t.bare(t.field(target, "argument"));
    const int component = component_of(t.text(t.field(target, "field")));
    Variable* found = t.is(whole, "identifier") ? find(t.text(whole)) : nullptr;
    if (found != nullptr && component >= 0 && !found->is_array && !found->is_place &&
        static_cast<std::uint32_t>(component) < found->value.type.pack &&
        found->value.type.kind == LaneKind::data) {
      const LaneVector data = as_data(value);
      for (std::size_t i = 0; i < lanes_; ++i) {
        if (!active[i]) continue;
        found->value.at[i * found->value.type.pack + static_cast<std::size_t>(component)] =
            data.at[i];
        found->value.known[i] = data.known[i];
      }
      return;
    }
  }
  const LaneVector pointer = address(target, active);
  if (failed()) return;
  memory_.store(pointer, converted(value, pointer.type.element()), active);
}

LaneVector BlockMachine::address(NodeId access, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId at = t.bare(access);
  LaneVector pointer = nothing();
  if (t.is(at, "subscript_expression")) {
    const auto indices = t.children(t.field(at, "indices"));
    if (indices.size() == 1) {
      pointer = combined(LaneOperator::add, evaluate(t.field(at, "argument"), active),
                         evaluate(indices.front(), active));
    }
  } else if (t.is(at, "pointer_expression") && t.operator_of(at) == "*") {
    pointer = evaluate(t.field(at, "argument"), active);
  } else if (t.is(at, "identifier")) {
    const Variable* found = find(t.text(at));
    if (found != nullptr && (found->is_array || found->is_place)) pointer = found->value;
  } else if (t.is(at, "field_expression")) {
    pointer = address(t.field(at, "argument"), active);
    const int component = component_of(t.text(t.field(at, "field")));
    if (component < 0 || static_cast<std::uint32_t>(component) >= pointer.type.pack) {
      pointer = nothing();
    } else {
      pointer.type.pack = 1;
      const auto offset = static_cast<std::int64_t>(component) * pointer.type.bytes;
      for (auto& one : pointer.at) one += offset;
    }
  }
  if (pointer.type.kind != LaneKind::pointer) {
    refuse("'" + t.plain_text(access) + "' is not understood");
  }
  return pointer;
}

LaneVector BlockMachine::loaded(const LaneVector& pointer, const LaneMask& active) {
  if (failed()) return nothing();
  if (!pointer.type.shape.empty()) {
    LaneVector row = pointer;
    row.type.shape.erase(row.type.shape.begin());
    return row;
  }
  return memory_.load(pointer, active);
}

LaneVector BlockMachine::image(const std::string& name, const std::vector<LaneVector>& arguments) {
  LaneVector result = image_of(name, arguments, lanes_);
  if (result.type.kind == LaneKind::nothing) refuse("'" + name + "' is not understood");
  return result;
}

LaneVector BlockMachine::of_call(NodeId expression, const LaneMask& active) {
  const SyntaxTree& t = tree();
  const NodeId callee = t.field(expression, "function");
  const auto parts = t.children(t.field(expression, "arguments"));
  std::string name = t.plain_text(callee);
  if (name == "__syncthreads") {
    if (active != alive_) refuse("not all threads meet at a barrier");
    memory_.meet();
    return nothing();
  }
  std::vector<LaneVector> arguments;
  arguments.reserve(parts.size());
  for (const NodeId part : parts) arguments.push_back(evaluate(part, active));
  if (failed()) return nothing();
  if (t.is(callee, "template_function")) {
    name = t.plain_text(t.field(callee, "name"));
    const auto types = t.children(t.field(callee, "arguments"));
    if (name.ends_with("_cast") && types.size() == 1 && arguments.size() == 1) {
      return converted(arguments.front(),
                       lane_type(t.plain_text(types.front()), program_.aliases()));
    }
  }
  const LaneType named = lane_type(name, program_.aliases());
  if (named.kind != LaneKind::nothing && arguments.size() == 1) {
    return converted(arguments.front(), named);
  }
  if (name.starts_with("std::")) name.erase(0, 5);
  if (const Function* function = program_.callee(name); function != nullptr) {
    return of_function(*function, arguments, active);
  }
  return of_known_call(name, arguments, active);
}

LaneVector BlockMachine::of_known_call(const std::string& name,
                                       const std::vector<LaneVector>& arguments,
                                       const LaneMask& active) {
  if ((name == "__ldg" || name == "__ldcs" || name == "__ldca" || name == "__ldcg") &&
      arguments.size() == 1 && arguments.front().type.kind == LaneKind::pointer) {
    return loaded(arguments.front(), active);
  }
  if (auto value = value_of_call(name, arguments)) return std::move(*value);
  if (!is_pure_call(name)) {
    refuse("the kernel calls '" + name + "'");
    return nothing();
  }
  return image(name, arguments);
}

LaneVector BlockMachine::of_function(const Function& function,
                                     const std::vector<LaneVector>& arguments,
                                     const LaneMask& active) {
  bool plain = frames_.size() < kMostFrames && arguments.size() == function.parameters.size() &&
               !function.has_error && !function.is_template;
  for (const auto& parameter : function.parameters) {
    plain &= parameter.type.find('&') == std::string::npos;
  }
  if (!plain) {
    refuse("'" + function.name + "' is not understood");
    return nothing();
  }
  const std::size_t scope = variables_.size();
  std::vector<Jumps> jumps;
  std::swap(jumps, jumps_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const LaneType type = lane_type(function.parameters[i].type, program_.aliases());
    declare(function.parameters[i].name, converted(arguments[i], type));
  }
  frames_.push_back({scope, nothing()});
  LaneMask inside = active;
  execute(function.body, inside);
  LaneVector result = std::move(frames_.back().returned);
  frames_.pop_back();
  variables_.resize(scope);
  std::swap(jumps, jumps_);
  const LaneType type = lane_type(function.return_type, program_.aliases());
  return type.kind == LaneKind::nothing ? result : converted(result, type);
}

}  // namespace warpmind::agents::builtin
