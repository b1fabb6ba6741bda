#include "knowledge_base/retrieval/vector_space.h"

#include "knowledge_base/retrieval/dot_product.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <omp.h>
#include <utility>

#include <faiss/IndexFlat.h>
#include <faiss/IndexIVF.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/impl/io.h>
#include <faiss/index_io.h>

// OpenBLAS declares it in a header of its own, whose place differs between its packages.
extern "C" void openblas_set_num_threads(int count);

namespace warpmind::knowledge_base {
namespace {

using Place = faiss::Index::idx_t;

// Measured at 10^5 and 10^6 documents: docs/retrieval.md.
constexpr double kListsPerRoot = 2;
constexpr std::size_t kProbes = 24;
constexpr std::size_t kWidening = 8;
constexpr std::size_t kEnough = 10;
constexpr int kTrainingRounds = 8;
/// Training vectors; more bring little.
constexpr std::size_t kSampleRows = 100'000;
/// A space of lists is trained again when it grew so much.
constexpr std::size_t kGrowth = 4;
constexpr int kTrainingSeed = 20261121;

/// FAISS throws. Its threads cost a single query more than they bring, so it gets none.
template <class T, class F>
Result<T> guarded(const char* what, const F& work) {
  omp_set_num_threads(1);
  openblas_set_num_threads(1);
  try {
    return work();
  } catch (const std::exception& e) {
    return fail(Errc::external_failure, std::string(what) + ": " + e.what());
  }
}

/// The best so many of what is offered; equal scores by id.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) { kept_.reserve(most + 1); }

  [[nodiscard]] bool would_take(float score) const {
    return kept_.size() < most_ || score > kept_.front().score;
  }
  void take(std::int64_t id, float score) {
    kept_.push_back({id, score});
    std::push_heap(kept_.begin(), kept_.end(), before);
    if (kept_.size() <= most_) return;
    std::pop_heap(kept_.begin(), kept_.end(), before);
    kept_.pop_back();
  }
  [[nodiscard]] std::vector<ScoredDocument> sorted() && {
    std::sort_heap(kept_.begin(), kept_.end(), before);
    return std::move(kept_);
  }

 private:
  static bool before(const ScoredDocument& a, const ScoredDocument& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  }
  std::size_t most_;
  std::vector<ScoredDocument> kept_;  ///< a heap, worst first
};

/// FAISS's exact index with our inner product: as the keeper of exact spaces, and as the quantiser
/// of spaces of lists, where it makes training and adding faster too.
class FlatIndex final : public faiss::IndexFlatIP {
 public:
  explicit FlatIndex(std::size_t dimension) : IndexFlatIP(static_cast<Place>(dimension)) {}
  explicit FlatIndex(const faiss::IndexFlat& other) : IndexFlatIP(other.d) {
    add(other.ntotal, other.get_xb());
  }

  void search(idx_t n, const float* x, idx_t k, float* distances, idx_t* labels,
              const faiss::SearchParameters* /*parameters*/ = nullptr) const override {
    idx_t row = 0;
    if (k == 1) row = nearest_of_blocks(n, x, distances, labels);
    for (; row < n; ++row) {
      const auto best = nearest(x + row * d, static_cast<std::size_t>(k));
      for (idx_t i = 0; i < k; ++i) {
        const bool found = i < std::ssize(best);
        labels[row * k + i] = found ? best[static_cast<std::size_t>(i)].document : -1;
        distances[row * k + i] = found ? best[static_cast<std::size_t>(i)].score : 0;
      }
    }
  }

  /// Places and scores; a place must pass `admits` to be among them.
  template <class Admits>
  [[nodiscard]] std::vector<ScoredDocument> nearest(const float* query, std::size_t most,
                                                    const Admits& admits) const {
    Best best(most);
    const auto dimension = static_cast<std::size_t>(d);
    const float* row = get_xb();
    for (idx_t at = 0; at < ntotal; ++at, row += d) {
      const float score = dot_product(query, row, dimension);
      if (best.would_take(score) && admits(at)) best.take(at, score);
    }
    return std::move(best).sorted();
  }
  [[nodiscard]] std::vector<ScoredDocument> nearest(const float* query, std::size_t most) const {
    return nearest(query, most, [](idx_t) { return true; });
  }

