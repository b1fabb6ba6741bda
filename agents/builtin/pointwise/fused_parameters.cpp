#include "agents/builtin/pointwise/fused_parameters.h"

#include "agents/builtin/pointwise/pure_code.h"

#include <algorithm>
#include <cctype>

namespace warpmind::agents::builtin {
namespace {

bool is_plain_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

FusedParameters::FusedParameters(const Scene& scene, const std::array<std::size_t, 2>& launches,
                                 const std::set<std::string>& written)
    : scene_(scene), written_(written) {
  const SyntaxTree& tree = scene.tree();
  for (const std::size_t launch : launches) {
    const Function& function = *scene.function_of(launch);
    for (const NodeId at : tree.descendants(function.body)) {
      if (tree.node(at).first_child != kNoNode || !tree.node(at).is_named) continue;
      if (tree.is(at, "field_identifier")) continue;
      if (function.parameter(tree.text(at)) == nullptr) taken_.emplace(tree.text(at));
    }
  }
  for (const auto& function : scene.source().functions) taken_.insert(function.name);
  for (const auto& [name, value] : scene.source().constants()) taken_.insert(name);
  for (std::size_t which = 0; which < 2; ++which) {
    const Function& function = *scene.function_of(launches[which]);
    const auto& arguments = scene.plan().launches[launches[which]].arguments;
    if (arguments.size() != function.parameters.size()) {
      refusal_ = "'" + function.name + "' is not given an argument for each parameter";
      return;
    }
    for (std::size_t p = 0; p < arguments.size(); ++p) {
      add(function, function.parameters[p], arguments[p], which);
    }
  }
  std::stable_partition(parameters_.begin(), parameters_.end(), [&](const auto& parameter) {
    return elements_.contains(parameter.argument);
  });
}

void FusedParameters::add(const Function& function, const Parameter& parameter,
                          const std::string& argument, std::size_t which) {
  const std::string type = parameter.is_pointer ? parameter.base_type + "*" : parameter.type;
  if (type.find('&') != std::string::npos || type.find("**") != std::string::npos ||
      declares(scene_.tree(), function.body, parameter.name)) {
    refusal_ = "'" + parameter.name + "' of '" + function.name + "' cannot be renamed";
    return;
  }
  const auto known = types_.find(argument);
  if (known != types_.end()) {
    renamings_[which][parameter.name] = name_of(argument);
    if (known->second != type) refusal_ = "'" + argument + "' is bound with two types";
    return;
  }
  types_[argument] = type;
  const std::string name = fresh(is_plain_name(argument) ? argument : parameter.name);
  renamings_[which][parameter.name] = name;
  FusedParameter fused{name, argument, type + " " + name};
  if (parameter.is_pointer) {
    elements_[argument] = parameter.base_type;
    if (!written_.contains(argument)) fused.declaration.insert(0, "const ");
  }
  parameters_.push_back(std::move(fused));
}

std::string FusedParameters::name_of(const std::string& argument) const {
  for (const auto& parameter : parameters_) {
    if (parameter.argument == argument) return parameter.name;
  }
  return {};
}

std::string FusedParameters::element_of(const std::string& argument) const {
  const auto found = elements_.find(argument);
  return found == elements_.end() ? std::string() : found->second;
}

void FusedParameters::drop(const std::string& argument) {
  std::erase_if(parameters_, [&](const auto& known) { return known.argument == argument; });
}

std::string FusedParameters::fresh(const std::string& wish) {
  std::string name = wish;
  for (int number = 1; taken_.contains(name); ++number) {
    name = "wm_" + wish + (number == 1 ? "" : std::to_string(number));
  }
  taken_.insert(name);
  return name;
}

std::vector<TextEdit> renaming_edits(const SyntaxTree& tree, NodeId node,
                                     const Renaming& renaming) {
  std::vector<TextEdit> edits;
  for (const NodeId use : tree.descendants(node, "identifier")) {
    const auto found = renaming.find(tree.text(use));
    if (found == renaming.end() || found->first == found->second) continue;
    edits.push_back({tree.node(use).range, found->second});
  }
  return edits;
}

}  // namespace warpmind::agents::builtin
