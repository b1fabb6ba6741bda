#pragma once
/// \file
/// Who writes the next candidate. A proposer lists the moves that are legal on a kernel; the search
/// policy picks one; the proposer writes it out.

#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/episode.h"
#include "base/result.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents {

/// One edit that could be made: a technique with parameters.
struct Move {
  std::string technique;   ///< "block_size"
  std::string parameters;  ///< "block=512x1x1"; empty when the technique has none
  double prior_gain = 1;   ///< the proposer's own guess for this kernel and bottleneck, as a factor
  bool operator==(const Move&) const = default;
};

/// What a proposer looks at. The references must outlive the call.
struct ProposalContext {
  const Task& task;
  const Kernel& kernel;          ///< to be edited
  const Bottleneck& bottleneck;  ///< of that kernel
  const Advice& advice;          ///< for that bottleneck
  const DeviceSpec& device;
  std::span<const Step> steps = {};  ///< of the episode so far; [0] is the given kernel
  std::size_t edited = 0;            ///< position in `steps` of the kernel to be edited
};

/// The same with another kernel to be edited, which must outlive it.
[[nodiscard]] inline ProposalContext with_kernel(const ProposalContext& given,
                                                 const Kernel& kernel) {
  return {given.task,   kernel,      given.bottleneck, given.advice,
          given.device, given.steps, given.edited};
}

/// A candidate and what writing it took.
struct Writing {
  std::optional<Candidate> candidate;  ///< absent when nothing usable was written
  std::string note = {};               ///< one line: why nothing was written; for a person
  ModelSpending spending = {};
  std::vector<Exchange> exchanges = {};
};

class Proposer {
 public:
  virtual ~Proposer() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Every technique that it may ever use: what the base is asked to rank.
  [[nodiscard]] virtual std::vector<std::string> techniques() const = 0;
  /// Legal moves on the kernel, in the proposer's own order. Empty = it has nothing more.
  [[nodiscard]] virtual std::vector<Move> moves(const ProposalContext& context) const = 0;
  /// Writes one of `moves(context)`. No candidate when the move turns out not to apply. May be
  /// called from several threads at once, for different moves.
  /// Errors: cancelled; unavailable when it can write no more (a budget is spent); others when the
  /// proposer itself fails. Each but cancelled ends the episode with what it has.
  [[nodiscard]] virtual Result<Writing> write(const Move& move, const ProposalContext& context,
                                              std::stop_token stop) = 0;
  /// Another try at the candidate of `context.steps.back()`, which did not build or failed a check;
  /// `context.kernel` is still the kernel that it was made from. No candidate = no repair. Errors:
  /// as write().
  [[nodiscard]] virtual Result<Writing> repair(const ProposalContext& /*context*/,
                                               std::stop_token /*stop*/) {
    return Writing{};
  }
  /// `move` was written in an earlier start of the episode: what a proposer notes of its own
  /// writing follows.
  virtual void written_before(const Move& /*move*/) {}
};

}  // namespace warpmind::agents
