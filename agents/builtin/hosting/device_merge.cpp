#include "agents/builtin/hosting/device_merge.h"

#include "base/text.h"

#include <algorithm>
#include <string_view>

namespace warpmind::agents::builtin {
namespace {

/// Something at file level: a definition, a directive, a comment.
struct Item {
  NodeId node = kNoNode;
  Range range;
  std::string plain;  ///< for comparing; empty for a comment
  const Function* kernel = nullptr;
  const Function* function = nullptr;  ///< not a kernel
  std::vector<std::string> names;      ///< that it declares, functions apart
};

bool is_flat(const SyntaxTree& tree, NodeId node) {
  if (tree.is(node, "namespace_definition")) return tree.field(node, "name") == kNoNode;
  return tree.is(node, "linkage_specification");
}

std::vector<std::string> names_of(const SyntaxTree& tree, NodeId node) {
  std::vector<std::string> names;
  const auto add = [&](NodeId name) {
    if (name != kNoNode) names.emplace_back(tree.text(name));
  };
  if (tree.is(node, "template_declaration")) {
    for (const NodeId child : tree.children(node)) {
      for (auto& name : names_of(tree, child)) names.push_back(std::move(name));
    }
    return names;
  }
  if (tree.is(node, "declaration") || tree.is(node, "type_definition")) {
    add(tree.field(tree.field(node, "type"), "name"));
    for (const NodeId child : tree.children(node)) {
      const auto field = tree.node(child).field;
      if (field != "declarator") continue;
      if (tree.is(child, "function_declarator")) continue;  // may be said again
      add(tree.is(child, "init_declarator") ? tree.declared(tree.field(child, "declarator"))
                                            : tree.declared(child));
    }
    return names;
  }
  if (!tree.is(node, "function_definition")) add(tree.field(node, "name"));
  return names;
}

const Function* function_at(const CudaSource& source, NodeId node) {
  for (const auto& function : source.functions) {
    const NodeId parent = source.tree.node(function.node).parent;
    if (function.node == node) return &function;
    if (parent == node && source.tree.is(node, "template_declaration")) return &function;
  }
  return nullptr;
}

void collect(const CudaSource& source, NodeId parent, std::vector<Item>& items) {
  const SyntaxTree& tree = source.tree;
  for (const NodeId node : tree.all_children(parent)) {
    if (tree.text(node) == ";" && !items.empty() &&
        items.back().range.end <= tree.node(node).range.begin) {
      items.back().range.end = tree.node(node).range.end;  // of `struct S {…};`
      continue;
    }
    if (!tree.node(node).is_named) continue;
    if (is_flat(tree, node)) {
      const NodeId body = tree.field(node, "body");
      if (tree.is(body, "declaration_list")) {
        collect(source, body, items);
      } else {
        collect(source, node, items);
      }
      continue;
    }
    if (tree.is(node, "string_literal")) continue;  // of extern "C"
    Item item;
    item.node = node;
    item.range = tree.node(node).range;
    if (!tree.is(node, "comment")) item.plain = tree.plain_text(node);
    const Function* const function = function_at(source, node);
    (function != nullptr && function->kind == FunctionKind::kernel ? item.kernel : item.function) =
        function;
    if (function == nullptr) item.names = names_of(tree, node);
    items.push_back(std::move(item));
  }
}

std::vector<Item> items_of(const CudaSource& source) {
  std::vector<Item> items;
  collect(source, source.tree.root(), items);
  return items;
}

bool is_directive(const SyntaxTree& tree, NodeId node) {
  return tree.node(node).kind.starts_with("preproc_");
}

/// The names that get another one, with a reason against it.
Result<void> check_renames(const CudaSource& rewritten, const std::vector<const Item*>& added,
                           const std::map<std::string, std::string>& renames) {
  for (const auto& [name, unused] : renames) {
    const auto same = std::count_if(rewritten.functions.begin(), rewritten.functions.end(),
                                    [&, key = name](const Function& f) { return f.name == key; });
    if (same > 1) {
      return fail(Errc::invalid_argument, "several functions are called '" + name + "'");
    }
    for (const Item* const item : added) {
      if (is_directive(rewritten.tree, item->node) &&
          contains_word(rewritten.tree.text(item->node), name)) {
        return fail(Errc::invalid_argument, "a macro names '" + name + "'");
      }
    }
  }
  return {};
}

/// The item with its names replaced; kernels are local to the file.
std::string renamed(const CudaSource& rewritten, const Item& item,
                    const std::map<std::string, std::string>& renames) {
  const SyntaxTree& tree = rewritten.tree;
  std::vector<TextEdit> edits;
  for (const auto& [from, to] : renames) {
    for (const NodeId use : tree.uses(item.node, from)) edits.push_back({tree.node(use).range, to});
  }
  std::string text = edited_part(tree.source(), item.range, edits);
  if (item.kernel != nullptr && !item.kernel->is_template) text.insert(0, "static ");
  return text + "\n";
}

}  // namespace

DeviceMerge::DeviceMerge(const CudaSource& program) : program_(program) {
  for (const auto& item : items_of(program)) {
    if (!item.plain.empty()) said_.insert(item.plain);
    names_.insert(item.names.begin(), item.names.end());
  }
  for (const auto& function : program.functions) names_.insert(function.name);
}

std::string DeviceMerge::free_name(const std::string& wish) {
  std::string name = wish;
  const auto is_taken = [&] {
    return names_.contains(name) || contains_word(program_.tree.source(), name);
  };
  for (int i = 2; is_taken(); ++i) name = wish + "_" + std::to_string(i);
  names_.insert(name);
  return name;
}

Result<DeviceMerge::Addition> DeviceMerge::add(const std::string& part, const CudaSource& rewritten,
                                               const std::set<std::string>& kernels) {
  const auto items = items_of(rewritten);
  std::vector<const Item*> added;
  std::map<std::string, std::string> renames;
  std::set<std::string> declared;
  const std::string prefix = "wm_" + part;
  const std::string prefix_of = prefix + "_";
  Addition addition;
  for (const auto& item : items) {
    if (item.kernel != nullptr) {
      const std::string& name = item.kernel->name;
      if (!kernels.contains(name)) continue;
      renames[name] = free_name(name == part ? prefix : prefix_of + name);
      addition.kernels[name] = renames[name];
      added.push_back(&item);
      continue;
    }
    if (item.plain.empty() || said_.contains(item.plain)) continue;
    for (const auto& name : item.names) {
      if (!names_.contains(name)) continue;
      return fail(Errc::invalid_argument, "'" + name + "' would stand for two things");
    }
    if (item.function != nullptr && names_.contains(item.function->name)) {
      const std::string& name = item.function->name;
      renames[name] = free_name(prefix_of + name);
    }
    added.push_back(&item);
  }
  WARPMIND_CHECK(check_renames(rewritten, added, renames));
  for (const Item* const item : added) {
    addition.text += renamed(rewritten, *item, renames);
    if (item->kernel != nullptr) continue;
    // What another part adds, too, is said once; what was renamed is this part's alone.
    const bool own = item->function != nullptr && renames.contains(item->function->name);
    if (!own) said_.insert(item->plain);
    if (!own && item->function != nullptr) declared.insert(item->function->name);
    declared.insert(item->names.begin(), item->names.end());
  }
  names_.insert(declared.begin(), declared.end());
  for (const auto& kernel : kernels) {
    if (!addition.kernels.contains(kernel)) {
      return fail(Errc::invalid_argument, "the rewritten code has no kernel '" + kernel + "'");
    }
  }
  return addition;
}

}  // namespace warpmind::agents::builtin
