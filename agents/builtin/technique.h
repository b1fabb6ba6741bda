#pragma once
/// \file
/// The small built-in techniques: mechanical edits that any kernel can be offered.

#include "agents/proposer.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// One technique: which variants are legal on a kernel, and the edit itself.
/// Both functions are pure; `apply` returns nullopt when nothing would change.
struct Technique {
  std::string_view name;
  std::string_view rationale;  ///< why it can help, one sentence
  std::vector<Move> (*moves)(const ProposalContext& context);
  std::optional<Kernel> (*apply)(const Kernel& kernel, std::string_view parameters);
};

/// block_size, launch_bounds, restrict, unroll, fast_math, fast_intrinsics, register_limit.
[[nodiscard]] const std::vector<Technique>& techniques();

// Plan edits (plan_techniques.cpp).
[[nodiscard]] std::vector<Move> block_size_moves(const ProposalContext& context);
[[nodiscard]] std::optional<Kernel> apply_block_size(const Kernel& kernel,
                                                     std::string_view parameters);
[[nodiscard]] std::vector<Move> register_limit_moves(const ProposalContext& context);
[[nodiscard]] std::optional<Kernel> apply_build_flag(const Kernel& kernel,
                                                     std::string_view parameters);
[[nodiscard]] std::vector<Move> fast_math_moves(const ProposalContext& context);

// Source edits (source_techniques.cpp).
[[nodiscard]] std::vector<Move> launch_bounds_moves(const ProposalContext& context);
[[nodiscard]] std::optional<Kernel> apply_launch_bounds(const Kernel& kernel,
                                                        std::string_view parameters);
[[nodiscard]] std::vector<Move> restrict_moves(const ProposalContext& context);
[[nodiscard]] std::optional<Kernel> apply_restrict(const Kernel& kernel,
                                                   std::string_view parameters);
[[nodiscard]] std::vector<Move> unroll_moves(const ProposalContext& context);
[[nodiscard]] std::optional<Kernel> apply_unroll(const Kernel& kernel, std::string_view parameters);
[[nodiscard]] std::vector<Move> fast_intrinsics_moves(const ProposalContext& context);
[[nodiscard]] std::optional<Kernel> apply_fast_intrinsics(const Kernel& kernel,
                                                          std::string_view parameters);

}  // namespace warpmind::agents::builtin
