#pragma once
/// \file
/// Vectors that came from elsewhere, in a file beside the base: a cache that may be lost at any
/// time and is never believed unread. Rows are appended; each has its own checksum.

#include "base/file.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// What the whole file is of. A file of anything else is made anew.
struct VectorFileKind {
  std::string embedder;  ///< "http:MODEL:DIMENSION"
  std::string base;      ///< id of the base
  std::size_t dimension = 0;
};

struct VectorRow {
  std::int64_t document = 0;
  std::uint64_t guard =
      0;  ///< of what the document was: a document of the same number may be another
  std::vector<float> vector;
};

/// Not thread-safe.
class VectorFile {
 public:
  /// Reads every row once; damaged ones and a torn end are left out. Makes the file where there is
  /// none that fits. Errors: external_failure, unavailable (disk full).
  [[nodiscard]] static Result<VectorFile> open(const std::filesystem::path& path,
                                               const VectorFileKind& kind);

  /// Whether the newest row of `document` has this guard.
  [[nodiscard]] bool has(std::int64_t document, std::uint64_t guard) const;
  /// Bytes that append() will write.
  [[nodiscard]] std::size_t bytes_of(std::size_t rows) const { return rows * row_bytes(); }
  /// All or nothing, as far as later readers see. Not synced. Errors: external_failure,
  /// unavailable.
  [[nodiscard]] Result<void> append(std::span<const VectorRow> rows);
  /// The newest vector of a document that it has. Errors: external_failure; corrupt_data.
  [[nodiscard]] Result<void> read(std::int64_t document, std::span<float> out) const;

  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  /// Where the newest row of a document is; row 0 = nowhere, they count from 1.
  struct Place {
    std::uint64_t guard = 0;
    std::uint64_t row = 0;
  };
  VectorFile(UniqueFd file, std::size_t dimension, std::size_t header_bytes)
      : file_(std::move(file)), dimension_(dimension), header_bytes_(header_bytes) {}
  Result<void> index_rows();
  [[nodiscard]] std::size_t row_bytes() const;
  [[nodiscard]] std::string encode(const VectorRow& row) const;
  void note(std::int64_t document, Place place);

  UniqueFd file_;
  std::size_t dimension_ = 0;
  std::size_t header_bytes_ = 0;
  std::size_t rows_ = 0;
  std::vector<Place> places_;  ///< by document
};

}  // namespace warpmind::knowledge_base
