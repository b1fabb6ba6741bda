#include "knowledge_base/retrieval/endpoint_space.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/part.h"
#include "base/sleep.h"
#include "knowledge_base/disk_space.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/search_index.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/stable_hash.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// What the endpoint is asked to see whether it is there.
constexpr const char* kProbe = "warpmind";
constexpr std::size_t kMissingAtOnce = 4096;
constexpr std::size_t kRowsAtOnce = 1024;
/// Models read a few thousand tokens at most; what is beyond costs and changes nothing.
constexpr std::size_t kLongestText = 8192;
constexpr std::size_t kQuestionsKept = 32;
constexpr int kMostDoublings = 16;
constexpr std::string_view kFilePrefix = "endpoint-";
constexpr std::string_view kFileEnd = ".vectors";

std::uint64_t guard_of(const CatalogueEntry& entry) {
  return mix_bits(entry.id ^ mix_bits(entry.simhash));
}

}  // namespace

EndpointSpace::EndpointSpace(const SearchIndex& index, std::unique_ptr<EmbeddingEndpoint> endpoint,
                             std::size_t most_exact)
    : index_(index),
      endpoint_(std::move(endpoint)),
      most_exact_(most_exact),
      batch_(endpoint_->options().batch),
      worker_([this](const std::stop_token& stop) { work(stop); }) {}

EndpointSpace::~EndpointSpace() {
  worker_.request_stop();
  worker_.join();
}

template <class F>
void EndpointSpace::change(const F& f) {
  {
    const std::lock_guard held(mutex_);
    f(state_);
  }
  changed_.notify_all();
}

void EndpointSpace::look() {
  change([](State& state) {
    state.woken = true;
    state.settled = false;
  });
}

void EndpointSpace::pause() {
  change([this](State& state) {
    state.paused = true;
    state.settled = false;
    (void)vectors_.begin_epoch(0);
  });
}

void EndpointSpace::resume() {
  change([](State& state) {
    state.paused = false;
    state.woken = true;
  });
}

void EndpointSpace::lose(const Error& error, Noticed by) {
  bool is_news = false;
  change([&](State& state) {
    // Of questions that were on the way together, the first one tells.
    if (by == Noticed::question && !state.contact) return;
    is_news = state.trouble.empty();
    state.contact = false;
    state.settled = false;
    state.losses = std::min(state.losses + 1, kMostDoublings);
    state.trouble = error.message;
  });
  if (is_news) {
    log::warn("knowledge_base",
              "the embeddings endpoint cannot be used; texts are compared by the built-in vectors "
              "until it can",
              {{"why", error.message}});
  }
}

std::optional<EndpointVectors::Question> EndpointSpace::ask(const std::string& whole) {
  {
    const std::lock_guard held(mutex_);
    if (!state_.contact || state_.paused) return std::nullopt;
  }
  EndpointVectors::Question question;
  question.epoch = vectors_.epoch();
  const auto known = vectors_.figures();
  if (known.embedded == 0) return std::nullopt;
  const std::pair key(question.epoch, whole.substr(0, kLongestText));
  question.vector = asked_.with([&](const auto& kept) {
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](const auto& one) { return one.first == key; });
    return found == kept.end() ? Vector() : found->second;
  });
  if (!question.vector.empty()) return question;
  auto vector = endpoint_->embed_query(key.second);
  if (!vector) {
    // It answered, and does not like this text.
    if (vector.error().code != Errc::invalid_argument) lose(vector.error(), Noticed::question);
    return std::nullopt;
  }
  if (vector->size() != known.dimension) {
    lose({Errc::corrupt_data, "it answers vectors of " + std::to_string(vector->size()) +
                                  " numbers; those of the base have " +
                                  std::to_string(known.dimension)},
         Noticed::question);
    return std::nullopt;
  }
  question.vector = std::move(*vector);
  asked_.with([&](auto& kept) {
    kept.emplace_back(key, question.vector);
    if (kept.size() > kQuestionsKept) kept.pop_front();
  });
  change([](State& state) { state.losses = 0; });
  return question;
}

