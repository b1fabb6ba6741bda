#include "agents/builtin/templates/device_templates.h"

#include <string>

namespace warpmind::agents::builtin {
namespace {

/// Includes below the first function are not looked at: what is pasted must stand above it.
std::size_t end_of_includes(const SyntaxTree& tree) {
  const auto functions = tree.descendants(tree.root(), "function_definition");
  std::size_t at = 0;
  for (const NodeId include : tree.descendants(tree.root(), "preproc_include")) {
    if (!functions.empty() && include > functions.front()) break;
    if (tree.node(include).parent == tree.root()) at = tree.node(include).range.end;
  }
  return at;
}

}  // namespace

std::optional<TextEdit> paste_device_code(const SyntaxTree& tree, std::string_view code) {
  if (tree.source().find(code.substr(0, code.find('\n'))) != std::string::npos) {
    return std::nullopt;
  }
  const std::size_t at = end_of_includes(tree);
  std::string text = std::string(code) + "\n";
  if (at > 0) text.insert(0, tree.source()[at - 1] == '\n' ? "\n" : "\n\n");
  return TextEdit{{at, at}, std::move(text)};
}

std::optional<TextEdit> paste_template(const SyntaxTree& tree, std::string_view name) {
  const std::string file = "templates/" + std::string(name) + ".cuh";
  for (const auto& known : device_template_files()) {
    if (known.name == file) return paste_device_code(tree, known.content);
  }
  return std::nullopt;
}

}  // namespace warpmind::agents::builtin
