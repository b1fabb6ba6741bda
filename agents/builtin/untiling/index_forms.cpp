#include "agents/builtin/untiling/index_forms.h"

#include "syntax/lexer.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr int kMostDepth = 24;

IndexForm of_number(std::int64_t number) { return {{}, number}; }

IndexForm of_atom(std::string spelling, NodeId node) {
  IndexForm form;
  form.terms[std::move(spelling)] = {1, node};
  return form;
}

}  // namespace

namespace {

/// Overflow wraps: a form is a guess.
std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

std::string in_parentheses(const std::string& text) {
  const bool is_simple = std::all_of(text.begin(), text.end(), syntax::is_name_character);
  return is_simple ? text : "(" + text + ")";
}

std::string IndexForm::spelling() const {
  std::string text;
  for (const auto& [name, term] : terms) {
    text += (text.empty() ? "" : "+") +
            (term.factor == 1 ? name : std::to_string(term.factor) + "*" + name);
  }
  if (constant != 0 || text.empty()) text += (text.empty() ? "" : "+") + std::to_string(constant);
  return terms.size() + (constant != 0 ? 1 : 0) > 1 ? "(" + text + ")" : text;
}

void IndexForm::add(const IndexForm& other, std::int64_t times) {
  for (const auto& [name, term] : other.terms) {
    Term& own = terms[name];
    own.factor = wrapped_sum(own.factor, wrapped_product(term.factor, times));
    if (own.node == kNoNode) own.node = term.node;
    if (own.factor == 0) terms.erase(name);
  }
  constant = wrapped_sum(constant, wrapped_product(other.constant, times));
}

IndexForms::IndexForms(const KernelBody& body, const SceneLaunch& launch, bool is_block_fixed)
    : body_(body),
      launch_(launch),
      is_block_fixed_(is_block_fixed),
      program_(body.source(), launch.constants) {}

const Local* IndexForms::set_once(NodeId identifier) const {
  const Local* local = body_.local_of(identifier);
  if (local == nullptr || local->value == kNoNode || local->is_array || local->is_shared ||
      local->is_reference || body_.written_in(*local, body_.function().body)) {
    return nullptr;
  }
  return local;
}

std::optional<std::int64_t> IndexForms::constant(NodeId expression) const {
  if (expression == kNoNode) return std::nullopt;
  const IndexForm found = form(expression);
  if (!found.terms.empty()) return std::nullopt;
  return found.constant;
}

IndexForm IndexForms::of_identifier(NodeId expression, int depth) const {
  const SyntaxTree& t = body_.tree();
  if (const Local* local = body_.local_of(expression)) {
    if (const Local* once = set_once(expression); once != nullptr && !once->is_pointer) {
      IndexForm value = form(once->value, depth + 1);
      if (is_integer_type(once->type) || once->type == "auto") return value;
    }
    return of_atom(local->name + "#" + std::to_string(local->identifier), expression);
  }
  const Value known = program_.constant(t.text(expression));
  if (body_.function().parameter(t.text(expression)) == nullptr && known.known &&
      !known.type.is_pointer()) {
    return of_number(known.number);
  }
  return of_atom(std::string(t.text(expression)), expression);
}

IndexForm IndexForms::of_binary(NodeId expression, int depth) const {
  const SyntaxTree& t = body_.tree();
  const auto op = t.operator_of(expression);
  IndexForm left = form(t.field(expression, "left"), depth + 1);
  const IndexForm right = form(t.field(expression, "right"), depth + 1);
  const bool both = left.terms.empty() && right.terms.empty();
  if (op == "+" || op == "-") {
    left.add(right, op == "+" ? 1 : -1);
    return left;
  }
  if (op == "*" && (left.terms.empty() || right.terms.empty())) {
    IndexForm product;
    product.add(left.terms.empty() ? right : left,
                left.terms.empty() ? left.constant : right.constant);
    return product;
  }
  if (op == "<<" && right.terms.empty() && right.constant >= 0 && right.constant < 31) {
    IndexForm product;
    product.add(left, std::int64_t{1} << right.constant);
    return product;
  }
  if (both && right.constant > 0 && left.constant >= 0) {
    if (op == "/") return of_number(left.constant / right.constant);
    if (op == "%") return of_number(left.constant % right.constant);
  }
  if (both && op == ">>" && right.constant >= 0 && right.constant < 31 && left.constant >= 0) {
    return of_number(left.constant >> right.constant);
  }
  std::string first = left.spelling();
  std::string second = right.spelling();
  if (op == "*" && second < first) std::swap(first, second);
  return of_atom("(" + first + std::string(op) + second + ")", expression);
}

IndexForm IndexForms::of_others(NodeId expression, int depth) const {
  const SyntaxTree& t = body_.tree();
  std::string spelling = std::string(t.node(expression).kind) + "{";
  const auto parts = t.children(expression);
  if (parts.empty()) return of_atom(std::string(t.text(expression)), expression);
  for (const NodeId part : parts) spelling += form(part, depth + 1).spelling() + ",";
  if (t.is(expression, "unary_expression")) spelling += t.operator_of(expression);
  return of_atom(spelling + "}", expression);
}

IndexForm IndexForms::form(NodeId expression, int depth) const {
  const SyntaxTree& t = body_.tree();
  const NodeId at = t.bare(expression);
  if (at == kNoNode || depth > kMostDepth) return of_atom("?" + std::to_string(expression), at);
  const auto known = known_.find(at);
  if (known != known_.end()) return known->second;
  IndexForm made = found(at, depth);
  known_.emplace(at, made);
  return made;
}

IndexForm IndexForms::found(NodeId at, int depth) const {
  const SyntaxTree& t = body_.tree();
  if (t.is(at, "number_literal")) {
    const Value value = literal_value(t.text(at));
    return value.known ? of_number(value.number) : of_atom(std::string(t.text(at)), at);
  }
  if (t.is(at, "identifier")) return of_identifier(at, depth);
  if (t.is(at, "binary_expression")) return of_binary(at, depth);
  if (t.is(at, "unary_expression") && t.operator_of(at) == "-") {
    IndexForm negative;
    negative.add(form(t.field(at, "argument"), depth + 1), -1);
    return negative;
  }
  if (t.is(at, "cast_expression")) {
    const auto type = t.plain_text(t.field(at, "type"));
    if (is_integer_type(type)) return form(t.field(at, "value"), depth + 1);
  }
  if (t.is(at, "call_expression")) {
    const auto arguments = t.children(t.field(at, "arguments"));
    const auto name = t.plain_text(t.field(at, "function"));
    if (arguments.size() == 1 && (name == "int" || name == "static_cast<int>")) {
      return form(arguments.front(), depth + 1);
    }
  }
  if (t.is(at, "field_expression")) {
    const std::string text = t.plain_text(at);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const char letter = static_cast<char>('x' + axis);
      if (!is_block_fixed_) break;
      const std::int64_t extent = launch_.shape.block.at(axis);
      if (text == std::string("blockDim.") + letter) return of_number(extent);
      if (text == std::string("threadIdx.") + letter && extent == 1) return of_number(0);
    }
    return of_atom(text, at);
  }
  return of_others(at, depth);
}

}  // namespace warpmind::agents::builtin
