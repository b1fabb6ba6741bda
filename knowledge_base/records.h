#pragma once
/// \file
/// What the families hold, as values. Bytes are made of them in record_codec.

#include "base/clock.h"
#include "base/hash.h"
#include "base/model/episode.h"
#include "base/model/job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Version of the layout of keys and families. Records carry their own version byte.
inline constexpr std::int64_t kSchemaVersion = 3;

/// `step` without kernel and measurement, which have records of their own.
struct StoredStep {
  Step step;
  KernelId kernel;
  bool measured = false;
  bool operator==(const StoredStep&) const = default;
};

/// An episode whose steps are in the steps family, or inside when it is held out: then nothing of
/// it may be found by a search through steps or kernels.
struct StoredEpisode {
  Episode episode;
  std::int64_t referenced_steps = 0;
  bool operator==(const StoredEpisode&) const = default;
};

/// `job` without its episode.
struct StoredJob {
  Job job;
  std::optional<EpisodeId> episode;
  bool operator==(const StoredJob&) const = default;
};

/// One acknowledged change. `chain` = SHA-256(chain before || digest).
struct LogRecord {
  std::string kind;  ///< "job_added", "job_updated", "episode", "insights", "rebuild", …
  UnixMillis at;
  std::vector<std::string> ids;
  Digest digest{};  ///< of every key and value that the change wrote
  Digest chain{};
  bool operator==(const LogRecord&) const = default;
};

/// Counters, written with every change in the same batch.
struct StoreState {
  std::int64_t last_sequence = 0;
  std::int64_t next_job = 1;
  Digest chain{};
  std::map<std::string, std::int64_t> records;  ///< by family; secondary keys are not counted
  std::map<std::string, std::int64_t> episodes_by_outcome;
  std::string base_id = {};           ///< 16 hex digits, drawn when the base is made
  std::int64_t next_document = 1;     ///< number of the next search document
  std::int64_t seed_version = 0;      ///< of the seed pack that was loaded last
  std::int64_t rebuild_position = 0;  ///< log position up to which a rebuild got; 0 = none runs

  /// Sum of `records`: what the watermark counts.
  [[nodiscard]] std::int64_t row_count() const {
    std::int64_t sum = 0;
    for (const auto& [family, count] : records) sum += count;
    return sum;
  }
  bool operator==(const StoreState&) const = default;
};

}  // namespace warpmind::knowledge_base
