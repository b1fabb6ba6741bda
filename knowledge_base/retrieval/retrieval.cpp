#include "knowledge_base/retrieval/retrieval.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/lift.h"
#include "knowledge_base/retrieval/lift_codec.h"
#include "knowledge_base/retrieval/query_check.h"
#include "knowledge_base/retrieval/relevance.h"
#include "knowledge_base/retrieval/search_index.h"
#include "knowledge_base/retrieval/selection.h"
#include "knowledge_base/retrieval/snapshots.h"
#include "knowledge_base/retrieval/term_index.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace warpmind::knowledge_base {
namespace {

/// Candidates a ranking gives at least.
constexpr std::size_t kCandidates = 100;
/// What a search by words may cost; smaller bases never reach it. docs/retrieval.md has its price.
constexpr std::size_t kMostPostings = 150'000;
/// Draws of a query's seed for withholding; others are in ranking.cpp.
constexpr std::uint64_t kWithholdUse = 3;

/// What the index of words is asked: the text; where there is none, the names of the situation.
std::string words_of_query(const InsightQuery& query) {
  if (!query.text.empty()) return query.text;
  std::string words = query.operator_family;
  for (const auto bottleneck : query.bottlenecks) {
    if (bottleneck != BottleneckClass::unknown) words += " " + std::string(name_of(bottleneck));
  }
  for (const auto& technique : query.techniques) words += " " + technique;
  return words;
}

/// One search over one state of the index and the base.
class Search {
 public:
  Search(const InsightQuery& query, const IndexState& index, const Database& database,
         const RankingWeights& weights = kRankingWeights)
      : query_(query),
        weights_(weights),
        index_(index),
        database_(database),
        filter_(query),
        most_(std::max(kCandidates, static_cast<std::size_t>(query.limit))) {}

  Result<RetrievalAnswer> run() {
    WARPMIND_TRY(auto candidates, find_candidates());
    for (auto& candidate : candidates) {
      candidate.value =
          value_of(candidate.relevance, index_.catalogue.at(candidate.document), query_.seed);
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.value != b.value ? a.value > b.value : a.document < b.document;
    });
    const RelevanceFloor floor(query_);
    WARPMIND_TRY(auto selection, select(candidates, index_.catalogue, query_,
                                        [&](const Candidate& one) { return admit(one, floor); }));
    RetrievalAnswer answer;
    answer.documents = index_.catalogue.offered();
    answer.candidates = static_cast<std::int64_t>(candidates.size());
    for (auto& pick : selection.picks) answer.insights.push_back(described(pick));
    if (answer.insights.empty()) answer.note = why_nothing(answer, selection);
    return answer;
  }

  /// By relevance, best first.
  Result<std::vector<Candidate>> find_candidates() {
    std::vector<RankedList> lists;
    const std::string words = words_of_query(query_);
    if (!words.empty() && asks(Ranking::words)) {
      WARPMIND_TRY(auto list, by_words(words));
      lists.push_back(std::move(list));
    }
    if (!query_.text.empty() && asks(Ranking::text))
      WARPMIND_CHECK(add_nearest(lists, Space::text));
    if (!query_.code.empty() && asks(Ranking::code))
      WARPMIND_CHECK(add_nearest(lists, Space::code));
    if (!query_.profile.empty() && asks(Ranking::profile))
      WARPMIND_CHECK(add_nearest(lists, Space::profile));
    if (words.empty() && query_.code.empty() && query_.profile.empty()) return everything();
    return fuse(lists, weights_);
  }

 private:
  [[nodiscard]] bool asks(Ranking ranking) const {
    return weights_.at(static_cast<std::size_t>(ranking)) > 0;
  }

  Result<RankedList> by_words(const std::string& words) {
    TermQuery terms;
    terms.text = words;
    terms.limit = most_;
    terms.corpus = index_.corpus();
    terms.most_postings = kMostPostings;
    terms.accepts = [this](std::int64_t document) {
      return filter_.admits(index_.catalogue.at(document));
    };
    WARPMIND_TRY(const auto hits, search_terms(database_, nullptr, terms));
    RankedList list;
    for (const auto& hit : hits) {
      list.documents.push_back(hit.document);
      list.scores.push_back(hit.score);
    }
    return list;
  }

