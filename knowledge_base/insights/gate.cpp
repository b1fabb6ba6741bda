#include "knowledge_base/insights/gate.h"

#include "base/sequence.h"
#include "base/text.h"
#include "knowledge_base/insights/utility.h"

#include <cmath>
#include <cstdint>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostReasons = 8;

struct Sides {
  std::int64_t supporting = 0;  ///< confirmed grade
  std::int64_t contradicting = 0;
  std::int64_t all = 0;  ///< screenings too
};

Sides sides_of(const StoredInsight& stored, Provider provider) {
  Sides sides;
  for (const auto& cell : stored.cells) {
    if (cell.provider != provider) continue;
    sides.supporting += cell.supports.confirmed;
    sides.contradicting += cell.contradicts.confirmed;
    sides.all += cell.supports.confirmed + cell.supports.weak + cell.contradicts.confirmed +
                 cell.contradicts.weak;
  }
  return sides;
}

/// "worth 1.31x (80 %: 1.10x to 1.56x)".
std::string worth(const Utility& utility) {
  return "following it is worth " + fixed(std::exp(utility.mean), 2) +
         "x (80 %: " + fixed(std::exp(utility.low), 2) + "x to " +
         fixed(std::exp(utility.high), 2) + "x)";
}

/// Witnesses of both sides first, then the newest measurements.
std::vector<EpisodeId> reasons_of(const StoredInsight& stored, Provider provider) {
  std::vector<EpisodeId> because;
  const auto add = [&because](const EpisodeId& id) {
    if (because.size() < kMostReasons && !contains(because, id)) {
      because.push_back(id);
    }
  };
  for (const bool supporting : {true, false}) {
    for (const auto& id : independent_episodes(stored, provider, supporting)) add(id);
  }
  const auto& evidence = stored.insight.evidence;
  for (auto it = evidence.rbegin(); it != evidence.rend(); ++it) {
    if (it->provider == provider) add(it->episode);
  }
  return because;
}

Judgement judge_measured(const StoredInsight& stored) {
  const Sides sides = sides_of(stored, Provider::gpu);
  // What other bases say ranks, but decides nothing.
  const Utility utility = utility_of(stored.cells, {});
  const bool agreed = independent_episodes(stored, Provider::gpu, true).size() > 1;
  const bool refuted = independent_episodes(stored, Provider::gpu, false).size() > 1;
  const std::string balance = std::to_string(sides.supporting) + " of " +
                              count_noun(sides.supporting + sides.contradicting, "measurement") +
                              " for it; " + worth(utility);
  if (agreed && utility.low > 0) {
    return {InsightState::confirmed, "independent episodes agree: " + balance, {}};
  }
  if (refuted && utility.high < 0) {
    return {InsightState::quarantined, "independent episodes refute it: " + balance, {}};
  }
  if (sides.supporting > 0 && sides.contradicting > 0 && utility.low <= 0 && utility.high >= 0) {
    return {InsightState::contested, "measured on both sides: " + balance, {}};
  }
  const std::string missing =
      agreed ? "the gain is not certain yet" : "not confirmed by independent episodes yet";
  return {InsightState::probation, missing + ": " + balance, {}};
}

/// Where the evidence alone puts it.
Judgement verdict_on(const StoredInsight& stored) {
  const auto provider = judged_provider(stored.cells);
  if (!provider) {
    return {InsightState::proposed, "no local evidence counts for or against it", {}};
  }
  Judgement judgement;
  if (*provider == Provider::gpu) {
    judgement = judge_measured(stored);
  } else {
    const Sides sides = sides_of(stored, *provider);
    judgement.state = InsightState::probation;
    judgement.reason = std::to_string(sides.supporting) + " of " +
                       count_noun(sides.all, *provider == Provider::sim ? "simulation" : "replay") +
                       " for it; no GPU has measured it";
  }
  judgement.because = reasons_of(stored, *provider);
  return judgement;
}

}  // namespace

std::vector<EpisodeId> independent_episodes(const StoredInsight& stored, Provider provider,
                                            bool supporting) {
  struct Seen {
    const Witness* witness;
    const std::string* device;
  };
  std::vector<Seen> all;
  for (const auto& cell : stored.cells) {
    if (cell.provider != provider) continue;
    for (const auto& witness : (supporting ? cell.supports : cell.contradicts).witnesses) {
      all.push_back({&witness, &cell.device});
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (all[i].witness->episode == all[k].witness->episode) continue;
      if (all[i].witness->task == all[k].witness->task && *all[i].device == *all[k].device) {
        continue;
      }
      return {all[i].witness->episode, all[k].witness->episode};
    }
  }
  if (all.empty()) return {};
  return {all.front().witness->episode};
}

bool may_judge(const StoredInsight& stored) {
  // A source that is quarantined shows as a state that was never stated.
  return !stored.insight.pinned && !stored.held && stored.insight.state == stored.stated;
}

std::optional<Judgement> judge(const StoredInsight& stored) {
  if (!may_judge(stored)) return std::nullopt;
  auto judgement = verdict_on(stored);
  if (judgement.state == stored.stated) return std::nullopt;
  return judgement;
}

}  // namespace warpmind::knowledge_base
