#pragma once
/// \file
/// What the base says about one bottleneck on one device.

#include "base/ids.h"
#include "base/model/bottleneck.h"
#include "base/model/insight.h"
#include "base/model/kernel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// A predicted gain. Gains are factors of time: 1.3 = 1.3 times faster.
struct GainAdvice {
  std::string technique;
  double predicted_gain = 1;
  double gain_low = 1;  ///< 80 % interval
  double gain_high = 1;
  double feasibility = 1;         ///< posterior probability that it builds and is correct
  std::int64_t observations = 0;  ///< comparisons behind it at the narrowest level used: confirmed
                                  ///< ones; of a move also screenings, 0 = it only ever failed
  std::string scope;              ///< "device", "family", "technique"; of a technique also "prior"
  bool operator==(const GainAdvice&) const = default;
};

/// What measurements say of a writer's expectation of an edit: it is multiplied by `factor`.
struct ExpectationAdvice {
  double factor = 1;
  double low = 1;  ///< 80 % interval
  double high = 1;
  double comparisons = 0;  ///< behind it; a screening is half of one
  /// ln of the factor by which it moves in the order of edits; no confirmed gain lowers it.
  double standing = 0;
  bool operator==(const ExpectationAdvice&) const = default;
};

struct TechniqueAdvice : GainAdvice {
  std::string why;  ///< "gained 1.42x (3 measurements) at uncoalesced_access on NVIDIA H200"
  ExpectationAdvice expectation = {};  ///< with any parameters
  bool operator==(const TechniqueAdvice&) const = default;
};

/// What is known of one technique with exactly these parameters.
struct MoveAdvice : GainAdvice {
  std::string parameters;
  ExpectationAdvice expectation = {};  ///< what is known of the technique is part of it
  bool operator==(const MoveAdvice&) const = default;
};

/// How far a kernel got.
struct KernelGain {
  EpisodeId episode;
  double speedup = 1;                   ///< over that episode's baseline, as measured then
  std::string device;                   ///< "NVIDIA H200"
  std::vector<std::string> techniques;  ///< in the order applied
  bool operator==(const KernelGain&) const = default;
};

/// The best kernel that the base holds for this very task, to start from.
struct RememberedKernel : KernelGain {
  Kernel kernel;
  bool operator==(const RememberedKernel&) const = default;
};

/// An insight that applies, as retrieval ranked it.
struct RetrievedInsight : InsightSummary {
  double score = 0;       ///< fused and value-ranked; larger is better
  double propensity = 1;  ///< probability that it was shown
  bool shown = true;      ///< false = withheld at random, to measure what it is worth
  std::string why;        ///< "text rank 2, profile rank 1; gained 1.31x in 3 of 4"
  bool operator==(const RetrievedInsight&) const = default;
};

/// What to do first about the costliest cause of a kernel.
struct FirstAdvice {
  BottleneckClass against = BottleneckClass::unknown;
  std::string text;       ///< one sentence; what was looked for in vain where nothing is known
  std::string technique;  ///< whose card says how; empty where no card does
  bool by_agent = false;  ///< the built-in agent finds the form that it rewrites in this kernel
  bool operator==(const FirstAdvice&) const = default;
};

struct Advice {
  std::vector<TechniqueAdvice> techniques;  ///< what gained, the unmeasured, what lost time
  std::optional<RememberedKernel> remembered;
  std::int64_t episodes_seen = 0;               ///< of this task, on any device
  std::vector<RetrievedInsight> insights = {};  ///< best first, withheld ones too; at most 5
  std::string insights_note = {};               ///< why there is none: "nothing applies: …"
  std::vector<MoveAdvice> moves = {};           ///< of the moves asked about, those that were tried
  /// FirstAdvice::text about this very kernel. Empty where nobody asked.
  std::string first = {};
  bool operator==(const Advice&) const = default;
};

}  // namespace warpmind
