#pragma once
/// \file
/// Index expressions of a kernel as sums: numbers times what cannot be taken apart. Locals that are
/// set once stand for their values, so two spellings of one index have one form.

#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/scene.h"

#include <map>
#include <optional>
#include <string>

namespace warpmind::agents::builtin {

struct IndexForm {
  /// What is multiplied, by its spelling without locals; how often, and a place where it stands.
  struct Term {
    std::int64_t factor = 0;
    NodeId node = kNoNode;
  };
  std::map<std::string, Term, std::less<>> terms;
  std::int64_t constant = 0;

  [[nodiscard]] std::string spelling() const;
  void add(const IndexForm& other, std::int64_t times);
};

/// `(text)`, but a name or a number as it is: `(n) + 1` may be read as a cast.
[[nodiscard]] std::string in_parentheses(const std::string& text);

class IndexForms {
 public:
  /// Both must outlive it. Where all launches have one block shape, its extents are numbers.
  IndexForms(const KernelBody& body, const SceneLaunch& launch, bool is_block_fixed);

  [[nodiscard]] IndexForm form(NodeId expression) const { return form(expression, 0); }
  [[nodiscard]] std::string spelling(NodeId expression) const {
    return form(expression).spelling();
  }
  /// Where it is the same for every thread and size.
  [[nodiscard]] std::optional<std::int64_t> constant(NodeId expression) const;
  /// The local with the value that an identifier stands for, set once where it is declared.
  [[nodiscard]] const Local* set_once(NodeId identifier) const;
  [[nodiscard]] const KernelBody& body() const { return body_; }

 private:
  [[nodiscard]] IndexForm form(NodeId expression, int depth) const;
  [[nodiscard]] IndexForm found(NodeId at, int depth) const;
  [[nodiscard]] IndexForm of_identifier(NodeId expression, int depth) const;
  [[nodiscard]] IndexForm of_binary(NodeId expression, int depth) const;
  [[nodiscard]] IndexForm of_others(NodeId expression, int depth) const;

  const KernelBody& body_;
  const SceneLaunch& launch_;
  bool is_block_fixed_;
  ProbeProgram program_;
  mutable std::map<NodeId, IndexForm> known_;
};

}  // namespace warpmind::agents::builtin