EndpointSpace::Figures EndpointSpace::figures() const {
  const std::lock_guard held(mutex_);
  return figures_now();
}

/// Called under mutex_.
EndpointSpace::Figures EndpointSpace::figures_now() const {
  const auto vectors = vectors_.figures();
  return {part<Progress>(state_), vectors.embedded, vectors.memory_bytes};
}

void EndpointSpace::await(const std::function<bool(const Figures&)>& enough) const {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return enough(figures_now()); });
}

void EndpointSpace::work(const std::stop_token& stop) {
  while (wait_for_turn(stop)) {
    const auto done = take_turn(stop);
    if (!done && !stop.stop_requested()) lose(done.error(), Noticed::worker);
  }
}

bool EndpointSpace::wait_for_turn(const std::stop_token& stop) {
  int losses = 0;
  {
    const std::lock_guard held(mutex_);
    if (!state_.contact) losses = state_.losses;
  }
  if (losses > 0) {
    const auto& options = endpoint_->options();
    const std::chrono::milliseconds wait = options.first_wait * (1L << (losses - 1));
    sleep_for(std::min(wait, options.longest_wait), stop);
  }
  std::unique_lock held(mutex_);
  const auto is_due = [this] { return !state_.paused && (!state_.contact || state_.woken); };
  if (!changed_.wait(held, stop, is_due)) return false;
  state_.woken = false;
  return !stop.stop_requested();
}

Result<void> EndpointSpace::take_turn(const std::stop_token& stop) {
  bool contact = false;
  {
    const std::lock_guard held(mutex_);
    contact = state_.contact;
  }
  if (!contact) return regain_contact(stop);
  if (vectors_.epoch() != epoch_) {
    file_.reset();
    remove_files(false);
    WARPMIND_CHECK(begin(dimension_));
  }
  // There may be documents below those that were looked at only where some were left out.
  if (missing_.empty()) find_missing();
  if (missing_.empty()) return finish();
  WARPMIND_CHECK(embed_some(stop));
  change([](State& state) { state.woken = true; });
  return {};
}

/// Contact means that a question is answered in its time; the first request may take longer, for
/// servers load their model for it.
Result<void> EndpointSpace::regain_contact(const std::stop_token& stop) {
  WARPMIND_TRY(const auto vectors, endpoint_->embed({kProbe}, stop));
  WARPMIND_TRY(const auto vector, endpoint_->embed_query(kProbe, stop));
  if (!file_ || vector.size() != dimension_) WARPMIND_CHECK(begin(vector.size()));
  std::string was;
  change([&](State& state) {
    was = std::exchange(state.trouble, {});
    state.contact = true;
    state.woken = true;
  });
  log::info("knowledge_base", "the embeddings endpoint answers",
            {{"embedder", embedder_}, {"after", was}});
  return {};
}

std::filesystem::path EndpointSpace::file_path() const {
  return index_.base().location().index() /
         (std::string(kFilePrefix) + short_hash(embedder_) + std::string(kFileEnd));
}

void EndpointSpace::remove_files(bool others_only) const {
  std::error_code ec;
  std::filesystem::directory_iterator at(index_.base().location().index(), ec);
  std::vector<std::filesystem::path> found;
  for (; !ec && at != std::filesystem::directory_iterator(); at.increment(ec)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kFilePrefix) || !name.ends_with(kFileEnd)) continue;
    if (!others_only || at->path() != file_path()) found.push_back(at->path());
  }
  for (const auto& path : found) std::filesystem::remove(path, ec);
}

