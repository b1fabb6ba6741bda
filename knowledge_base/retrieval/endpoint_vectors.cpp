#include "knowledge_base/retrieval/endpoint_vectors.h"

#include "knowledge_base/retrieval/text_merge.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace warpmind::knowledge_base {

std::int64_t EndpointVectors::begin_epoch(std::size_t dimension) {
  const std::unique_lock held(lock_);
  dimension_ = dimension;
  space_.reset();
  embedded_.clear();
  count_ = 0;
  return ++epoch_;
}

std::int64_t EndpointVectors::epoch() const {
  const std::shared_lock held(lock_);
  return epoch_;
}

void EndpointVectors::mark(std::span<const std::int64_t> documents) {
  for (const auto document : documents) {
    const auto at = static_cast<std::size_t>(document);
    if (at >= embedded_.size()) embedded_.resize(at + 1);
    embedded_[at] = true;
  }
  count_ += std::ssize(documents);
}

void EndpointVectors::replace(std::int64_t epoch, VectorSpace space,
                              std::span<const std::int64_t> documents) {
  const std::unique_lock held(lock_);
  if (epoch != epoch_) return;
  space_.emplace(std::move(space));
  embedded_.clear();
  count_ = 0;
  mark(documents);
}

Result<bool> EndpointVectors::add(std::int64_t epoch, std::span<const std::int64_t> documents,
                                  std::span<const float> values) {
  const std::unique_lock held(lock_);
  if (epoch != epoch_ || !space_) return true;
  const auto fresh = std::upper_bound(documents.begin(), documents.end(), space_->last_document());
  const auto late = static_cast<std::size_t>(fresh - documents.begin());
  WARPMIND_CHECK(space_->add(documents, values));
  mark(documents.subspan(late));
  return late == 0;
}

Result<RankedList> EndpointVectors::ranked(const Question& question, const Ranked& by) const {
  const std::shared_lock held(lock_);
  if (question.epoch != epoch_ || !space_ || space_->size() == 0) return by.built_in;
  EndpointHits hits;
  WARPMIND_TRY(hits.nearest, space_->search({question.vector, by.most, by.catalogue, by.filter}));
  const auto alive = static_cast<double>(std::max<std::int64_t>(by.catalogue.alive(), 1));
  hits.share = std::min(1.0, static_cast<double>(count_) / alive);
  hits.near = by.near;
  const auto is_embedded = [this](std::int64_t document) {
    const auto at = static_cast<std::size_t>(document);
    return at < embedded_.size() && embedded_[at];
  };
  return merge_texts(by.built_in, hits, is_embedded, by.most);
}

std::vector<bool> EndpointVectors::embedded() const {
  const std::shared_lock held(lock_);
  return embedded_;
}

bool EndpointVectors::is_outgrown(std::size_t most_exact) const {
  const std::shared_lock held(lock_);
  return space_ && space_->is_outgrown(most_exact);
}

EndpointVectors::Figures EndpointVectors::figures() const {
  const std::shared_lock held(lock_);
  Figures figures;
  figures.embedded = count_;
  figures.dimension = dimension_;
  if (!space_) return figures;
  figures.memory_bytes = space_->memory_bytes();
  figures.is_exact = space_->is_exact();
  return figures;
}

}  // namespace warpmind::knowledge_base
