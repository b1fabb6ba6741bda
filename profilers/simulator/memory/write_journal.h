#pragma once
/// \file
/// What pages of memory held before they were written, so that it can be put back.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace warpmind::simulator {

/// Threads: one.
class WriteJournal {
 public:
  /// Before `bytes` bytes from `offset` of `memory` change. Pages are kept once.
  void before_write(const std::byte* memory, std::uint64_t offset, std::uint64_t bytes);
  /// Puts back what the kept pages held.
  void undo(std::byte* memory) const;

 private:
  static constexpr std::uint64_t kPage = 4096;
  using Page = std::array<std::byte, kPage>;

  void keep(const std::byte* memory, std::uint64_t page);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_ = ~std::uint64_t{0};  ///< kept already; neighbours write the same page
};

}  // namespace warpmind::simulator
