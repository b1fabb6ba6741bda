#pragma once
/// \file
/// The acknowledged watermark: how much the base must hold, kept outside of it.
///
/// A damaged WAL or MANIFEST can leave a database that is older yet consistent in itself; nothing
/// inside can notice. The file says what was acknowledged. Each record is in its slot twice, so
/// that a damaged byte or sector costs nothing. Format and rules: docs/storage.md.

#include "base/file.h"
#include "base/hash.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace warpmind::knowledge_base {

struct WatermarkRecord {
  std::uint64_t generation = 0;  ///< counts writes of the file; its parity names the slot
  std::int64_t last_sequence = 0;
  std::int64_t row_count = 0;
  Digest chain{};
  bool operator==(const WatermarkRecord&) const = default;
};

/// What a look at the file found.
struct WatermarkReading {
  bool exists = false;
  int damaged_slots = 0;                  ///< slots with bytes in them that fail their checksum
  int blank_slots = 0;                    ///< slots of zeros: never written, or wiped
  std::optional<WatermarkRecord> newest;  ///< of the intact slots
  /// The slot that cannot be read may have held a newer record than `newest`. Its batch was written
  /// before it: a database that is not ahead of `newest` has lost that batch, or nothing is lost
  /// and the slot was the older one. Nobody can tell.
  bool unsure = false;
};

[[nodiscard]] Result<WatermarkReading> read_watermark(const std::filesystem::path& file);

/// A watermark for a copy of a base: made with `record` in both slots.
[[nodiscard]] Result<void> write_watermark(const std::filesystem::path& file,
                                           const WatermarkRecord& record);

/// Writer of the file. Not thread-safe.
class Watermark {
 public:
  /// Opens the file, made when it does not exist. advance() continues after `newest`.
  /// Errors: external_failure; unavailable when the disk is full.
  [[nodiscard]] static Result<Watermark> open(const std::filesystem::path& file,
                                              const std::optional<WatermarkRecord>& newest);

  /// Writes the slot that does not hold the newest record and syncs it. After an error the newest
  /// record is still in the other slot.
  [[nodiscard]] Result<void> advance(std::int64_t last_sequence, std::int64_t row_count,
                                     const Digest& chain);

 private:
  Watermark(UniqueFd fd, std::uint64_t generation) : fd_(std::move(fd)), generation_(generation) {}

  UniqueFd fd_;
  std::uint64_t generation_ = 0;
};

}  // namespace warpmind::knowledge_base
