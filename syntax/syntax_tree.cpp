#include "syntax/syntax_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <tree_sitter/api.h>

extern "C" const TSLanguage* tree_sitter_cuda();

namespace warpmind::syntax {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostDepth = 2000;

/// Appends what the cursor stands on and everything below. Errors: invalid_argument, too deep.
class TreeCopy {
 public:
  TreeCopy(std::vector<SyntaxNode>& nodes, TSTreeCursor& cursor) : nodes_(nodes), cursor_(cursor) {}

  Result<void> run() {
    add(kNoNode);
    std::vector<NodeId> path{0};
    while (!path.empty()) {
      if (ts_tree_cursor_goto_first_child(&cursor_)) {
        if (path.size() >= kMostDepth) {
          return fail(Errc::invalid_argument, "the source is nested deeper than " +
                                                  std::to_string(kMostDepth) +
                                                  " levels; split it into smaller expressions");
        }
        const NodeId child = add(path.back());
        nodes_[path.back()].first_child = child;
        path.push_back(child);
        continue;
      }
      while (!path.empty() && !ts_tree_cursor_goto_next_sibling(&cursor_)) {
        nodes_[path.back()].end = static_cast<NodeId>(nodes_.size());
        path.pop_back();
        ts_tree_cursor_goto_parent(&cursor_);
      }
      if (path.empty()) break;
      const NodeId previous = path.back();
      nodes_[previous].end = static_cast<NodeId>(nodes_.size());
      const NodeId sibling = add(nodes_[previous].parent);
      nodes_[previous].next_sibling = sibling;
      path.back() = sibling;
    }
    return {};
  }

 private:
  NodeId add(NodeId parent) {
    const TSNode seen = ts_tree_cursor_current_node(&cursor_);
    const char* field = ts_tree_cursor_current_field_name(&cursor_);
    SyntaxNode node;
    node.kind = ts_node_type(seen);
    if (field != nullptr) node.field = field;
    node.range = {ts_node_start_byte(seen), ts_node_end_byte(seen)};
    node.parent = parent;
    node.is_named = ts_node_is_named(seen);
    node.has_error = ts_node_has_error(seen) || ts_node_is_missing(seen);
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }

  std::vector<SyntaxNode>& nodes_;
  TSTreeCursor& cursor_;
};

}  // namespace

Result<SyntaxTree> SyntaxTree::parse(std::string source) {
  if (source.size() > kMostBytes) {
    return fail(Errc::invalid_argument, "the source has " + std::to_string(source.size()) +
                                            " bytes; at most " + std::to_string(kMostBytes) +
                                            " are read");
  }
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                      ts_parser_delete);
  if (!parser || !ts_parser_set_language(parser.get(), tree_sitter_cuda())) {
    return fail(Errc::unavailable, "the CUDA grammar does not fit the parser runtime");
  }
  SyntaxTree tree;
  tree.source_ = std::move(source);
  const std::unique_ptr<TSTree, decltype(&ts_tree_delete)> parsed(
      ts_parser_parse_string(parser.get(), nullptr, tree.source_.data(),
                             static_cast<std::uint32_t>(tree.source_.size())),
      ts_tree_delete);
  if (!parsed) return fail(Errc::unavailable, "the source could not be parsed");
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(parsed.get()));
  auto copied = TreeCopy(tree.nodes_, cursor).run();
  ts_tree_cursor_delete(&cursor);
  if (!copied) return tl::unexpected(copied.error());
  return tree;
}

bool SyntaxTree::is(NodeId id, std::string_view kind) const {
  return id != kNoNode && nodes_[id].kind == kind;
}

std::string_view SyntaxTree::text(NodeId id) const {
  if (id == kNoNode) return {};
  const Range range = nodes_[id].range;
  return std::string_view(source_).substr(range.begin, range.end - range.begin);
}

