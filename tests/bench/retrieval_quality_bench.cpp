// How good the search's answers are, ranking by ranking and fused.
//   retrieval_quality_bench [DATA_DIRECTORY] [TASKS_DIRECTORY]
// (a) Judged queries of tests/data/retrieval. Weights of the fusion are chosen on the queries with
// an even base number and reported, like everything in the RESULT line, on those with an odd one.
// (b) Leave-family-out over the measured tasks: what other operator families taught.
// A ranking that a query gives nothing to go by scores 0 there.

#include "base/clock.h"
#include "base/file.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/projection.h"
#include "knowledge_base/retrieval/ranking.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "tests/bench/retrieval_quality/golden_set.h"
#include "tests/bench/retrieval_quality/ranking_quality.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

namespace {

using namespace warpmind;
using namespace warpmind::bench;
using namespace warpmind::knowledge_base;

constexpr std::array<const char*, kRankings> kNames{"bm25", "text", "code", "profile"};

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "retrieval_quality_bench: %s\n", error.message.c_str());
  std::exit(1);
}

template <class T>
T value_or_give_up(Result<T> result) {
  if (!result) give_up(result.error());
  return std::move(*result);
}

/// A query with what each ranking alone says, as places in the set.
struct RankedQuery {
  const JudgedQuery* judged = nullptr;
  std::array<std::vector<std::int64_t>, kRankings> rankings;
  std::vector<std::string> fused;  ///< by the search itself: with scores, which ranks do not have
};

/// A set in a base of its own, searched once by each ranking.
class SearchedSet {
 public:
  explicit SearchedSet(const GoldenSet& set) : set_(set) {
    auto scratch = value_or_give_up(
        ScratchDirectory::create(std::filesystem::temp_directory_path(), "quality"));
    const SystemClock clock;
    auto base = value_or_give_up(
        OpenBase::open({.directory = scratch.path() / "kb", .reserve_bytes = 0, .clock = clock}));
    fill(*base);
    const auto retrieval = value_or_give_up(Retrieval::open(*base, {}));
    retrieval->settle();
    for (const auto& judged : set_.queries) queries_.push_back(ranked(*retrieval, judged));
  }

  [[nodiscard]] const std::vector<RankedQuery>& queries() const { return queries_; }

  [[nodiscard]] static Quality fused_quality(const RankedQuery& query) {
    return quality_of(query.fused, query.judged->grades);
  }

  /// Of ranks alone.
  [[nodiscard]] Quality quality(const RankedQuery& query, const RankingWeights& weights) const {
    std::vector<RankedList> lists;
    for (std::size_t i = 0; i < kRankings; ++i) {
      if (weights.at(i) <= 0 || query.rankings.at(i).empty()) continue;
      RankedList list;
      list.ranking = static_cast<Ranking>(i);
      list.documents = query.rankings.at(i);
      list.scores.resize(list.documents.size());
      lists.push_back(std::move(list));
    }
    std::vector<std::string> names;
    for (const auto& candidate : fuse(lists, weights)) {
      names.push_back(set_.insights.at(static_cast<std::size_t>(candidate.document)).name);
    }
    return quality_of(names, query.judged->grades);
  }

 private:
  void fill(OpenBase& base) {
    const auto written = base.write(1 << 24, [this](ChangeSet& change) -> Result<void> {
      for (std::size_t i = 0; i < set_.insights.size(); ++i) {
        Insight insight = set_.insights[i].insight;
        places_[insight.id] = static_cast<std::int64_t>(i);
        WARPMIND_CHECK(project_document(change, std::nullopt, insight));
      }
      change.describe("insights", {});
      return {};
    });
    if (!written) give_up(written.error());
  }

  RankedQuery ranked(const Retrieval& retrieval, const JudgedQuery& judged) {
    RankedQuery query;
    query.judged = &judged;
    for (const auto& id : value_or_give_up(retrieval.rank(judged.query))) {
      query.fused.push_back(set_.insights.at(static_cast<std::size_t>(places_.at(id))).name);
    }
    const std::array<bool, kRankings> given{!judged.query.text.empty(), !judged.query.text.empty(),
                                            !judged.query.code.empty(),
                                            !judged.query.profile.empty()};
    for (std::size_t i = 0; i < kRankings; ++i) {
      if (!given.at(i)) continue;
      RankingWeights one{};
      one.at(i) = 1;
      for (const auto& id : value_or_give_up(retrieval.rank(judged.query, one))) {
        query.rankings.at(i).push_back(places_.at(id));
      }
    }
    return query;
  }

  const GoldenSet& set_;
  std::map<InsightId, std::int64_t> places_;
  std::vector<RankedQuery> queries_;
};

using Chosen = std::function<bool(const JudgedQuery&)>;

Quality mean_of(const SearchedSet& set, const RankingWeights& weights, const Chosen& chosen) {
  MeanQuality mean;
  for (const auto& query : set.queries()) {
    if (chosen(*query.judged)) mean.add(set.quality(query, weights));
  }
  return mean.mean();
}

