#include "knowledge_base/retrieval/retrieval.h"

#include "base/part.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/endpoint_space.h"
#include "knowledge_base/retrieval/lift.h"
#include "knowledge_base/retrieval/lift_codec.h"
#include "knowledge_base/retrieval/query_check.h"
#include "knowledge_base/retrieval/relevance.h"
#include "knowledge_base/retrieval/search_index.h"
#include "knowledge_base/retrieval/selection.h"
#include "knowledge_base/retrieval/shown_insight.h"
#include "knowledge_base/retrieval/snapshots.h"
#include "knowledge_base/retrieval/term_index.h"
#include "knowledge_base/retrieval/text_analysis.h"

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

/// A question that the embeddings endpoint made a vector of.
struct EmbeddedText {
  const EndpointSpace& space;
  EndpointVectors::Question question;
};

/// One search over one state of the index and the base.
class Search {
 public:
  Search(const InsightQuery& query, const IndexState& index, const Database& database,
         const std::optional<EmbeddedText>& embedded,
         const RankingWeights& weights = kRankingWeights)
      : query_(query),
        embedded_(embedded),
        weights_(weights),
        index_(index),
        database_(database),
        tokens_(analyse(query.text)),
        filter_(query, tokens_),
        most_(std::max(kCandidates, static_cast<std::size_t>(query.limit))) {}

  Result<RetrievalAnswer> answer() {
    WARPMIND_TRY(auto candidates, find_candidates());
    for (auto& candidate : candidates) {
      const auto& entry = index_.catalogue.at(candidate.document);
      candidate.value = filter_.is_of_other_operators(entry)
                            ? value_elsewhere(candidate.relevance, entry, query_.seed)
                            : value_of(candidate.relevance, entry, query_.seed);
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.value != b.value ? a.value > b.value : a.document < b.document;
    });
    const RelevanceFloor floor(query_, tokens_);
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
    terms.cache = index_.terms.get();
    if (!query_.text.empty()) terms.tokens = &tokens_;
    terms.accepts = [this](std::int64_t document) {
      return filter_.admits(index_.catalogue.at(document));
    };
    WARPMIND_TRY(const auto hits, search_terms(database_, nullptr, terms));
    RankedList list;
    for (const auto& hit : hits) {
      list.documents.push_back(hit.document);
      list.scores.push_back(hit.score);
      list.least_words.push_back(hit.least_terms);
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
        vector = embed_text(query_.text, tokens_);
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
    if (which == Space::text && embedded_) {
      WARPMIND_TRY(list, embedded_->space.vectors().ranked(
                             embedded_->question,
                             {list, index_.catalogue, filter_, most_, embedded_->space.near()}));
    }
    lists.push_back(std::move(list));
    return {};
  }

  /// Nothing is asked but the filters: all that pass are equally relevant, the best of them are
  /// worth comparing with each other.
  [[nodiscard]] std::vector<Candidate> everything() const {
    const auto& catalogue = index_.catalogue;
    const std::size_t most = 4 * most_;
    std::vector<std::pair<double, std::int64_t>> best;  // a heap, worst in front
    best.reserve(most + 1);
    for (std::int64_t document = 1; document <= catalogue.last_document(); ++document) {
      const auto& entry = catalogue.at(document);
      if (!filter_.admits(entry)) continue;
      const std::pair ranked(-value_of(1, entry, query_.seed), document);
      if (best.size() == most && ranked > best.front()) continue;
      best.push_back(ranked);
      std::push_heap(best.begin(), best.end());
      if (best.size() <= most) continue;
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
    std::sort_heap(best.begin(), best.end());
    std::vector<Candidate> candidates;
    candidates.reserve(best.size());
    for (const auto& [worth, document] : best) {
      candidates.push_back({.document = document, .relevance = 1});
    }
    return candidates;
  }

  Result<std::optional<Insight>> admit(const Candidate& candidate, const RelevanceFloor& floor) {
    const auto id = insight_id_of(index_.catalogue.at(candidate.document));
    auto insight = index_.shown->find(candidate.document);
    if (!insight) {
      auto read = read_shown_insight(database_, id);
      if (!read && read.error().code == Errc::not_found) return std::optional<Insight>();
      if (!read) return fail(read.error());
      // Newer than the index: its own commit brings it in.
      if (read->document != candidate.document) return std::optional<Insight>();
      insight = std::make_shared<const Insight>(std::move(*read));
      index_.shown->put(insight);
    }
    const bool asked = candidate.ranks != std::array<int, kRankings>{};
    if (!filter_.applies(*insight)) return std::optional<Insight>();
    if (asked && !floor.reaches(candidate, *insight)) return std::optional<Insight>();
    return std::optional<Insight>(*insight);
  }

  RetrievedInsight described(Pick& pick) const {
    const auto& entry = index_.catalogue.at(pick.candidate.document);
    auto& insight = pick.insight;
    RetrievedInsight found;
    found.why = why(pick.candidate, insight);
    part<InsightSummary>(found) = std::move(part<InsightSummary>(insight));
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

  [[nodiscard]] std::string why_nothing(const RetrievalAnswer& answer,
                                        const Selection& selection) const {
    if (answer.documents == 0) return "nothing applies: the base holds no insight that is offered";
    const bool all_ready = std::all_of(index_.spaces.begin(), index_.spaces.end(),
                                       [](const auto& space) { return space.has_value(); });
    if (!all_ready) {
      return "nothing found yet: the index of a large base is being made; ask again in a minute";
    }
    if (selection.over_budget) {
      return "nothing applies: what applies is longer than the token budget";
    }
    const std::string of = std::to_string(answer.documents) + " insights ";
    if (answer.candidates == 0) return "nothing applies: none of " + of + "passes the filters";
    return "nothing applies: none of " + of + "is near enough to what was asked";
  }

  const InsightQuery& query_;
  const std::optional<EmbeddedText>& embedded_;
  const RankingWeights& weights_;
  const IndexState& index_;
  const Database& database_;
  const std::vector<std::string> tokens_;  ///< of the text
  const QueryFilter filter_;
  const std::size_t most_;
};

}  // namespace

/// The name that the public header promises; the work is in SearchIndex.
class Retrieval::Index : public SearchIndex {
 public:
  using SearchIndex::SearchIndex;