/// A new epoch, with what the file of this embedder has.
Result<void> EndpointSpace::begin(std::size_t dimension) {
  file_.reset();
  dimension_ = dimension;
  embedder_ = "http:" + endpoint_->options().model + ":" + std::to_string(dimension);
  epoch_ = vectors_.begin_epoch(dimension);
  cursor_ = 0;
  tidied_ = false;
  missing_.clear();
  refused_.clear();
  WARPMIND_TRY(const auto counters,
               index_.base().read([](const Database& database, const std::string&) {
                 return read_state(database);
               }));
  WARPMIND_TRY(auto file, VectorFile::open(file_path(), {embedder_, counters.base_id, dimension}));
  file_.emplace(std::move(file));
  const auto made = make_space();
  if (!made) {
    file_.reset();
    remove_files(false);
    return fail(made.error());
  }
  change([this](State& state) {
    state.embedder = embedder_;
    state.refused = 0;
  });
  return {};
}

void EndpointSpace::find_missing() {
  const auto embedded = vectors_.embedded();
  index_.read([&](const IndexState& state) {
    const auto& catalogue = state.catalogue;
    while (cursor_ < catalogue.last_document() && missing_.size() < kMissingAtOnce) {
      const auto& entry = catalogue.at(++cursor_);
      const auto at = static_cast<std::size_t>(cursor_);
      const bool known = at < embedded.size() && embedded[at];
      if (!entry.exists() || known || refused_.contains(cursor_)) continue;
      missing_.push_back({cursor_, insight_id_of(entry), guard_of(entry)});
    }
  });
}

/// Leaves out of `documents` those that died meanwhile.
Result<std::vector<std::string>> EndpointSpace::texts_of(std::vector<Missing>& documents) const {
  return index_.base().read(
      [&](const Database& database, const std::string&) -> Result<std::vector<std::string>> {
        std::vector<std::string> texts;
        std::vector<Missing> alive;
        for (auto& one : documents) {
          const auto insight = read_insight(database, one.id);
          if (!insight && insight.error().code == Errc::not_found) continue;
          if (!insight) return fail(insight.error());
          if (insight->document != one.document) continue;
          texts.push_back(searched_text(*insight).substr(0, kLongestText));
          alive.push_back(std::move(one));
        }
        documents = std::move(alive);
        return texts;
      });
}

Result<void> EndpointSpace::embed_some(const std::stop_token& stop) {
  const std::size_t tried = std::min(batch_, missing_.size());
  const auto end = missing_.begin() + static_cast<std::ptrdiff_t>(tried);
  std::vector<Missing> documents(missing_.begin(), end);
  WARPMIND_TRY(const auto texts, texts_of(documents));
  if (!texts.empty()) {
    auto vectors = endpoint_->embed(texts, stop);
    if (!vectors) return doubt(tried, vectors.error(), stop);
    if (vectors->front().size() != dimension_) {
      return doubt(
          tried,
          {Errc::corrupt_data, "it answers vectors of " + std::to_string(vectors->front().size()) +
                                   " numbers, before of " + std::to_string(dimension_)},
          stop);
    }
    WARPMIND_CHECK(store(documents, std::move(*vectors)));
  }
  missing_.erase(missing_.begin(), end);
  batch_ = std::min(2 * batch_, endpoint_->options().batch);
  return {};
}

/// Some documents were not embedded: is it the endpoint, or is it one of them?
Result<void> EndpointSpace::doubt(std::size_t tried, const Error& error,
                                  const std::stop_token& stop) {
  if (stop.stop_requested()) return {};
  WARPMIND_TRY(const auto vectors, endpoint_->embed({kProbe}, stop));
  if (vectors.front().size() != dimension_) return begin(vectors.front().size());
  batch_ = std::max<std::size_t>(1, tried / 2);
  // By itself and twice, with the endpoint there each time: then it is the document.
  const Missing one = missing_.front();
  if (tried > 1 || std::exchange(suspect_, one.document) != one.document) return {};
  missing_.pop_front();
  refused_.insert(one.document);
  const bool first = refused_.size() == 1;
  change([this](State& state) { state.refused = std::ssize(refused_); });
  if (first) {
    log::warn("knowledge_base",
              "the embeddings endpoint does not embed an insight; it keeps its built-in vector, as "
              "will others like it",
              {{"insight", one.id}, {"why", error.message}});
  }
  return {};
}

