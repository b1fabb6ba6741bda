#pragma once
/// \file
/// A file that holds the vector index of one space: a cache of the base, never needed, never
/// believed unread. FAISS crashes or lies on damaged bytes, so nothing of it is parsed before its
/// checksum fits, and a file is used only for the base, embedder and history it was made of.

#include "base/hash.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// What must fit before the payload is looked at.
struct SnapshotHeader {
  std::string space;          ///< "text"
  std::string embedder;       ///< id
  std::string base;           ///< id of the base
  std::uint32_t library = 0;  ///< version of FAISS, 1.7.3 = 10703
  std::uint32_t dimension = 0;
  std::uint64_t count = 0;         ///< vectors
  std::int64_t last_sequence = 0;  ///< newest change of the base that it knows
  Digest chain{};                  ///< of the log at that change: the history it belongs to
  bool operator==(const SnapshotHeader&) const = default;
};

using WritePiece = std::function<Result<void>(std::string_view piece)>;

/// Writes beside the target, syncs, renames, syncs the folder. `payload` calls its argument with
/// the pieces. Errors: unavailable (disk full), external_failure, those of `payload`.
[[nodiscard]] Result<void> write_snapshot(
    const std::filesystem::path& path, const SnapshotHeader& header,
    const std::function<Result<void>(const WritePiece& write)>& payload);

/// A file whose checksums fit, mapped into memory.
class SnapshotFile {
 public:
  /// Errors: not_found; corrupt_data for anything else than a whole file of this format.
  [[nodiscard]] static Result<SnapshotFile> open(const std::filesystem::path& path);
  ~SnapshotFile();
  SnapshotFile(SnapshotFile&& other) noexcept;
  SnapshotFile& operator=(SnapshotFile&&) = delete;
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;

  [[nodiscard]] const SnapshotHeader& header() const { return header_; }
  [[nodiscard]] std::string_view payload() const { return payload_; }

 private:
  SnapshotFile() = default;
  void* mapped_ = nullptr;
  std::size_t length_ = 0;
  SnapshotHeader header_{};
  std::string_view payload_;
};

}  // namespace warpmind::knowledge_base
