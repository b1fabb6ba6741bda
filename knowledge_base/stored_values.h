#pragma once
/// \file
/// Reads values that are spread over several records back together, from one snapshot.

#include "base/model/advice.h"
#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/records.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpmind::knowledge_base {

/// One consistent state of the base. The database must outlive it.
class StoredValues {
 public:
  explicit StoredValues(const Database& database)
      : database_(database), snapshot_(database.snapshot()) {}

  /// With steps, kernels and measurements. Errors: corrupt_data if one of them is missing.
  [[nodiscard]] Result<std::optional<Episode>> episode(std::int64_t number) const;
  [[nodiscard]] Result<std::optional<Draft>> draft(std::int64_t number) const;
  [[nodiscard]] Result<std::vector<Exchange>> exchanges(std::int64_t episode,
                                                        std::size_t position) const;
  /// With its episode.
  [[nodiscard]] Result<std::optional<Job>> job(std::int64_t number) const;
  [[nodiscard]] Result<std::vector<Job>> unfinished_jobs() const;
  [[nodiscard]] Result<std::vector<Job>> recent_jobs(std::int64_t limit) const;
  /// Without their episodes.
  [[nodiscard]] Result<std::vector<Job>> recent_records(std::int64_t limit) const;
  [[nodiscard]] Result<Advice> advice(const RecallQuery& query) const;
  [[nodiscard]] Result<StoreState> state() const;

 private:
  [[nodiscard]] Result<std::optional<std::string>> get(Family family,
                                                       const std::string& key) const {
    return database_.get(family, key, snapshot_.get());
  }
  /// A record that another one refers to. Errors: corrupt_data if it is missing.
  [[nodiscard]] Result<std::string> required(Family family, const std::string& key,
                                             const std::string& what) const;
  [[nodiscard]] Result<Step> step(std::int64_t episode, std::size_t position) const;
  [[nodiscard]] Result<std::vector<StoredJob>> newest(std::int64_t limit) const;
  [[nodiscard]] Result<Job> joined(StoredJob stored) const;
  [[nodiscard]] Result<std::optional<RememberedKernel>> remembered(const RecallQuery& query) const;

  const Database& database_;
  Snapshot snapshot_;
};

}  // namespace warpmind::knowledge_base