Result<void> EndpointSpace::store(const std::vector<Missing>& documents,
                                  EmbeddingEndpoint::Vectors vectors) {
  const auto& location = index_.base().location();
  const auto bytes = static_cast<std::int64_t>(file_->bytes_of(documents.size()));
  WARPMIND_CHECK(
      require_space(location.free_space, location.directory, bytes, location.reserve_bytes));
  std::vector<VectorRow> rows;
  std::vector<std::int64_t> numbers;
  std::vector<float> values;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    numbers.push_back(documents[i].document);
    values.insert(values.end(), vectors[i].begin(), vectors[i].end());
    rows.push_back({documents[i].document, documents[i].guard, std::move(vectors[i])});
  }
  WARPMIND_CHECK(file_->append(rows));
  WARPMIND_TRY(const bool in_order, vectors_.add(epoch_, numbers, values));
  disordered_ = disordered_ || !in_order;
  change([](State&) {});
  return {};
}

Result<void> EndpointSpace::finish() {
  if (disordered_ || vectors_.is_outgrown(most_exact_)) WARPMIND_CHECK(make_space());
  if (!std::exchange(tidied_, true)) remove_files(true);
  change([](State& state) { state.settled = !state.woken && !state.paused; });
  return {};
}

Result<void> EndpointSpace::make_space() {
  std::vector<std::int64_t> documents;
  index_.read([&](const IndexState& state) {
    for (std::int64_t at = 1; at <= state.catalogue.last_document(); ++at) {
      const auto& entry = state.catalogue.at(at);
      if (entry.exists() && file_->has(at, guard_of(entry))) documents.push_back(at);
    }
  });
  const auto rows_of = [this](std::span<const std::int64_t> some) -> Result<std::vector<float>> {
    std::vector<float> values(some.size() * dimension_);
    for (std::size_t i = 0; i < some.size(); ++i) {
      WARPMIND_CHECK(file_->read(some[i], std::span(values).subspan(i * dimension_, dimension_)));
    }
    return values;
  };
  WARPMIND_TRY(auto space, VectorSpace::made_for(documents, dimension_, most_exact_, rows_of));
  for (std::size_t at = 0; at < documents.size(); at += kRowsAtOnce) {
    const auto some =
        std::span(documents).subspan(at, std::min(kRowsAtOnce, documents.size() - at));
    WARPMIND_TRY(const auto values, rows_of(some));
    WARPMIND_CHECK(space.add(some, values));
  }
  vectors_.replace(epoch_, std::move(space), documents);
  disordered_ = false;
  return {};
}

std::string EndpointSpace::summary() const {
  const auto now = figures();
  if (now.embedder.empty() && now.trouble.empty()) return "not asked yet";
  const auto embedded = vectors_.embedded();
  std::int64_t alive = 0;
  std::int64_t done = 0;
  index_.read([&](const IndexState& state) {
    for (std::int64_t at = 1; at <= state.catalogue.last_document(); ++at) {
      if (!state.catalogue.at(at).exists()) continue;
      ++alive;
      const auto place = static_cast<std::size_t>(at);
      if (place < embedded.size() && embedded[place]) ++done;
    }
  });
  std::string text;
  if (!now.embedder.empty()) {
    text = std::to_string(done) + " of " + std::to_string(alive) + " insights embedded by " +
           now.embedder;
  }
  if (now.refused > 0) text += ", " + std::to_string(now.refused) + " refused";
  if (now.trouble.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "not used, the built-in vectors serve: " + now.trouble;
}

}  // namespace warpmind::knowledge_base
