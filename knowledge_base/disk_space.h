#pragma once
/// \file
/// Free space. RocksDB aborts the process on a full disk, so we never let it get there.

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace warpmind::knowledge_base {

/// Bytes that this process may still write at a path; injected in tests.
using FreeSpace = std::function<Result<std::int64_t>(const std::filesystem::path&)>;

/// By statvfs.
[[nodiscard]] Result<std::int64_t> free_space_at(const std::filesystem::path& path);

/// Errors: unavailable "disk nearly full: …" when writing `bytes` more would leave less than
/// `reserve_bytes`.
[[nodiscard]] Result<void> require_space(const FreeSpace& free_space,
                                         const std::filesystem::path& path, std::int64_t bytes,
                                         std::int64_t reserve_bytes);

/// Bytes in files under `path`; files that vanish while counting count 0.
[[nodiscard]] std::int64_t size_on_disk(const std::filesystem::path& path);

}  // namespace warpmind::knowledge_base