 private:
  /// The nearest of each of the first rows, as many as make whole blocks: what training and adding
  /// ask for. Returns how many those are.
  idx_t nearest_of_blocks(idx_t n, const float* x, float* distances, idx_t* labels) const {
    constexpr auto kRows = static_cast<idx_t>(kBlockRows);
    constexpr auto kColumns = static_cast<idx_t>(kBlockColumns);
    const auto dimension = static_cast<std::size_t>(d);
    const idx_t pairs = ntotal - ntotal % kColumns;
    const idx_t rows = ntotal == 0 ? 0 : n - n % kRows;
    for (idx_t row = 0; row < rows; row += kRows) {
      std::fill_n(distances + row, kRows, std::numeric_limits<float>::lowest());
      const auto offer = [&](idx_t to, idx_t at, float score) {
        if (score <= distances[to]) return;
        distances[to] = score;
        labels[to] = at;
      };
      std::fill_n(labels + row, kRows, 0);
      for (idx_t at = 0; at < pairs; at += kColumns) {
        const auto block = dot_products(x + row * d, get_xb() + at * d, dimension);
        for (std::size_t i = 0; i < block.size(); ++i) {
          offer(row + static_cast<idx_t>(i / kBlockColumns),
                at + static_cast<idx_t>(i % kBlockColumns), block[i]);
        }
      }
      for (idx_t at = pairs; at < ntotal; ++at) {
        for (idx_t to = row; to < row + kRows; ++to) {
          offer(to, at, dot_product(x + to * d, get_xb() + at * d, dimension));
        }
      }
    }
    return rows;
  }
};

/// The hard filters, asked of what would be among the best only: the catalogue lies far away.
bool admits(const VectorSpace::Query& query, std::int64_t document) {
  return query.filter.admits(query.catalogue.at(document));
}

class PieceWriter final : public faiss::IOWriter {
 public:
  explicit PieceWriter(const std::function<Result<void>(std::string_view)>& write)
      : write_(write) {}
  size_t operator()(const void* bytes, size_t size, size_t items) override {
    written_ = write_({static_cast<const char*>(bytes), size * items});
    return written_ ? items : 0;
  }
  [[nodiscard]] const Result<void>& written() const { return written_; }

 private:
  const std::function<Result<void>(std::string_view)>& write_;
  Result<void> written_;
};

class ViewReader final : public faiss::IOReader {
 public:
  explicit ViewReader(std::string_view bytes) : bytes_(bytes) {}
  size_t operator()(void* out, size_t size, size_t items) override {
    // An empty list is read to no address at all, which memcpy must not be given.
    if (size == 0 || items == 0) return 0;
    const size_t whole = std::min(items, bytes_.size() / size);
    std::memcpy(out, bytes_.data(), whole * size);
    bytes_.remove_prefix(whole * size);
    return whole;
  }

 private:
  std::string_view bytes_;
};

struct SavedHead {
  std::int64_t last_document = 0;
  std::uint64_t trained_for = 0;
};

}  // namespace

struct VectorSpace::Content {
  using Lists = faiss::IndexIVFScalarQuantizer;

  std::size_t dimension = 0;
  std::int64_t last_document = 0;
  std::size_t trained_for = 0;
  std::vector<std::int64_t> documents;  ///< by place; exact spaces only
  std::unique_ptr<FlatIndex> flat;
  std::unique_ptr<Lists> lists;
  FlatIndex* centroids = nullptr;  ///< owned by `lists`

  [[nodiscard]] std::vector<ScoredDocument> search_flat(const Query& query) const {
    auto found = flat->nearest(query.vector.data(), query.most, [&](Place place) {
      return admits(query, documents[static_cast<std::size_t>(place)]);
    });
    for (auto& one : found) one.document = documents[static_cast<std::size_t>(one.document)];
    return found;
  }