std::string SyntaxTree::plain_text(NodeId id) const {
  std::string plain;
  if (id == kNoNode) return plain;
  std::size_t at = nodes_[id].range.begin;
  const auto append = [&](std::size_t end) {
    for (; at < end; ++at) {
      const bool space = std::isspace(static_cast<unsigned char>(source_[at])) != 0;
      if (!space) plain += source_[at];
      if (space && !plain.empty() && plain.back() != ' ') plain += ' ';
    }
  };
  for (const NodeId comment : descendants(id, "comment")) {
    append(nodes_[comment].range.begin);
    at = nodes_[comment].range.end;
  }
  append(nodes_[id].range.end);
  if (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

NodeId SyntaxTree::field(NodeId id, std::string_view name) const {
  if (id == kNoNode) return kNoNode;
  NodeId child = nodes_[id].first_child;
  while (child != kNoNode && nodes_[child].field != name) child = nodes_[child].next_sibling;
  return child;
}

std::vector<NodeId> SyntaxTree::all_children(NodeId id) const {
  std::vector<NodeId> found;
  if (id == kNoNode) return found;
  for (NodeId child = nodes_[id].first_child; child != kNoNode;
       child = nodes_[child].next_sibling) {
    found.push_back(child);
  }
  return found;
}

std::vector<NodeId> SyntaxTree::children(NodeId id) const {
  auto found = all_children(id);
  std::erase_if(found, [&](NodeId child) {
    return !nodes_[child].is_named || nodes_[child].kind == "comment";
  });
  return found;
}

std::string_view SyntaxTree::operator_of(NodeId id) const {
  for (const NodeId child : all_children(id)) {
    if (nodes_[child].field == "operator") return text(child);
  }
  static constexpr std::array<std::string_view, 5> kHolders{
      "unary_expression", "binary_expression", "assignment_expression", "update_expression",
      "pointer_expression"};
  if (id == kNoNode ||
      std::find(kHolders.begin(), kHolders.end(), nodes_[id].kind) == kHolders.end()) {
    return {};
  }
  for (const NodeId child : all_children(id)) {
    if (!nodes_[child].is_named) return text(child);
  }
  return {};
}

std::vector<NodeId> SyntaxTree::descendants(NodeId id, std::string_view kind) const {
  std::vector<NodeId> found;
  if (id == kNoNode) return found;
  for (NodeId at = id; at < nodes_[id].end; ++at) {
    if (kind.empty() || nodes_[at].kind == kind) found.push_back(at);
  }
  return found;
}

NodeId SyntaxTree::ancestor(NodeId id, std::string_view kind, NodeId limit) const {
  if (id == kNoNode || id == limit) return kNoNode;
  for (NodeId up = nodes_[id].parent; up != kNoNode; up = nodes_[up].parent) {
    if (nodes_[up].kind == kind) return up;
    if (up == limit) break;
  }
  return kNoNode;
}

bool SyntaxTree::contains(NodeId outer, NodeId inner) const {
  return outer != kNoNode && inner >= outer && inner < nodes_[outer].end;
}

std::vector<NodeId> SyntaxTree::uses(NodeId id, std::string_view name) const {
  auto found = descendants(id, "identifier");
  std::erase_if(found, [&](NodeId use) { return text(use) != name; });
  return found;
}

NodeId SyntaxTree::declared(NodeId declarator) const {
  for (NodeId at = declarator; at != kNoNode;) {
    if (is(at, "identifier")) return at;
    NodeId next = field(at, "declarator");
    if (next == kNoNode) {  // a reference declarator has no field for its name
      const auto named = children(at);
      next = named.empty() ? kNoNode : named.back();
    }
    at = next;
  }
  return kNoNode;
}

NodeId SyntaxTree::bare(NodeId expression) const {
  NodeId at = expression;
  while (is(at, "parenthesized_expression") || is(at, "condition_clause")) {
    const auto inner = children(at);
    if (inner.size() != 1) break;
    at = inner.front();
  }
  return at;
}

}  // namespace warpmind::syntax
