#pragma once
/// \file
/// Device memory: allocations with red zones at addresses that the host cannot touch.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace warpmind::simulator {

/// Windows of generic addresses; none overlaps device memory or a host pointer.
inline constexpr std::uint64_t kSharedWindow = 0x7100'0000'0000'0000ULL;
inline constexpr std::uint64_t kLocalWindow = 0x7200'0000'0000'0000ULL;
inline constexpr std::uint64_t kWindowBytes = 0x0000'0001'0000'0000ULL;

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool live = true;
};

/// A reservation of PROT_NONE pages gives the addresses (a host that follows one faults, as on a
/// real machine); the bytes lie elsewhere, at a fixed distance. Freed addresses are not used again
/// while the process can still reach them, so that a use after free is seen.
///
/// Threads: one.
class DeviceMemory {
 public:
  static constexpr std::uint64_t kRedZone = 512;  ///< bytes, and the alignment of allocations
  static constexpr std::uint64_t kReserved = std::uint64_t{1} << 37U;

  /// `capacity` bytes may be live at a time. Throws std::bad_alloc when the reservation fails.
  explicit DeviceMemory(std::uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// 0 when there is not enough left. Zero bytes give a distinct address, too.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// False for an address that is no live allocation's start.
  bool release(std::uint64_t address);

  /// The allocation that holds `address`, live or freed; null between allocations.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - base_ < kReserved; }
  /// The host's view of a device address inside the reservation.
  [[nodiscard]] std::byte* host(std::uint64_t address) const { return bytes_ + (address - base_); }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t base() const { return base_; }

  /// One bit a byte: has it been written? Bit 0 of byte 0 is for base().
  [[nodiscard]] std::uint8_t* written_bits() const { return written_; }
  void mark_written(std::uint64_t address, std::uint64_t bytes);
  /// First byte of the range that nobody wrote, if any.
  [[nodiscard]] std::optional<std::uint64_t> find_unwritten(std::uint64_t address,
                                                            std::uint64_t bytes) const;

  /// Shadow of global races: two words for each 4 bytes, reserved on first use.
  [[nodiscard]] std::uint64_t* race_shadow();

 private:
  std::uint64_t base_ = 0;
  std::byte* bytes_ = nullptr;
  std::uint8_t* written_ = nullptr;
  std::uint64_t* race_shadow_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t live_ = 0;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Allocation> allocations_;
};

}  // namespace warpmind::simulator