  Result<void> add_nearest(std::vector<RankedList>& lists, Space which) {
    const auto at = std::find(kSpaces.begin(), kSpaces.end(), which) - kSpaces.begin();
    const auto& space = index_.spaces.at(static_cast<std::size_t>(at));
    if (!space || space->size() == 0) return {};
    RankedList list;
    Vector vector;
    switch (which) {
      case Space::text:
        list.ranking = Ranking::text;
        vector = embed_text(query_.text);
        break;
      case Space::code:
        list.ranking = Ranking::code;
        vector = embed_code(query_.code);
        break;
      case Space::profile:
        list.ranking = Ranking::profile;
        vector = embed_profile(query_.profile);
        break;
    }
    const VectorSpace::Query nearest{vector, most_, index_.catalogue, filter_};
    WARPMIND_TRY(const auto found, space->search(nearest));
    for (const auto& hit : found) {
      list.documents.push_back(hit.document);
      list.scores.push_back(hit.score);
    }
    lists.push_back(std::move(list));
    return {};
  }

  /// Nothing is asked but the filters: all that pass are equally relevant.
  std::vector<Candidate> everything() const {
    std::vector<Candidate> all;
    const auto& catalogue = index_.catalogue;
    for (std::int64_t document = 1; document <= catalogue.last_document(); ++document) {
      if (filter_.admits(catalogue.at(document))) {
        all.push_back({.document = document, .relevance = 1});
      }
    }
    // Only the best are worth comparing with each other.
    const std::size_t kept = std::min(all.size(), 4 * most_);
    const auto worth = [&](const Candidate& one) {
      return value_of(1, catalogue.at(one.document), query_.seed);
    };
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < all.size(); ++i) order.emplace_back(-worth(all[i]), i);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept),
                      order.end());
    std::vector<Candidate> best;
    for (std::size_t i = 0; i < kept; ++i) best.push_back(all[order[i].second]);
    return best;
  }

  Result<std::optional<Insight>> admit(const Candidate& candidate, const RelevanceFloor& floor) {
    const auto id = insight_id_of(index_.catalogue.at(candidate.document));
    auto insight = read_insight(database_, id);
    if (!insight && insight.error().code == Errc::not_found) return std::optional<Insight>();
    if (!insight) return fail(insight.error());
    // Newer than the index: its own commit brings it in.
    const bool is_same = insight->document == candidate.document;
    const bool asked = candidate.ranks != std::array<int, kRankings>{};
    if (!is_same || !filter_.applies(*insight)) return std::optional<Insight>();
    if (asked && !floor.reaches(candidate, *insight)) return std::optional<Insight>();
    return std::optional<Insight>(std::move(*insight));
  }

  RetrievedInsight described(Pick& pick) const {
    const auto& entry = index_.catalogue.at(pick.candidate.document);
    auto& insight = pick.insight;
    RetrievedInsight found;
    found.why = why(pick.candidate, insight);
    found.id = insight.id;
    found.kind = insight.kind;
    found.state = insight.state;
    found.trust = insight.trust;
    found.claim = std::move(insight.claim);
    found.action = std::move(insight.action);
    found.utility = insight.utility;
    found.score = pick.candidate.value;
    found.propensity = 1 - query_.withhold;
    found.shown = uniform_draw(query_.seed, entry.id, kWithholdUse) >= query_.withhold;
    return found;
  }

  static std::string why(const Candidate& candidate, const Insight& insight) {
    constexpr std::array<const char*, kRankings> kNames{"words", "text", "code", "profile"};
    std::string text;
    for (std::size_t i = 0; i < kRankings; ++i) {
      if (candidate.ranks.at(i) == 0) continue;
      text += (text.empty() ? "" : ", ") + std::string(kNames.at(i)) + " rank " +
              std::to_string(candidate.ranks.at(i));
    }
    if (text.empty()) text = "passes the filters";
    if (insight.utility.observations == 0) return text + "; never measured here";
    std::array<char, 96> gain{};
    const auto supports = std::count_if(insight.evidence.begin(), insight.evidence.end(),
                                        [](const EvidenceRef& one) { return one.supports; });
    std::snprintf(gain.data(), gain.size(), "; worth %.2fx, %lld of %zu measurements agree",
                  std::exp(insight.utility.mean), static_cast<long long>(supports),
                  insight.evidence.size());
    return text + gain.data();
  }

  static std::string why_nothing(const RetrievalAnswer& answer, const Selection& selection) {
    if (answer.documents == 0) return "nothing applies: the base holds no insight that is offered";
    if (selection.over_budget) {
      return "nothing applies: what applies is longer than the token budget";
    }
    const std::string of = std::to_string(answer.documents) + " insights ";
    if (answer.candidates == 0) return "nothing applies: none of " + of + "passes the filters";
    return "nothing applies: none of " + of + "is near enough to what was asked";
  }

  const InsightQuery& query_;
  const RankingWeights& weights_;
  const IndexState& index_;
  const Database& database_;
  const QueryFilter filter_;
  const std::size_t most_;
};

}  // namespace

