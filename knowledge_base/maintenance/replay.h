#pragma once
/// \file
/// The projections of a base, made from nothing but its truth, in a database beside it.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/records.h"
#include "knowledge_base/store_location.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

namespace warpmind::knowledge_base {

/// A database in a folder that goes with it.
class ScratchDatabase {
 public:
  ScratchDatabase(std::unique_ptr<Database> database, std::filesystem::path folder)
      : database_(std::move(database)), folder_(std::move(folder)) {}
  ScratchDatabase(ScratchDatabase&&) = default;
  ScratchDatabase& operator=(ScratchDatabase&&) = delete;
  ScratchDatabase(const ScratchDatabase&) = delete;
  ScratchDatabase& operator=(const ScratchDatabase&) = delete;
  ~ScratchDatabase();

  [[nodiscard]] Database& database() const { return *database_; }

 private:
  std::unique_ptr<Database> database_;
  std::filesystem::path folder_;
};

struct Replay {
  ScratchDatabase copy;  ///< with the projections as they should be
  StoreState state;      ///< counters as they should be
  std::int64_t changes = 0;
};

/// `source` must not change meanwhile. Errors: corrupt_data for truth that cannot be read;
/// cancelled when `stop` asked for it.
[[nodiscard]] Result<Replay> replay_log(const Database& source, const StoreLocation& location,
                                        const std::stop_token& stop);

/// Where the copy lies while it is needed; what a crash left there may be removed.
[[nodiscard]] std::filesystem::path replay_folder(const StoreLocation& location);

}  // namespace warpmind::knowledge_base
