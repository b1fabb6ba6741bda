#pragma once
/// \file
/// What the steps of an episode say about techniques and their parameters. The rules are in
/// docs/storage.md.

#include "base/model/episode.h"
#include "knowledge_base/posterior.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// What one step says about one technique, and about it with the parameters tried.
struct Evidence {
  PosteriorScope scope;
  std::optional<double> confirmed_log_gain;  ///< from at least two fresh process pairs
  std::optional<double> screened_log_gain;   ///< at most 0: it did not help
  /// ln of what the writer expected of it; absent where that is not known.
  std::optional<double> expected_log_gain = {};
  bool gained = false;                ///< confirmed and claimed as a gain
  std::optional<bool> feasible = {};  ///< built and correct; absent when the lab cannot say
  std::size_t step = 0;               ///< position in the episode
  Toolchain toolchain = {};           ///< that compiled and ran it
  std::string parameters = {};        ///< as the candidate has them
};

/// Whether the technique could be carried out, as far as the step says. A failure says it where a
/// rewrite of the built-in agent is the same each time and gives wrong results, takes too long or
/// spills registers (docs/decisions/0044). nullopt: nothing was judged; the failure is the writer's
/// slip, as a missing semicolon is; a crash, which may be that of a tool; or a fault of our own
/// text (is_own_fault).
[[nodiscard]] std::optional<bool> feasibility_of(const Step& step);

/// Empty for a held-out episode. The baseline, remembered kernels that were measured again, and
/// steps without a technique say nothing about techniques.
[[nodiscard]] std::vector<Evidence> evidence_of(const Episode& episode);

/// The technique that made the candidate's kernel what it is: its own, or the newest of those that
/// a remembered kernel was made with. Empty for the kernel as given.
[[nodiscard]] std::string technique_behind(const Candidate& candidate);

/// Name under which a technique with these parameters has statistics of its own, beside those of
/// the technique. Empty where it has none: without parameters, or where they are no short plain
/// text.
[[nodiscard]] std::string move_name(std::string_view technique, std::string_view parameters);

/// Every key that `evidence` counts for: those of the technique, broad to narrow, then those of the
/// technique with these parameters, from PosteriorLevel::technique on. No key comes twice.
[[nodiscard]] std::vector<PosteriorKey> keys_of(const Evidence& evidence);

/// Counts one comparison. What stands for the order of moves (PosteriorCounts::standing) is never
/// lowered by a gain: one that is smaller than expected, or than those before, counts as what is
/// believed already. So a confirmed gain never puts its move behind another.
void add(PosteriorCounts& counts, const Evidence& evidence);

/// How often a gain was compared, in screenings too.
[[nodiscard]] std::int64_t comparisons(const PosteriorCounts& counts);

/// "block_size at low_occupancy on NVIDIA H200: 1.21x mean gain, 2 measurements"; `counts` are
/// those of the device level after the episode.
[[nodiscard]] std::string lesson_of(const PosteriorScope& scope, const PosteriorCounts& counts);

/// "1.21x mean gain, 2 measurements, failed 1 of 3 times": the numbers of a lesson, or "".
[[nodiscard]] std::string describe(const PosteriorCounts& counts, Provider provider);

/// Whether a comparison may speak for a gain: several fresh process pairs, or the simulator's
/// prediction, which is the same each time and counts among predictions only.
[[nodiscard]] bool is_confirmed(const Comparison& comparison, Provider provider);

}  // namespace warpmind::knowledge_base