  /// Asks the endpoint, where there is one and the text counts. To be called without a lock.
  [[nodiscard]] std::optional<EmbeddedText> embedded(const InsightQuery& query,
                                                     const RankingWeights& weights) const {
    const bool counts = weights.at(static_cast<std::size_t>(Ranking::text)) > 0;
    if (!endpoint || query.text.empty() || !counts) return std::nullopt;
    auto question = endpoint->ask(query.text);
    if (!question) return std::nullopt;
    return EmbeddedText{*endpoint, std::move(*question)};
  }

  std::unique_ptr<EndpointSpace> endpoint;
};

Retrieval::Retrieval(std::unique_ptr<Index> index) : index_(std::move(index)) {}

Retrieval::~Retrieval() { index_->base().observe(nullptr); }

Result<std::unique_ptr<Retrieval>> Retrieval::open(OpenBase& base, const RetrievalOptions& options,
                                                   const EmbeddingOptions& embedding) {
  std::unique_ptr<EmbeddingEndpoint> endpoint;
  if (!embedding.url.empty()) {
    WARPMIND_TRY(endpoint, EmbeddingEndpoint::create(embedding));
  }
  auto index = std::make_unique<Index>(base, options);
  WARPMIND_CHECK(index->load());
  if (endpoint) {
    index->endpoint = std::make_unique<EndpointSpace>(*index, std::move(endpoint),
                                                      static_cast<std::size_t>(options.most_exact));
  }
  base.observe([index = index.get()](const Committed& committed) {
    index->take_commit(committed);
    if (index->endpoint) index->endpoint->look();
  });
  return std::unique_ptr<Retrieval>(new Retrieval(std::move(index)));
}

Result<RetrievalAnswer> Retrieval::search(const InsightQuery& query) const {
  WARPMIND_CHECK(check_query(query));
  const auto embedded = index_->embedded(query, kRankingWeights);
  return index_->read([&](const IndexState& index) {
    return index_->base().read([&](const Database& database, const std::string&) {
      return Search(query, index, database, embedded).answer();
    });
  });
}

Result<std::vector<InsightId>> Retrieval::rank(const InsightQuery& query,
                                               const RankingWeights& weights) const {
  WARPMIND_CHECK(check_query(query));
  const auto embedded = index_->embedded(query, weights);
  return index_->read([&](const IndexState& index) {
    return index_->base().read(
        [&](const Database& database, const std::string&) -> Result<std::vector<InsightId>> {
          Search search(query, index, database, embedded, weights);
          WARPMIND_TRY(const auto candidates, search.find_candidates());
          std::vector<InsightId> ids;
          ids.reserve(candidates.size());
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
  // Documents get other numbers: until they are known, no vector is made.
  if (index_->endpoint) index_->endpoint->pause();
  auto loaded = index_->load();
  if (index_->endpoint) index_->endpoint->resume();
  return loaded;
}

void Retrieval::embed_again() {
  if (!index_->endpoint) return;
  index_->endpoint->pause();
  index_->endpoint->resume();
}

const EndpointSpace* Retrieval::endpoint() const { return index_->endpoint.get(); }

void Retrieval::settle() const { index_->settle(); }

IndexFigures Retrieval::figures() const {
  auto figures = index_->figures();
  if (!index_->endpoint) return figures;
  figures.memory_bytes += index_->endpoint->figures().memory_bytes;
  figures.endpoint = index_->endpoint->summary();
  return figures;
}

}  // namespace warpmind::knowledge_base
