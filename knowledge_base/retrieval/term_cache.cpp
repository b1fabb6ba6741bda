#include "knowledge_base/retrieval/term_cache.h"

#include "knowledge_base/retrieval/postings.h"

namespace warpmind::knowledge_base {
namespace {

/// What an entry costs beside its postings and its name, about.
constexpr std::size_t kEntryBytes = 256;

}  // namespace

std::size_t KnownTerm::valid_buckets(std::int64_t newest) const {
  if (newest == last_document) return holders.size();
  // All but the one that may still grow.
  return newest > last_document ? static_cast<std::size_t>(bucket_of(last_document + 1)) : 0;
}

std::size_t KnownTerm::bytes() const {
  std::size_t bytes = kEntryBytes + holders.capacity() * sizeof(std::uint32_t);
  for (const auto& bucket : postings) bytes += sizeof(std::string) + bucket.capacity();
  return bytes;
}

std::shared_ptr<const KnownTerm> TermCache::find(const std::string& term) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(term);
  if (found == places_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->known;
}

void TermCache::put(const std::string& term, std::shared_ptr<const KnownTerm> known) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(term);
  if (found != places_.end()) {
    const auto place = found->second;
    bytes_ -= place->known->bytes();
    places_.erase(found);  // its key lies in the entry
    order_.erase(place);
  }
  bytes_ += known->bytes();
  order_.push_front({term, std::move(known)});
  places_.emplace(order_.front().term, order_.begin());
  while (bytes_ > most_bytes_ && order_.size() > 1) {
    const auto& oldest = order_.back();
    bytes_ -= oldest.known->bytes();
    places_.erase(oldest.term);
    order_.pop_back();
  }
}

std::size_t TermCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace warpmind::knowledge_base
