#pragma once
/// \file
/// Which technique cards fit a device, and which of them are worth asking a model for.

#include "agents/proposer.h"
#include "base/model/technique.h"

#include <cstddef>
#include <vector>

namespace warpmind::agents::writing {

inline constexpr std::size_t kOfferedTechniques = 8;

/// Those whose range of compute capabilities holds the device and whose edit an answer can express.
[[nodiscard]] std::vector<Technique> fitting_cards(const std::vector<Technique>& cards,
                                                   const DeviceSpec& device);

/// One move a technique, the largest expected gain first: what was measured where the base knows,
/// else what the card claims where it names the bottleneck. The prior of a move is the card's
/// claim.
[[nodiscard]] std::vector<Move> technique_moves(const std::vector<Technique>& cards,
                                                const ProposalContext& context);

}  // namespace warpmind::agents::writing
