#include "knowledge_base/recall.h"

#include "knowledge_base/evidence.h"

#include <algorithm>

namespace warpmind::knowledge_base {
namespace {

using Chain = std::array<PosteriorCounts, kPosteriorLevels>;

/// Narrowest level that saw anything; global counts for nobody in particular.
PosteriorLevel narrowest_level(const Chain& chain) {
  for (std::size_t level = chain.size() - 1; level > 0; --level) {
    if (!chain.at(level).empty()) return static_cast<PosteriorLevel>(level);
  }
  return PosteriorLevel::global;
}

std::string_view scope_name(PosteriorLevel level) {
  switch (level) {
    case PosteriorLevel::device: return "device";
    case PosteriorLevel::family: return "family";
    case PosteriorLevel::bottleneck:
    case PosteriorLevel::technique: return "technique";
    case PosteriorLevel::global: return "prior";
  }
  return "prior";
}

std::string place_of(PosteriorLevel level, const RecallQuery& query) {
  const std::string at = " at " + std::string(warpmind::name_of(query.bottleneck));
  const auto& device = query.device;
  switch (level) {
    case PosteriorLevel::device: return at + " on " + device.name;
    case PosteriorLevel::family:
      return at + " on " + architecture_of(device.compute_major, device.compute_minor) + " devices";
    case PosteriorLevel::bottleneck: return at + " on other devices";
    case PosteriorLevel::technique: return " at other bottlenecks";
    case PosteriorLevel::global: break;
  }
  return {};
}

std::string why_of(PosteriorLevel level, const Chain& chain, const RecallQuery& query,
                   const GainEstimate& predicted) {
  const std::string expectation = "expected " + factor_text(predicted.gain) + " (80 % interval " +
                                  factor_text(predicted.low) + " to " +
                                  factor_text(predicted.high) + ")";
  if (level == PosteriorLevel::global) return "not tried yet: " + expectation;
  return describe(chain.at(static_cast<std::size_t>(level)), query.provider) +
         place_of(level, query) + "; " + expectation;
}

Result<TechniqueAdvice> advise(const std::string& technique, const RecallQuery& query,
                               const PosteriorLookup& lookup) {
  const auto keys = chain_of({query.provider, technique, query.bottleneck, query.device});
  Chain chain;
  for (std::size_t level = 0; level < keys.size(); ++level) {
    WARPMIND_TRY(chain.at(level), lookup(keys.at(level)));
  }
  const GainEstimate predicted = estimate(chain);
  const PosteriorLevel level = narrowest_level(chain);
  TechniqueAdvice advice;
  advice.technique = technique;
  advice.predicted_gain = predicted.gain;
  advice.gain_low = predicted.low;
  advice.gain_high = predicted.high;
  advice.feasibility = predicted.feasibility;
  if (level != PosteriorLevel::global) {
    advice.observations = chain.at(static_cast<std::size_t>(level)).observations();
  }
  advice.scope = scope_name(level);
  advice.why = why_of(level, chain, query, predicted);
  return advice;
}

}  // namespace

Result<std::vector<TechniqueAdvice>> rank_techniques(const RecallQuery& query,
                                                     const PosteriorLookup& lookup) {
  std::vector<TechniqueAdvice> ranked;
  ranked.reserve(query.techniques.size());
  for (const auto& technique : query.techniques) {
    WARPMIND_TRY(auto advice, advise(technique, query, lookup));
    ranked.push_back(std::move(advice));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const TechniqueAdvice& a, const TechniqueAdvice& b) {
                     return a.predicted_gain > b.predicted_gain;
                   });
  return ranked;
}

}  // namespace warpmind::knowledge_base
