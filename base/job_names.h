#pragma once
/// \file
/// What a job may name: who writes candidates, which search chooses among them, who judges, and
/// how much is checked.

#include <array>
#include <string_view>

namespace warpmind {

inline constexpr std::string_view kBuiltinProposer = "builtin";
inline constexpr std::string_view kModelProposer = "llm";
inline constexpr std::string_view kExternalProposer = "external";
inline constexpr std::string_view kReplayProposer = "replay";
inline constexpr std::array kProposerNames{kBuiltinProposer, kModelProposer, kExternalProposer,
                                           kReplayProposer};
/// Of a job that is queued: an episode for candidates from outside is opened instead.
inline constexpr std::array kQueuedProposerNames{kBuiltinProposer, kModelProposer, kReplayProposer};

inline constexpr std::array<std::string_view, 6> kPolicyNames{"auto", "greedy", "fsr",
                                                              "mcgs", "evolve", "turns"};

inline constexpr std::array<std::string_view, 4> kProviderNames{"auto", "gpu", "sim", "fixture"};
inline constexpr std::array<std::string_view, 3> kEffortNames{"quick", "normal", "strict"};

}  // namespace warpmind
