#pragma once
/// \file
/// Which techniques apply to a kernel, where, and what they would write: for people and editors.

#include "agents/builtin/technique.h"
#include "agents/proposer.h"
#include "base/model/explained_technique.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// What to explain: everything, one technique, or one move of it.
struct MoveFilter {
  std::string technique;
  std::string parameters;  ///< only with `technique`; then `rewritten` is by this move
};

/// In the order of the table. Errors: invalid_argument for a source that cannot be read, not_found
/// for a technique or a move that there is not (with those that there are).
[[nodiscard]] Result<std::vector<ExplainedTechnique>> explain_moves(
    const ProposalContext& context, const MoveFilter& filter,
    const std::vector<Technique>& table = techniques());

/// The normal forms that are found in the kernel as given or, where there is none, in plain
/// spelling; and those of its kernels without their tiles. Errors: invalid_argument for a source
/// that cannot be read.
[[nodiscard]] Result<std::vector<ExplainedForm>> explain_forms(const ProposalContext& context);

}  // namespace warpmind::agents::builtin
