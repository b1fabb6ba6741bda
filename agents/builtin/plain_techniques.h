#pragma once
/// \file
/// The first seven techniques, on plain text.

#include "agents/proposer.h"

#include <optional>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

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
