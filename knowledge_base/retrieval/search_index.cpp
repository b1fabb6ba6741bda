#include "knowledge_base/retrieval/search_index.h"

#include "base/log.h"
#include "base/sequence.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/snapshots.h"

#include <algorithm>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// Rows that go from the base into a space at a time.
constexpr std::size_t kRowsAtOnce = 8192;
/// A space is made again when so many are dead.
constexpr std::size_t kSlackDead = 10'000;

std::size_t place_of(Space space) {
  return static_cast<std::size_t>(std::find(kSpaces.begin(), kSpaces.end(), space) -
                                  kSpaces.begin());
}

std::vector<std::int64_t> documents_in(const Catalogue& catalogue, Space space) {
  std::vector<std::int64_t> documents;
  for (std::int64_t document = 1; document <= catalogue.last_document(); ++document) {
    if (has_vector(catalogue.at(document), space)) documents.push_back(document);
  }
  return documents;
}

Result<void> fill(const Database& database, Space which, VectorSpace& space) {
  while (true) {
    WARPMIND_TRY(const auto rows,
                 read_vectors(database, which, space.last_document(), kRowsAtOnce));
    if (rows.documents.empty()) return {};
    WARPMIND_CHECK(space.add(rows.documents, rows.values));
  }
}

/// Makes the entry of `document` what it is now.
Result<void> refresh_entry(const Database& database, std::int64_t document, IndexState& state) {
  WARPMIND_TRY(const auto entry, read_entry(database, document));
  state.tokens -= state.catalogue.at(document).tokens;
  state.catalogue.set(document, entry.value_or(CatalogueEntry{}));
  state.tokens += state.catalogue.at(document).tokens;
  return {};
}

}  // namespace

CorpusFigures IndexState::corpus() const {
  CorpusFigures figures;
  figures.documents = catalogue.last_document();
  figures.last_document = catalogue.last_document();
  const auto alive = static_cast<double>(std::max<std::int64_t>(catalogue.alive(), 1));
  figures.average_length = std::max(1.0, static_cast<double>(tokens) / alive);
  return figures;
}

SearchIndex::SearchIndex(OpenBase& base, RetrievalOptions options)
    : base_(base),
      options_(options),
      builder_([this](const std::stop_token& stop) { build_until_stopped(stop); }) {}

SearchIndex::~SearchIndex() {
  builder_.request_stop();
  planned_.notify_all();
}

template <class F>
void SearchIndex::change(const F& f) {
  const std::lock_guard turn(gate_);
  const std::unique_lock held(lock_);
  f(state_);
}

Result<IndexState> SearchIndex::loaded() const {
  return base_.read([&](const Database& database, const std::string&) -> Result<IndexState> {
    IndexState state;
    WARPMIND_TRY(const auto counters, read_state(database));
    state.last_sequence = counters.last_sequence;
    WARPMIND_TRY(state.catalogue, read_catalogue(database));
    std::array<std::size_t, kSpaces.size()> counts{};
    for (std::int64_t at = 1; at <= state.catalogue.last_document(); ++at) {
      const auto& entry = state.catalogue.at(at);
      state.tokens += entry.tokens;
      for (std::size_t i = 0; i < kSpaces.size(); ++i) {
        if (has_vector(entry, kSpaces.at(i))) ++counts.at(i);
      }
    }
    std::size_t large = 0;
    std::size_t from_files = 0;
    for (std::size_t i = 0; i < kSpaces.size(); ++i) {
      auto& space = state.spaces.at(i);
      if (counts.at(i) <= most_exact()) {
        space.emplace(dimension_of(kSpaces.at(i)));
      } else {
        ++large;
        if (options_.index_files && state.catalogue.alive() >= options_.least_saved) {
          space = load_space(base_, database, kSpaces.at(i), state.catalogue);
        }
        from_files += space ? 1 : 0;
      }
      if (space) WARPMIND_CHECK(fill(database, kSpaces.at(i), *space));
    }
    state.from_snapshot = large > 0 && from_files == large;
    return state;
  });
}

Result<void> SearchIndex::load() {
  const std::lock_guard alone(writer_);
  {
    const std::lock_guard planning(plan_);
    ++generation_;
    wanted_.clear();
  }
  WARPMIND_TRY(auto state, loaded());
  unread_.clear();
  change([&](IndexState& current) { std::swap(current, state); });
  plan_building();
  return {};
}

void SearchIndex::take_commit(const Committed& committed) {
  const std::lock_guard alone(writer_);
  std::vector<std::int64_t> documents = std::exchange(unread_, {});
  documents.insert(documents.end(), committed.documents.begin(), committed.documents.end());
  sort_unique(documents);
  const auto taken = take_in(documents, committed.sequence);
  if (!taken) {
    log::error("knowledge_base", "the search index could not follow a commit; the next tries again",
               {{"why", taken.error().message}});
    unread_ = std::move(documents);
    change([](IndexState& state) { state.shown->clear(); });
    return;
  }
  plan_building();
}

Result<void> SearchIndex::take_in(const std::vector<std::int64_t>& documents,
                                  std::int64_t sequence) {
  return base_.read([&](const Database& database, const std::string&) -> Result<void> {
    std::array<VectorRows, kSpaces.size()> rows;
    for (std::size_t i = 0; i < kSpaces.size(); ++i) {
      WARPMIND_TRY(rows.at(i), read_vectors_of(database, kSpaces.at(i), documents));
    }
    Result<void> result;
    change([&](IndexState& state) {
      state.shown->forget(documents);
      for (const auto document : documents) {
        if (result) result = refresh_entry(database, document, state);
      }
      for (std::size_t i = 0; i < kSpaces.size() && result; ++i) {
        auto& space = state.spaces.at(i);
        if (space) result = space->add(rows.at(i).documents, rows.at(i).values);
      }
      if (result) state.last_sequence = std::max(state.last_sequence, sequence);
    });
    return result;
  });
}

