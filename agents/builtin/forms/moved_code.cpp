#include "agents/builtin/forms/moved_code.h"

#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// "unsigned int" and "unsigned" are one type.
std::string_view short_type(std::string_view type) {
  return type == "unsigned int" ? std::string_view("unsigned") : type;
}

/// Whether the expression is an element of an array of that type.
bool has_type(const KernelBody& body, NodeId expression, std::string_view type) {
  const NodeId at = body.tree().bare(expression);
  return std::any_of(body.accesses().begin(), body.accesses().end(), [&](const auto& access) {
    return access.node == at && short_type(body.element_type(access.pointer)) == short_type(type);
  });
}

/// Adds the edits for what stands below `node`; false: a local variable has no plain value.
bool edit_below(const KernelBody& body, NodeId node, const NodeTexts& replaced,
                std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  if (const auto found = replaced.find(node); found != replaced.end()) {
    edits.push_back({tree.node(node).range, found->second});
    return true;
  }
  if (tree.is(node, "identifier")) {
    const Local* local = body.local_of(node);
    if (local == nullptr) return true;
    if (local->value == kNoNode || local->is_array || local->is_pointer || local->is_reference ||
        body.written_in(*local, body.function().body)) {
      return false;
    }
    auto value = closed_value(body, local->value, replaced);
    if (!value) return false;
    const bool keeps_type = local->type == "auto" || has_type(body, local->value, local->type);
    const bool is_word = std::all_of(value->begin(), value->end(), is_word_character);
    std::string text = keeps_type ? "" : "static_cast<" + local->type + ">";
    text += is_word && keeps_type ? *value : "(" + *value + ")";
    edits.push_back({tree.node(node).range, std::move(text)});
    return true;
  }
  for (const NodeId child : tree.all_children(node)) {
    if (!edit_below(body, child, replaced, edits)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> closed_value(const KernelBody& body, NodeId expression,
                                        const NodeTexts& replaced) {
  std::vector<TextEdit> edits;
  if (expression == kNoNode || !edit_below(body, expression, replaced, edits)) return std::nullopt;
  const SyntaxTree& tree = body.tree();
  return edited_part(tree.source(), tree.node(expression).range, edits);
}

std::string moved_text(const SyntaxTree& tree, Range range, const NodeTexts& replaced) {
  std::vector<TextEdit> edits;
  for (const auto& [node, text] : replaced) {
    const Range& at = tree.node(node).range;
    const bool is_inner = std::any_of(replaced.begin(), replaced.end(), [&](const auto& other) {
      return other.first != node && tree.contains(other.first, node);
    });
    if (!is_inner && at.begin >= range.begin && at.end <= range.end) edits.push_back({at, text});
  }
  return edited_part(tree.source(), range, edits);
}

void MovedParameters::use(std::string_view text) {
  for (const Parameter& parameter : function_->parameters) {
    if (contains_word(text, parameter.name)) used_.insert(parameter.name);
  }
}

std::vector<std::string> MovedParameters::declarations() const {
  std::vector<std::string> all;
  for (const Parameter& parameter : function_->parameters) {
    if (used_.contains(parameter.name)) all.push_back(parameter.type + " " + parameter.name);
  }
  return all;
}

std::string MovedParameters::members() const {
  std::string text;
  for (const Parameter& parameter : function_->parameters) {
    if (used_.contains(parameter.name)) {
      text += "  " + parameter.type + " given_" + parameter.name + ";\n";
    }
  }
  return text;
}

std::string MovedParameters::declared_list() const { return join_text(declarations(), ", "); }

std::string MovedParameters::passed_list() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : function_->parameters) {
    if (used_.contains(parameter.name)) names.push_back("given_" + parameter.name);
  }
  return join_text(names, ", ");
}

std::vector<std::string> MovedParameters::arguments(const std::vector<std::string>& given) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < function_->parameters.size() && i < given.size(); ++i) {
    if (used_.contains(function_->parameters[i].name)) all.push_back(given[i]);
  }
  return all;
}

}  // namespace warpmind::agents::builtin
