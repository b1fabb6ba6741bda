#include "agents/writing/technique_choice.h"

#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace warpmind::agents::writing {
namespace {

/// Cards whose edit an answer cannot express or the rules forbid: libraries, captured graphs,
/// options of the build, a sweep instead of one edit.
constexpr std::array<std::string_view, 5> kNotOffered{"cuda_graph", "library_call", "native_arch",
                                                      "parameter_search", "register_limit"};

bool cures(const Technique& card, BottleneckClass bottleneck) {
  return contains(card.bottlenecks, bottleneck);
}

/// Middle of what the card claims, in logarithms, and at most what the costliest cause that it
/// cures has at stake; 1 = no reason. Of records without causes: half of it for a secondary trait.
double claimed_gain(const Technique& card, const Bottleneck& bottleneck) {
  const double middle = std::sqrt(std::max(card.typical_low * card.typical_high, 1.0));
  if (!bottleneck.causes.empty()) {
    double share = 0;
    for (const auto& cause : bottleneck.causes) {
      if (cures(card, cause.which)) share = std::max(share, cause.share);
    }
    if (share <= 0) return 1.0;
    return std::min(std::max(middle, 1.02), 1 / std::max(1 - share, 1e-9));
  }
  if (cures(card, bottleneck.primary)) return std::max(middle, 1.02);
  const bool secondary = std::any_of(bottleneck.secondary.begin(), bottleneck.secondary.end(),
                                     [&](BottleneckClass each) { return cures(card, each); });
  return secondary ? std::max(std::sqrt(middle), 1.01) : 1.0;
}

}  // namespace

std::vector<Technique> fitting_cards(const std::vector<Technique>& cards,
                                     const DeviceSpec& device) {
  const int capability = 10 * device.compute_major + device.compute_minor;
  std::vector<Technique> fitting;
  std::copy_if(cards.begin(), cards.end(), std::back_inserter(fitting), [&](const Technique& card) {
    const bool offered = !contains(kNotOffered, card.name);
    return offered && capability >= card.capability_min &&
           (card.capability_max == 0 || capability <= card.capability_max);
  });
  return fitting;
}

std::vector<Move> technique_moves(const std::vector<Technique>& cards,
                                  const ProposalContext& context) {
  struct Offer {
    Move move;
    double expected = 1;  ///< the card's claim, corrected by what was measured
  };
  std::vector<Offer> offers;
  for (const auto& card : fitting_cards(cards, context.device)) {
    const double claimed = claimed_gain(card, context.bottleneck);
    const auto& advised = context.advice.techniques;
    const auto known = std::find_if(advised.begin(), advised.end(),
                                    [&](const auto& each) { return each.technique == card.name; });
    const double standing = known == advised.end() ? 0 : known->expectation.standing;
    const double expected = claimed * std::exp(standing);
    // The prior is the card's alone: whoever scores moves adds what memory knows.
    if (expected > 1) offers.push_back({{card.name, "", claimed}, expected});
  }
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& left, const Offer& right) {
    return left.expected > right.expected;
  });
  if (offers.size() > kOfferedTechniques) offers.resize(kOfferedTechniques);
  std::vector<Move> moves;
  moves.reserve(offers.size());
  for (auto& offer : offers) moves.push_back(std::move(offer.move));
  return moves;
}

}  // namespace warpmind::agents::writing
