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
  const Kernel& kernel;          ///< the incumbent, to be edited
  const Bottleneck& bottleneck;  ///< of the incumbent
  const Advice& advice;
  const DeviceSpec& device;
};

class Proposer {
 public:
  virtual ~Proposer() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Every technique that it may ever use: what the base is asked to rank.
  [[nodiscard]] virtual std::vector<std::string> techniques() const = 0;
  /// Legal moves on the incumbent, in the proposer's own order. Empty = it has nothing more.
  [[nodiscard]] virtual std::vector<Move> moves(const ProposalContext& context) const = 0;
  /// Writes one of `moves(context)`. nullopt when the move turns out not to apply.
  /// Errors: cancelled; external_failure when the proposer itself fails.
  [[nodiscard]] virtual Result<std::optional<Candidate>> write(const Move& move,
                                                               const ProposalContext& context,
                                                               std::stop_token stop) = 0;
};

}  // namespace warpmind::agents
