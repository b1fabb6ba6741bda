#pragma once
/// \file
/// A second space for texts, whose vectors come from an embeddings endpoint. A cache beside the
/// base: no change of the base waits for it or depends on it.

#include "base/guarded.h"
#include "base/result.h"
#include "knowledge_base/embedding/embedding_endpoint.h"
#include "knowledge_base/retrieval/endpoint_vectors.h"
#include "knowledge_base/retrieval/vector_file.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

class SearchIndex;

/// Does:      embed what the index holds in the background, keep the vectors in a file, embed
///            questions, notice that the endpoint is gone and when it is back.
/// Does not:  hold a lock while it waits for the endpoint; fail a search.
/// Threads:   all functions from any thread at the same time.
class EndpointSpace {
 public:
  /// `index` must outlive it. Up to `most_exact` vectors each is compared with a question.
  EndpointSpace(const SearchIndex& index, std::unique_ptr<EmbeddingEndpoint> endpoint,
                std::size_t most_exact);
  ~EndpointSpace();
  EndpointSpace(const EndpointSpace&) = delete;
  EndpointSpace& operator=(const EndpointSpace&) = delete;

  /// Takes as long as query_timeout at most; no time while the endpoint is known to be gone.
  /// nullopt: the built-in space answers alone. To be called without a lock.
  [[nodiscard]] std::optional<EndpointVectors::Question> ask(const std::string& text);
  [[nodiscard]] const EndpointVectors& vectors() const { return vectors_; }
  [[nodiscard]] double near() const { return endpoint_->options().near; }

  /// There may be new documents.
  void look();
  /// Forgets every vector, in memory and on disk, and makes none until resume().
  void pause();
  void resume();

  struct Progress {
    std::string embedder;      ///< "http:MODEL:DIMENSION"; empty until the first answer
    std::int64_t refused = 0;  ///< documents that the endpoint does not embed
    bool contact = false;      ///< it answered when it was last asked
    bool settled = false;      ///< nothing is left to be embedded
    std::string trouble;       ///< why there is no contact
  };
  struct Figures : Progress {
    std::int64_t embedded = 0;  ///< documents
    std::int64_t memory_bytes = 0;
  };
  [[nodiscard]] Figures figures() const;
  /// "4 of 5 insights embedded by http:MODEL:384", and why it is not used, for a person.
  [[nodiscard]] std::string summary() const;
  /// Returns when `enough` is true of the figures. It is asked after each change of them,
  /// under a lock.
  void await(const std::function<bool(const Figures&)>& enough) const;

 private:
  /// A document without a vector.
  struct Missing {
    std::int64_t document = 0;
    InsightId id;
    std::uint64_t guard = 0;
  };
  struct State : Progress {
    bool paused = false;
    bool woken = true;  ///< there may be something to embed
    int losses = 0;     ///< of contact, since a question was last answered
  };

  template <class F>
  void change(const F& f);
  enum class Noticed { question, worker };
  void lose(const Error& error, Noticed by);
  [[nodiscard]] Figures figures_now() const;
  void work(const std::stop_token& stop);
  [[nodiscard]] bool wait_for_turn(const std::stop_token& stop);
  [[nodiscard]] Result<void> take_turn(const std::stop_token& stop);
  [[nodiscard]] Result<void> regain_contact(const std::stop_token& stop);
  [[nodiscard]] Result<void> begin(std::size_t dimension);
  [[nodiscard]] Result<void> embed_some(const std::stop_token& stop);
  [[nodiscard]] Result<void> doubt(std::size_t tried, const Error& error,
                                   const std::stop_token& stop);
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] Result<void> store(const std::vector<Missing>& documents,
                                   EmbeddingEndpoint::Vectors vectors);
  [[nodiscard]] Result<void> make_space();
  void find_missing();
  [[nodiscard]] Result<std::vector<std::string>> texts_of(std::vector<Missing>& documents) const;
  [[nodiscard]] std::filesystem::path file_path() const;
  void remove_files(bool others_only) const;

  const SearchIndex& index_;
  const std::unique_ptr<EmbeddingEndpoint> endpoint_;
  const std::size_t most_exact_;
  EndpointVectors vectors_;
  mutable std::mutex mutex_;  ///< of state_; taken before the lock of vectors_, if both
  mutable std::condition_variable_any changed_;
  State state_;
  /// Of an epoch and a text, newest last: the steps of an episode ask the same things again.
  Guarded<std::deque<std::pair<std::pair<std::int64_t, std::string>, Vector>>> asked_;

  // The worker's own.
  std::optional<VectorFile> file_;
  std::string embedder_;
  std::int64_t epoch_ = 0;  ///< that file_ belongs to
  std::size_t dimension_ = 0;
  std::size_t batch_ = 0;
  std::int64_t cursor_ = 0;      ///< documents up to it were looked at
  std::deque<Missing> missing_;  ///< of those, in ascending order
  std::int64_t suspect_ = 0;     ///< failed by itself, once
  std::set<std::int64_t> refused_;
  bool disordered_ = false;  ///< the file has vectors that the space could not take in
  bool tidied_ = false;      ///< files of other embedders are gone
  std::jthread worker_;
};

}  // namespace warpmind::knowledge_base
