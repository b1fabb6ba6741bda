#pragma once
/// \file
/// One step of an episode, read as an attempt at its task: whether it is right, how fast, and what
/// was said about it.

#include "agents/export/export_source.h"
#include "agents/export/held_out.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace warpmind::agents {

/// References the source, which must outlive it.
struct Attempt {
  const SourceEpisode* source = nullptr;
  std::size_t position = 0;       ///< of the step, never the baseline's 0
  std::size_t edited = 0;         ///< position of the step whose kernel was edited
  bool is_right = false;          ///< correct, and no cheat
  std::optional<double> speedup;  ///< time of the given kernel / time of this one
  std::optional<double> baseline_ns;
  std::optional<double> kernel_ns;       ///< with `baseline_ns`: both, or none
  std::array<double, 2> kernel_ci95{};   ///< ns, with `kernel_ns`
  std::array<double, 2> speedup_ci95{};  ///< with `kernel_ns`: ends of the two intervals divided
  const Exchange* exchange = nullptr;    ///< that the code came out of; null = none is stored

  [[nodiscard]] const Episode& episode() const { return source->episode; }
  [[nodiscard]] const Step& step() const { return source->episode.steps[position]; }
};

/// The step at `position` > 0. A blocked step is no attempt: nobody judged it.
[[nodiscard]] std::optional<Attempt> attempt_at(const SourceEpisode& source, std::size_t position);

/// Whether its kernel, or the one it edited, was tried on a held-out task.
[[nodiscard]] bool is_contaminated(const Attempt& attempt, const HeldOut& held_out);

/// The language model that wrote it, else the proposer: "builtin".
[[nodiscard]] std::string author_of(const Attempt& attempt);

/// The stored request, else one that is composed of what the proposer was given.
[[nodiscard]] std::string prompt_of(const Attempt& attempt);
/// Technique, parameters and the author's sentence: at most 200 tokens, no reasoning.
[[nodiscard]] std::string response_summary(const Attempt& attempt);
/// What came of it, for the one who writes the next.
[[nodiscard]] std::string feedback_of(const Attempt& attempt);

}  // namespace warpmind::agents