/// The name that the public header promises; the work is in SearchIndex.
class Retrieval::Index : public SearchIndex {
 public:
  using SearchIndex::SearchIndex;
};

Retrieval::Retrieval(std::unique_ptr<Index> index) : index_(std::move(index)) {}

Retrieval::~Retrieval() { index_->base().observe(nullptr); }

Result<std::unique_ptr<Retrieval>> Retrieval::open(OpenBase& base,
                                                   const RetrievalOptions& options) {
  auto index = std::make_unique<Index>(base, options);
  WARPMIND_CHECK(index->load());
  base.observe([index = index.get()](const Committed& committed) { index->apply(committed); });
  return std::unique_ptr<Retrieval>(new Retrieval(std::move(index)));
}

Result<RetrievalAnswer> Retrieval::search(const InsightQuery& query) const {
  WARPMIND_CHECK(check_query(query));
  return index_->read([&](const IndexState& index) {
    return index_->base().read([&](const Database& database, const std::string&) {
      return Search(query, index, database).run();
    });
  });
}

Result<std::vector<InsightId>> Retrieval::rank(const InsightQuery& query,
                                               const RankingWeights& weights) const {
  WARPMIND_CHECK(check_query(query));
  return index_->read([&](const IndexState& index) {
    return index_->base().read(
        [&](const Database& database, const std::string&) -> Result<std::vector<InsightId>> {
          Search search(query, index, database, weights);
          WARPMIND_TRY(const auto candidates, search.find_candidates());
          std::vector<InsightId> ids;
          for (const auto& candidate : candidates) {
            ids.push_back(insight_id_of(index.catalogue.at(candidate.document)));
          }
          return ids;
        });
  });
}

Result<LiftEstimate> Retrieval::lift(const InsightId& id) const {
  return index_->base().read(
      [&](const Database& database, const std::string&) -> Result<LiftEstimate> {
        WARPMIND_TRY(const auto insight, database.get(Family::insights, insight_key(id)));
        if (!insight) return fail(Errc::not_found, "no insight " + id.str());
        WARPMIND_TRY(const auto bytes, database.get(Family::posteriors, lift_key(id)));
        if (!bytes) return LiftEstimate{};
        WARPMIND_TRY(const auto counts, decode_lift(*bytes));
        return estimate_lift(counts);
      });
}

Result<void> Retrieval::save() const { return index_->save(); }

Result<void> Retrieval::reload() {
  drop_spaces(index_->base());
  return index_->load();
}

void Retrieval::settle() const { index_->settle(); }

Retrieval::Figures Retrieval::figures() const { return index_->figures(); }

}  // namespace warpmind::knowledge_base