  /// A code of 8 bits says where a component lies between the least and the largest seen at
  /// training: its product is one of codes, less what does not depend on them.
  [[nodiscard]] std::vector<ScoredDocument> search_lists(const Query& query,
                                                         std::size_t probes) const {
    constexpr float kCodes = 255;
    constexpr float kMiddle = 0.5F;
    const float* least = lists->sq.trained.data();
    const float* range = least + dimension;
    std::vector<float> weights(dimension);
    float constant = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      weights[i] = query.vector[i] * range[i] / kCodes;
      constant += query.vector[i] * least[i] + kMiddle * weights[i];
    }
    Best best(query.most);
    for (const auto& list : centroids->nearest(query.vector.data(), probes)) {
      const auto number = static_cast<std::size_t>(list.document);
      faiss::InvertedLists::ScopedCodes codes(lists->invlists, number);
      const faiss::InvertedLists::ScopedIds ids(lists->invlists, number);
      const std::size_t count = lists->invlists->list_size(number);
      const std::uint8_t* code = codes.get();
      for (std::size_t i = 0; i < count; ++i, code += dimension) {
        const float score = constant + dot_product(weights.data(), code, dimension);
        if (best.would_take(score) && admits(query, ids[i])) best.take(ids[i], score);
      }
    }
    return std::move(best).sorted();
  }
};

VectorSpace::VectorSpace(std::unique_ptr<Content> content) : content_(std::move(content)) {}
VectorSpace::VectorSpace(std::size_t dimension) : content_(std::make_unique<Content>()) {
  content_->dimension = dimension;
  content_->flat = std::make_unique<FlatIndex>(dimension);
}
VectorSpace::~VectorSpace() = default;
VectorSpace::VectorSpace(VectorSpace&&) noexcept = default;
VectorSpace& VectorSpace::operator=(VectorSpace&&) noexcept = default;

Result<VectorSpace> VectorSpace::trained(std::size_t dimension, std::span<float> sample,
                                         std::size_t expected) {
  return guarded<VectorSpace>("training the vector index", [&]() -> Result<VectorSpace> {
    const std::size_t rows = sample.size() / dimension;
    const auto wanted = static_cast<std::size_t>(
        kListsPerRoot * std::sqrt(static_cast<double>(std::max<std::size_t>(expected, 1))));
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(rows, 1));
    auto content = std::make_unique<Content>();
    content->dimension = dimension;
    content->trained_for = expected;
    auto centroids = std::make_unique<FlatIndex>(dimension);
    content->centroids = centroids.get();
    auto lists = std::make_unique<Content::Lists>(centroids.get(), dimension, count,
                                                  faiss::ScalarQuantizer::QT_8bit,
                                                  faiss::METRIC_INNER_PRODUCT, false);
    (void)centroids.release();
    lists->own_fields = true;
    lists->cp.niter = kTrainingRounds;
    lists->cp.seed = kTrainingSeed;
    lists->cp.min_points_per_centroid = 1;  // silences a warning; the caller chose the sample
    lists->train(static_cast<Place>(rows), sample.data());
    content->lists = std::move(lists);
    return VectorSpace(std::move(content));
  });
}

Result<VectorSpace> VectorSpace::made_for(std::span<const std::int64_t> documents,
                                          std::size_t dimension, std::size_t most_exact,
                                          const RowsOf& rows_of) {
  if (documents.size() <= most_exact) return VectorSpace(dimension);
  std::vector<std::int64_t> sample;
  const std::size_t step = std::max<std::size_t>(1, documents.size() / kSampleRows);
  for (std::size_t i = 0; i < documents.size(); i += step) sample.push_back(documents[i]);
  WARPMIND_TRY(auto rows, rows_of(sample));
  return trained(dimension, rows, documents.size());
}

bool VectorSpace::is_outgrown(std::size_t most_exact) const {
  return size() > (is_exact() ? most_exact : kGrowth * std::max(trained_for(), most_exact));
}

Result<void> VectorSpace::add(std::span<const std::int64_t> documents,
                              std::span<const float> vectors) {
  const std::size_t known = static_cast<std::size_t>(
      std::upper_bound(documents.begin(), documents.end(), content_->last_document) -
      documents.begin());
  const auto fresh = documents.subspan(known);
  if (fresh.empty()) return {};
  const float* rows = vectors.data() + known * content_->dimension;
  return guarded<void>("adding to the vector index", [&]() -> Result<void> {
    const auto count = static_cast<Place>(fresh.size());
    if (content_->lists) {
      content_->lists->add_with_ids(count, rows, fresh.data());
    } else {
      content_->flat->add(count, rows);
      content_->documents.insert(content_->documents.end(), fresh.begin(), fresh.end());
    }
    content_->last_document = fresh.back();
    return {};
  });
}

