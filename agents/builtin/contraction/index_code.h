#pragma once
/// \file
/// The statements and expressions of a kernel that compute its indices, as they stand in code that
/// is moved out of it: numbers of outputs and terms come from names of the template.

#include "agents/builtin/contraction/contraction.h"
#include "agents/builtin/contraction/digit_text.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// `scene` and `what` must outlive it.
class IndexCode {
 public:
  IndexCode(const Scene& scene, const Contraction& what);

  /// The first use of a variable that the load functions leave out, or empty.
  [[nodiscard]] std::string left_out() const;

  /// Whether a statement before the sum has to do with indices.
  [[nodiscard]] bool is_kept(NodeId statement) const;

  [[nodiscard]] std::string parameter_written_by(NodeId statement) const;

  [[nodiscard]] bool is_replaced(NodeId node) const;

  [[nodiscard]] std::string part(NodeId node) const;

  /// The loop variables of term `wm_k`, and what the loops compute from them.
  [[nodiscard]] std::string term_code(const ContractionSide& side, const std::set<NodeId>& needed,
                                      std::string_view none = "nullptr") const;

  /// Statements before the sum that the operand's address and its guards need.
  [[nodiscard]] std::set<NodeId> needed_by(const ContractionSide& side,
                                           const std::vector<NodeId>& used) const;

  [[nodiscard]] std::string prologue(const std::set<NodeId>& needed) const;

  [[nodiscard]] std::vector<std::string> names_of(const std::string& index) const;

  /// Of the loop at `level`: "wm_trips_0".
  static std::string trips(std::size_t level) { return "wm_trips_" + std::to_string(level); }
  /// Names that moved code has in place of the kernel's.
  [[nodiscard]] const std::vector<TextEdit>& renames() const { return renames_; }
  [[nodiscard]] const ProbeProgram& program() const { return program_; }

 private:
  void find_integers();

  /// Whether an `auto` variable holds an element and no index.
  [[nodiscard]] bool is_operand_value(NodeId declarator) const;

  /// Variables that number the outputs get their digit instead of what they are computed from.
  void replace_digits();

  [[nodiscard]] std::string value_at(const NestLevel& level, const std::string& number) const;

  [[nodiscard]] std::string guard(const NestItem& item, std::string_view none) const;

  void add_names(NodeId node, std::set<std::string_view>& names) const;

  [[nodiscard]] bool provides(NodeId statement, const std::set<std::string_view>& names) const;

  const SyntaxTree& tree_;
  const Contraction& what_;
  ProbeProgram program_;
  std::set<std::string_view> integers_;
  std::set<std::string_view> floats_;
  std::vector<NodeId> replaced_;  ///< values of variables that number the outputs
  std::vector<TextEdit> renames_;
};

}  // namespace warpmind::agents::builtin
