#pragma once
/// \file
/// What a job may name: who writes candidates, and which search chooses among them.

#include <array>
#include <string_view>

namespace warpmind {

inline constexpr std::string_view kBuiltinProposer = "builtin";
inline constexpr std::string_view kModelProposer = "llm";
inline constexpr std::string_view kExternalProposer = "external";
inline constexpr std::string_view kReplayProposer = "replay";
inline constexpr std::array kProposerNames{kBuiltinProposer, kModelProposer, kExternalProposer,
                                           kReplayProposer};

inline constexpr std::array<std::string_view, 6> kPolicyNames{"auto", "greedy", "fsr",
                                                              "mcgs", "evolve", "turns"};

}  // namespace warpmind
