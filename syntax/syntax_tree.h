#pragma once
/// \file
/// The syntax of one CUDA source, as values: parsed with the tree-sitter CUDA grammar, then kept
/// without it. Node kinds and field names are the grammar's ("for_statement", "condition").

#include "base/result.h"
#include "syntax/text_edit.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::syntax {

/// Position of a node in its tree. `kNoNode` stands for an absent one; every query of a tree takes
/// it and answers empty.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

struct SyntaxNode {
  std::string_view kind;   ///< static text of the grammar; "ERROR" where it found no rule
  std::string_view field;  ///< role in the parent, or empty
  Range range;             ///< bytes of the source
  NodeId parent = kNoNode;
  NodeId first_child = kNoNode;
  NodeId next_sibling = kNoNode;
  NodeId end = 0;          ///< nodes below are those in (this, end): they lie in preorder
  bool is_named = false;   ///< false: punctuation and operators
  bool has_error = false;  ///< it or a node below is an error or was made up by the parser
};

class SyntaxTree {
 public:
  /// The whole source as one tree; never fails on strange text, it then holds errors.
  /// Errors: invalid_argument when the source is larger than 4 MiB or nested deeper than 2000.
  [[nodiscard]] static Result<SyntaxTree> parse(std::string source);

  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const SyntaxNode& node(NodeId id) const { return nodes_[id]; }
  [[nodiscard]] NodeId root() const { return 0; }

  [[nodiscard]] bool is(NodeId id, std::string_view kind) const;
  [[nodiscard]] std::string_view text(NodeId id) const;
  /// Without comments, runs of white space made one space: for comparing, not for emitting.
  [[nodiscard]] std::string plain_text(NodeId id) const;
  /// First child with that field name.
  [[nodiscard]] NodeId field(NodeId id, std::string_view name) const;
  /// Named children but comments, in order.
  [[nodiscard]] std::vector<NodeId> children(NodeId id) const;
  /// Children of any sort, punctuation included.
  [[nodiscard]] std::vector<NodeId> all_children(NodeId id) const;
  /// The operator of a unary, binary, assignment or update expression: "+", "+=", "++", "&".
  [[nodiscard]] std::string_view operator_of(NodeId id) const;
  /// Nodes of `kind` at or below `id`, in source order; all nodes when `kind` is empty.
  [[nodiscard]] std::vector<NodeId> descendants(NodeId id, std::string_view kind = {}) const;
  /// Nearest node of `kind` above `id`, below or at `limit`.
  [[nodiscard]] NodeId ancestor(NodeId id, std::string_view kind, NodeId limit = 0) const;
  [[nodiscard]] bool contains(NodeId outer, NodeId inner) const;
  /// Identifiers of that name at or below `id`, fields and types of the same name apart.
  [[nodiscard]] std::vector<NodeId> uses(NodeId id, std::string_view name) const;
  /// The identifier that a declarator declares: `x` of `*x`, `x[3]`, `x = 2`, `&x`.
  [[nodiscard]] NodeId declared(NodeId declarator) const;
  /// Without parentheses around it.
  [[nodiscard]] NodeId bare(NodeId expression) const;

 private:
  std::string source_;
  std::vector<SyntaxNode> nodes_;
};

}  // namespace warpmind::syntax
