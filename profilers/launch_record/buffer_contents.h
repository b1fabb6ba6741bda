#pragma once
/// \file
/// What a program's buffers hold when a launch gets them, kept in files beside its record. A
/// recorder does not know element types: it keeps bytes, and who reads the source interprets them.

#include "profilers/launch_record/cuda_call.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// Buffers up to here are kept whole.
inline constexpr std::uint64_t kMostContentsBytes = std::uint64_t{1} << 20U;
/// Of larger ones, pieces: enough for statistics, and neighbours stay together.
inline constexpr std::uint64_t kContentsPieceBytes = 256;
inline constexpr std::uint64_t kContentsPieces = 256;
/// Of a program, in files; buffers that no longer fit are not kept.
inline constexpr std::uint64_t kMostProgramContentsBytes = std::uint64_t{8} << 20U;

/// Equally long pieces of device memory, `stride` bytes from start to start.
struct MemoryPieces {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< of one
  std::uint64_t stride = 0;
  std::uint64_t count = 1;
};

/// Copies the pieces to `to`, one behind the other, as work of `stream` would find them; false
/// where that cannot be done now.
using MemoryReader = std::function<bool(const MemoryPieces& from, std::uint64_t stream, char* to)>;

/// Names a file by what it holds: 64 bits of FNV-1a and the length, hexadecimal. Not SHA-256, whose
/// library would come into the programs of users.
[[nodiscard]] std::string contents_name(std::string_view bytes);

/// The folder of the files that belong to a record: "record.contents".
[[nodiscard]] std::filesystem::path contents_folder(const std::filesystem::path& record);

/// Not thread-safe.
class ContentsKeeper {
 public:
  /// Makes `folder` when there is something to keep; what an earlier run left there goes.
  ContentsKeeper(std::filesystem::path folder, MemoryReader read);

  /// Follows allocations; for a launch, keeps what the buffers hold that it gets a pointer into,
  /// and returns the lines that say so. Only the first launches of a kernel with the same extents
  /// and scalars are looked at, and only buffers that something may have written.
  [[nodiscard]] std::vector<CudaCall> before(const CudaCall& call);

 private:
  struct Buffer {
    std::uint64_t bytes = 0;
    bool may_be_written = false;
  };
  using Buffers = std::map<std::uint64_t, Buffer>;

  [[nodiscard]] Buffers::iterator find(std::uint64_t address);
  void follow(const CudaCall& call);
  [[nodiscard]] std::vector<Buffers::iterator> buffers_of(const CudaCall& launch);
  [[nodiscard]] bool is_worth_it(const CudaCall& launch);
  [[nodiscard]] std::vector<CudaCall> keep(const CudaCall& launch);
  [[nodiscard]] bool keep_file(const std::string& name, std::string_view bytes);

  std::filesystem::path folder_;
  MemoryReader read_;
  Buffers buffers_;                          ///< live, by address
  std::map<std::string, std::size_t> seen_;  ///< launches, by kernel, extents and scalars
  std::set<std::string> files_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace warpmind::profilers
