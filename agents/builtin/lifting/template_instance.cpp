#include "agents/builtin/lifting/template_instance.h"

namespace warpmind::agents::builtin {
namespace {

struct TemplateParameter {
  std::string name;
  std::string type;  ///< "int"; empty for a type parameter
};

NodeId header_of(const SyntaxTree& tree, const Function& kernel) {
  const NodeId parent = tree.node(kernel.node).parent;
  return tree.is(parent, "template_declaration") ? parent : kNoNode;
}

Result<std::vector<TemplateParameter>> parameters_of(const SyntaxTree& tree, NodeId header) {
  std::vector<TemplateParameter> parameters;
  for (const NodeId node : tree.children(tree.field(header, "parameters"))) {
    const bool is_value =
        tree.is(node, "parameter_declaration") || tree.is(node, "optional_parameter_declaration");
    const NodeId name = tree.declared(tree.field(node, "declarator"));
    if (is_value && name != kNoNode) {
      parameters.push_back(
          {std::string(tree.text(name)), tree.plain_text(tree.field(node, "type"))});
      continue;
    }
    const bool is_type = tree.is(node, "type_parameter_declaration") ||
                         tree.is(node, "optional_type_parameter_declaration");
    const auto parts = tree.children(node);
    if (!is_type || parts.empty()) {
      return fail(Errc::invalid_argument, "it is an instance of a template with the parameter '" +
                                              tree.plain_text(node) + "'");
    }
    parameters.push_back({std::string(tree.text(parts.front())), ""});
  }
  return parameters;
}

}  // namespace

std::vector<std::string> template_arguments(std::string_view demangled) {
  std::vector<std::string> arguments;
  const auto open = demangled.find('<');
  if (open == std::string_view::npos) return arguments;
  int depth = 0;
  std::string current;
  for (const char letter : demangled.substr(open)) {
    const bool opens = letter == '<' || letter == '(';
    const bool closes = letter == '>' || letter == ')';
    depth += opens ? 1 : 0;
    depth -= closes ? 1 : 0;
    if (depth == 0 || (depth == 1 && letter == ',')) {
      arguments.push_back(current);
      current.clear();
      if (depth == 0) break;
      continue;
    }
    const bool is_first = depth == 1 && opens;
    const bool leads = letter == ' ' && current.empty();
    if (!is_first && !leads) current += letter;
  }
  return arguments;
}

Result<TemplateValues> template_values(const CudaSource& source, const Function& kernel,
                                       const std::vector<std::string>& arguments) {
  const SyntaxTree& tree = source.tree;
  const NodeId header = header_of(tree, kernel);
  if (header == kNoNode || arguments.empty()) {
    return fail(Errc::invalid_argument, "it is an instance of a template");
  }
  if (tree.is(tree.node(header).parent, "template_declaration")) {
    return fail(Errc::invalid_argument, "it is an instance of a template in a template");
  }
  WARPMIND_TRY(const auto parameters, parameters_of(tree, header));
  if (parameters.size() != arguments.size()) {
    return fail(Errc::invalid_argument, "it is an instance of a template with " +
                                            std::to_string(arguments.size()) + " arguments for " +
                                            std::to_string(parameters.size()) + " parameters");
  }
  TemplateValues values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values[parameters[i].name] = arguments[i];
  }
  return values;
}

std::vector<TextEdit> instance_edits(const CudaSource& source, const Function& kernel,
                                     const TemplateValues& values) {
  const SyntaxTree& tree = source.tree;
  const NodeId header = header_of(tree, kernel);
  const auto parameters = parameters_of(tree, header);
  if (!parameters) return {};
  std::vector<TextEdit> edits;
  edits.push_back({{tree.node(header).range.begin, tree.node(kernel.node).range.begin}, ""});
  std::string constants;
  for (const auto& [name, type] : *parameters) {
    const auto value = values.find(name);
    if (value == values.end()) continue;
    constants += type.empty() ? "\n  using " : "\n  constexpr " + type + " ";
    constants.append(name).append(" = ").append(value->second).append(";");
  }
  const Range body = tree.node(kernel.body).range;
  for (const NodeId node : tree.descendants(kernel.node)) {
    if (!tree.is(node, "identifier") && !tree.is(node, "type_identifier")) continue;
    if (tree.node(node).range.begin >= body.begin) continue;
    const auto value = values.find(tree.text(node));
    if (value != values.end()) edits.push_back({tree.node(node).range, value->second});
  }
  edits.push_back({{body.begin + 1, body.begin + 1}, constants});
  return edits;
}

}  // namespace warpmind::agents::builtin