Result<std::vector<ScoredDocument>> VectorSpace::search(const Query& query) const {
  using Found = std::vector<ScoredDocument>;
  return guarded<Found>("searching the vector index", [&]() -> Result<Found> {
    if (!content_->lists) return content_->search_flat(query);
    // With a rare filter, what it admits may lie in any list: look further until enough is found.
    const std::size_t all = content_->lists->nlist;
    const std::size_t enough = std::min(query.most, kEnough);
    Found found = content_->search_lists(query, std::min(kProbes, all));
    for (std::size_t probes = kProbes; found.size() < enough && probes < all;) {
      probes = std::min(probes * kWidening, all);
      found = content_->search_lists(query, probes);
    }
    return found;
  });
}

std::size_t VectorSpace::size() const {
  return static_cast<std::size_t>(content_->lists ? content_->lists->ntotal
                                                  : content_->flat->ntotal);
}
std::size_t VectorSpace::dimension() const { return content_->dimension; }
std::int64_t VectorSpace::last_document() const { return content_->last_document; }
bool VectorSpace::is_exact() const { return content_->lists == nullptr; }
std::size_t VectorSpace::trained_for() const { return content_->trained_for; }

std::int64_t VectorSpace::memory_bytes() const {
  const std::size_t id_bytes = sizeof(std::int64_t);
  std::size_t bytes = content_->documents.capacity() * id_bytes;
  if (content_->lists) {
    bytes += size() * (content_->lists->code_size + id_bytes) +
             content_->lists->nlist * content_->dimension * sizeof(float);
  } else {
    bytes += size() * content_->dimension * sizeof(float);
  }
  return static_cast<std::int64_t>(bytes);
}

void VectorSpace::for_each_document(const std::function<void(std::int64_t document)>& visit) const {
  for (const auto document : content_->documents) visit(document);
  if (!content_->lists) return;
  for (std::size_t list = 0; list < content_->lists->nlist; ++list) {
    const faiss::InvertedLists::ScopedIds ids(content_->lists->invlists, list);
    const std::size_t count = content_->lists->invlists->list_size(list);
    for (std::size_t i = 0; i < count; ++i) visit(ids[i]);
  }
}

std::uint32_t VectorSpace::library_version() {
  return FAISS_VERSION_MAJOR * 10000U + FAISS_VERSION_MINOR * 100U + FAISS_VERSION_PATCH;
}

Result<void> VectorSpace::save(const std::function<Result<void>(std::string_view)>& write) const {
  if (!content_->lists) return fail(Errc::invalid_argument, "an exact space has no snapshot");
  const SavedHead head{content_->last_document, content_->trained_for};
  std::array<char, sizeof head> bytes{};
  std::memcpy(bytes.data(), &head, sizeof head);
  WARPMIND_CHECK(write({bytes.data(), bytes.size()}));
  PieceWriter writer(write);
  auto saved = guarded<void>("writing the vector index", [&]() -> Result<void> {
    faiss::write_index(content_->lists.get(), &writer);
    return {};
  });
  WARPMIND_CHECK(writer.written());
  return saved;
}

Result<VectorSpace> VectorSpace::load(std::string_view bytes) {
  return guarded<VectorSpace>("reading the vector index", [&]() -> Result<VectorSpace> {
    SavedHead head;
    if (bytes.size() < sizeof head) {
      return fail(Errc::corrupt_data, "a snapshot of the vector index is too short");
    }
    std::memcpy(&head, bytes.data(), sizeof head);
    ViewReader reader(bytes.substr(sizeof head));
    std::unique_ptr<faiss::Index> index(faiss::read_index(&reader));
    auto* lists = dynamic_cast<Content::Lists*>(index.get());
    auto* flat = lists == nullptr ? nullptr : dynamic_cast<faiss::IndexFlat*>(lists->quantizer);
    if (flat == nullptr || !lists->own_fields) {
      return fail(Errc::corrupt_data, "a snapshot holds another sort of index");
    }
    auto centroids = std::make_unique<FlatIndex>(*flat);
    delete std::exchange(lists->quantizer, centroids.get());
    auto* kept = centroids.release();  // now owned by `lists`
    auto content = std::make_unique<Content>();
    content->dimension = static_cast<std::size_t>(lists->d);
    content->last_document = head.last_document;
    content->trained_for = static_cast<std::size_t>(head.trained_for);
    content->centroids = kept;
    content->lists.reset(lists);
    (void)index.release();
    return VectorSpace(std::move(content));
  });
}

}  // namespace warpmind::knowledge_base
