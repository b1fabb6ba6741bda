#pragma once
/// \file
/// The catalogue in memory, and the hard filters of a query over it.

#include "knowledge_base/retrieval/catalogue_entry.h"
#include "knowledge_base/retrieval/query.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Entries by document number. Not thread-safe.
class Catalogue {
 public:
  /// Adds, replaces or (an entry that does not exist) removes. `document` counts from 1.
  void set(std::int64_t document, const CatalogueEntry& entry);
  /// An entry that does not exist for a number never given, or given to a document that died.
  [[nodiscard]] const CatalogueEntry& at(std::int64_t document) const {
    const auto index = static_cast<std::size_t>(document);
    return index < entries_.size() ? entries_[index] : entries_[0];
  }
  [[nodiscard]] std::int64_t last_document() const {
    return static_cast<std::int64_t>(entries_.size()) - 1;
  }
  [[nodiscard]] std::int64_t alive() const { return alive_; }
  [[nodiscard]] std::int64_t offered() const { return offered_; }
  [[nodiscard]] std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>(entries_.capacity() * sizeof(CatalogueEntry));
  }
  void reserve(std::size_t documents) { entries_.reserve(documents + 1); }

 private:
  std::vector<CatalogueEntry> entries_{CatalogueEntry{}};  ///< [0] is no document
  std::int64_t alive_ = 0;
  std::int64_t offered_ = 0;
};

/// The hard filters of one query, made once, asked of thousands of entries.
class QueryFilter {
 public:
  /// `tokens`: of the query's text.
  explicit QueryFilter(const InsightQuery& query, const std::vector<std::string>& tokens = {});

  /// Never refuses what applies(); masks may let a stranger through.
  [[nodiscard]] bool admits(const CatalogueEntry& entry) const {
    return entry.exists() && admits_standing(entry) && admits_scope(entry);
  }
  /// The same, exactly, by the names in the insight itself.
  [[nodiscard]] bool applies(const Insight& insight) const;
  /// Whether the text names operators ("in a transpose") and the entry was learned on others alone.
  [[nodiscard]] bool is_of_other_operators(const CatalogueEntry& entry) const {
    return named_families_ != 0 && entry.family_bits != 0 &&
           (entry.family_bits & named_families_) == 0;
  }

 private:
  [[nodiscard]] bool admits_standing(const CatalogueEntry& entry) const {
    if (query_->offered_only && !is_offered(entry.state)) return false;
    if (entry.trust < query_->least_trust) return false;
    if (!spaces_.empty() && !is_open(entry.space_hash)) return false;
    return techniques_ == 0 || (entry.technique_bits & techniques_) != 0;
  }
  [[nodiscard]] bool admits_scope(const CatalogueEntry& entry) const {
    const auto disjoint = [](auto scope, auto asked) {
      return scope != 0 && asked != 0 && (scope & asked) == 0;
    };
    if (disjoint(entry.family_bits, family_) || disjoint(entry.dtype_bits, dtypes_)) return false;
    if (disjoint(entry.bottleneck_bits, bottlenecks_)) return false;
    if (capability_ != 0 && capability_ < entry.capability_min) return false;
    if (capability_ != 0 && entry.capability_max != 0 && capability_ > entry.capability_max) {
      return false;
    }
    if (device_ != 0 && entry.device_hash != 0 && device_ != entry.device_hash) return false;
    return !query_->contracts || (entry.contract_bits & ~contracts_) == 0;
  }
  [[nodiscard]] bool is_open(std::uint64_t space) const;

  const InsightQuery* query_;
  std::vector<std::uint64_t> spaces_;
  std::uint64_t techniques_ = 0;
  std::uint64_t family_ = 0;
  std::uint64_t named_families_ = 0;
  std::uint64_t contracts_ = 0;
  std::uint64_t device_ = 0;
  std::uint16_t dtypes_ = 0;
  std::uint16_t bottlenecks_ = 0;
  std::int64_t capability_ = 0;
};

}  // namespace warpmind::knowledge_base