Quality mean_fused(const SearchedSet& set, const Chosen& chosen) {
  MeanQuality mean;
  for (const auto& query : set.queries()) {
    if (chosen(*query.judged)) mean.add(SearchedSet::fused_quality(query));
  }
  return mean.mean();
}

RankingWeights only(std::size_t ranking) {
  RankingWeights weights{};
  weights.at(ranking) = 1;
  return weights;
}

bool is_tuning(const JudgedQuery& judged) { return std::atoi(judged.base.c_str() + 1) % 2 == 0; }

/// The weights with the best mean nDCG; of equal ones the first.
RankingWeights tuned(const SearchedSet& set, const Chosen& chosen) {
  constexpr std::array<double, 6> kGrid{0, 0.1, 0.2, 0.3, 0.45, 0.6};
  RankingWeights best = only(0);
  double best_ndcg = 0;
  for (const double text : kGrid) {
    for (const double code : kGrid) {
      for (const double profile : kGrid) {
        const RankingWeights weights{0.6, text, code, profile};
        const double ndcg = mean_of(set, weights, chosen).ndcg;
        if (ndcg <= best_ndcg) continue;
        best = weights;
        best_ndcg = ndcg;
      }
    }
  }
  return best;
}

void print(const char* name, const Quality& q) {
  std::printf("  %-24s nDCG@10 %.3f  recall@10 %.3f  MRR %.3f\n", name, q.ndcg, q.recall,
              q.reciprocal_rank);
}

void print_rankings(const SearchedSet& set, const Chosen& chosen) {
  for (std::size_t i = 0; i < kRankings; ++i) print(kNames.at(i), mean_of(set, only(i), chosen));
  print("bm25 and text", mean_of(set, {kRankingWeights[0], kRankingWeights[1], 0, 0}, chosen));
  print("fused, ranks alone", mean_of(set, kRankingWeights, chosen));
  print("fused", mean_fused(set, chosen));
}

void leave_family_out(const std::filesystem::path& data, const std::filesystem::path& tasks) {
  std::array<MeanQuality, kRankings + 1> means;
  for (const auto& golden : value_or_give_up(read_leave_family_out(data, tasks))) {
    const SearchedSet set(golden);
    for (const auto& query : set.queries()) {
      for (std::size_t i = 0; i < kRankings; ++i) means.at(i).add(set.quality(query, only(i)));
      means.back().add(SearchedSet::fused_quality(query));
    }
  }
  std::printf("leave-family-out, %zu families with a gain\n", means.back().count());
  for (std::size_t i = 0; i < kRankings; ++i) print(kNames.at(i), means.at(i).mean());
  print("fused", means.back().mean());
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path data = argc > 1 ? argv[1] : WARPMIND_RETRIEVAL_DATA;
  const std::filesystem::path tasks = argc > 2 ? argv[2] : WARPMIND_TASKS;
  const auto golden = value_or_give_up(read_golden_set(data));
  const SearchedSet set(golden);
  std::set<std::string> variants;
  for (const auto& query : golden.queries) variants.insert(query.variant);
  std::printf("%zu insights, %zu queries\n", golden.insights.size(), golden.queries.size());
  for (const auto& variant : variants) {
    std::printf("%s\n", variant.c_str());
    print_rankings(set, [&](const JudgedQuery& judged) { return judged.variant == variant; });
  }
  const Chosen testing = [](const JudgedQuery& judged) { return !is_tuning(judged); };
  const auto weights = tuned(set, is_tuning);
  std::printf("all variants, queries that were not tuned on\n");
  print_rankings(set, testing);
  std::printf("  tuned weights: bm25 %.2f text %.2f code %.2f profile %.2f\n", weights[0],
              weights[1], weights[2], weights[3]);
  print("fused, tuned weights", mean_of(set, weights, testing));
  leave_family_out(data, tasks);

  std::array<Quality, kRankings> single;
  for (std::size_t i = 0; i < kRankings; ++i) single.at(i) = mean_of(set, only(i), testing);
  const auto fused = mean_fused(set, testing);
  const auto best_recall =
      std::max_element(single.begin(), single.end(), [](const auto& a, const auto& b) {
        return a.recall < b.recall;
      })->recall;
  const auto best_ndcg =
      std::max_element(single.begin(), single.end(), [](const auto& a, const auto& b) {
        return a.ndcg < b.ndcg;
      })->ndcg;
  std::printf(
      "RESULT queries=%zu ndcg10_bm25=%.4f ndcg10_text=%.4f ndcg10_code=%.4f ndcg10_profile=%.4f "
      "ndcg10_best_single=%.4f ndcg10_fused=%.4f ndcg10_tuned=%.4f recall10_fused=%.4f "
      "recall10_best_single=%.4f mrr_fused=%.4f\n",
      golden.queries.size(), single[0].ndcg, single[1].ndcg, single[2].ndcg, single[3].ndcg,
      best_ndcg, fused.ndcg, mean_of(set, weights, testing).ndcg, fused.recall, best_recall,
      fused.reciprocal_rank);
  return fused.ndcg >= best_ndcg ? 0 : 1;
}