/// Called under writer_.
void SearchIndex::plan_building() {
  std::array<std::size_t, kSpaces.size()> alive{};
  const std::int64_t last = state_.catalogue.last_document();
  const auto overgrown = [&](std::size_t i) {
    const auto& space = state_.spaces.at(i);
    return !space || space->is_outgrown(most_exact());
  };
  const auto bloated = [&](std::size_t i) {
    const auto& space = state_.spaces.at(i);
    if (!space || space->size() < kSlackDead) return false;
    if (static_cast<std::int64_t>(space->size()) <= 2 * state_.catalogue.alive()) return false;
    for (std::int64_t at = 1; at <= last; ++at) {
      if (has_vector(state_.catalogue.at(at), kSpaces.at(i))) ++alive.at(i);
    }
    return space->size() > 2 * alive.at(i) + kSlackDead;
  };
  const std::lock_guard planning(plan_);
  for (std::size_t i = 0; i < kSpaces.size(); ++i) {
    if (wanted_.count(kSpaces.at(i)) == 0 && (overgrown(i) || bloated(i))) {
      wanted_.insert(kSpaces.at(i));
      planned_.notify_all();
    }
  }
}

void SearchIndex::build_until_stopped(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Space space{};
    std::int64_t generation = 0;
    {
      std::unique_lock planning(plan_);
      if (!planned_.wait(planning, stop, [this] { return !wanted_.empty(); })) return;
      space = *wanted_.begin();
      generation = generation_;
    }
    const auto built = build(space, stop);
    if (!built) {
      log::error("knowledge_base", "a vector index could not be made",
                 {{"space", name_of(space)}, {"why", built.error().message}});
    }
    const std::lock_guard planning(plan_);
    if (generation == generation_) wanted_.erase(space);
    planned_.notify_all();
  }
}

Result<void> SearchIndex::build(Space which, const std::stop_token& stop) {
  std::int64_t generation = 0;
  {
    const std::lock_guard planning(plan_);
    generation = generation_;
  }
  const auto documents =
      read([&](const IndexState& state) { return documents_in(state.catalogue, which); });
  const auto rows_of = [&](std::span<const std::int64_t> sample) {
    return base_.read(
        [&](const Database& database, const std::string&) -> Result<std::vector<float>> {
          WARPMIND_TRY(auto rows, read_vectors_of(database, which, sample));
          return std::move(rows.values);
        });
  };
  WARPMIND_TRY(auto space,
               VectorSpace::made_for(documents, dimension_of(which), most_exact(), rows_of));
  std::optional<VectorSpace> made(std::move(space));
  // Most of it while commits go on; what they add meanwhile, with them kept out.
  while (!stop.stop_requested()) {
    const auto added =
        base_.read([&](const Database& database, const std::string&) -> Result<std::size_t> {
          WARPMIND_TRY(const auto rows,
                       read_vectors(database, which, made->last_document(), kRowsAtOnce));
          WARPMIND_CHECK(made->add(rows.documents, rows.values));
          return rows.documents.size();
        });
    if (!added) return fail(added.error());
    if (*added < kRowsAtOnce) break;
  }
  if (stop.stop_requested()) return {};
  const std::lock_guard alone(writer_);
  {
    const std::lock_guard planning(plan_);
    if (generation != generation_) return {};
  }
  WARPMIND_CHECK(base_.read(
      [&](const Database& database, const std::string&) { return fill(database, which, *made); }));
  change([&](IndexState& state) { std::swap(state.spaces.at(place_of(which)), made); });
  return read([&](const IndexState& state) { return save_if_large(which, state); });
}

Result<void> SearchIndex::save_if_large(Space which, const IndexState& state) const {
  const auto& space = state.spaces.at(place_of(which));
  if (!options_.index_files || !space || space->is_exact()) return {};
  if (state.catalogue.alive() < options_.least_saved) return {};
  return save_space(base_, which, *space, state.last_sequence);
}

void SearchIndex::settle() const {
  std::unique_lock planning(plan_);
  planned_.wait(planning, [this] { return wanted_.empty(); });
}

Result<void> SearchIndex::save() const {
  return read([&](const IndexState& state) -> Result<void> {
    for (const Space which : kSpaces) WARPMIND_CHECK(save_if_large(which, state));
    return {};
  });
}

IndexFigures SearchIndex::figures() const {
  return read([](const IndexState& state) {
    IndexFigures figures;
    figures.documents = state.catalogue.offered();
    figures.dead = state.catalogue.last_document() - state.catalogue.alive();
    figures.memory_bytes =
        state.catalogue.memory_bytes() + static_cast<std::int64_t>(state.terms->bytes());
    figures.from_snapshot = state.from_snapshot;
    for (std::size_t i = 0; i < kSpaces.size(); ++i) {
      if (state.spaces.at(i)) figures.memory_bytes += state.spaces.at(i)->memory_bytes();
      figures.embedders += (i == 0 ? "" : " ") + embedder_of(kSpaces.at(i));
    }
    return figures;
  });
}

}  // namespace warpmind::knowledge_base
