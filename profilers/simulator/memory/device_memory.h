#pragma once
/// \file
/// Device memory: allocations with red zones at addresses that the host cannot touch.

#include "profilers/simulator/memory/write_journal.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <set>

namespace warpmind::simulator {

/// Windows of generic addresses; none overlaps device memory or a host pointer.
inline constexpr std::uint64_t kSharedWindow = 0x7100'0000'0000'0000ULL;
inline constexpr std::uint64_t kLocalWindow = 0x7200'0000'0000'0000ULL;
/// Kernel parameters (cvta.param, __grid_constant__).
inline constexpr std::uint64_t kParamWindow = 0x7300'0000'0000'0000ULL;
inline constexpr std::uint64_t kWindowBytes = 0x0000'0001'0000'0000ULL;

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool live = true;
};

/// The system did not give the addresses: what() says how many and why it may be.
class ReservationError : public std::bad_alloc {
 public:
  [[nodiscard]] const char* what() const noexcept override;
};

/// A reservation of PROT_NONE pages gives the addresses (a host that follows one faults, as on a
/// real machine); the bytes lie elsewhere, at a fixed distance. Freed addresses are used again only
/// when the whole reservation has been handed out once, so that a use after free is seen.
///
/// Threads: one.
class DeviceMemory {
 public:
  static constexpr std::uint64_t kRedZone = 512;  ///< bytes, and the alignment of allocations
  static constexpr std::uint64_t kReserved = std::uint64_t{1} << 37U;

  /// `capacity` bytes may be live at a time. Throws ReservationError when the system does not give
  /// kReserved bytes of addresses (a limit on address space, strict overcommit).
  explicit DeviceMemory(std::uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// 0 when there is not enough left. Zero bytes give a distinct address, too. The bytes are zero
  /// and count as not written.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// As allocate(), but whole pages that the host can touch at the same address: managed and pinned
  /// memory. All of it counts as written, since the host's stores are not seen.
  [[nodiscard]] std::uint64_t allocate_visible(std::uint64_t bytes);
  [[nodiscard]] bool is_visible(std::uint64_t address) const {
    return visible_.find(address) != visible_.end();
  }
  /// False for an address that is no live allocation's start.
  bool release(std::uint64_t address);

  /// The allocation that holds `address`, live or freed; null between allocations.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  /// As find(), but the part that kernels may touch; null in what restrict() took away.
  [[nodiscard]] const Allocation* find_usable(std::uint64_t address) const;
  /// Leaves kernels only `bytes` bytes from `before` bytes into the live allocation at `address`:
  /// a caller's own red zones become walls. Copies by the host still reach all of it. False when
  /// there is no such allocation or the range does not lie in it.
  bool restrict(std::uint64_t address, std::uint64_t before, std::uint64_t bytes);
  /// The allocation whose end or start is nearest to `address`; null when there is none at all.
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const;
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - base_ < kReserved; }
  /// The host's view of a device address inside the reservation.
  [[nodiscard]] std::byte* host(std::uint64_t address) const { return bytes_ + (address - base_); }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t base() const { return base_; }

  /// One bit a byte: has it been written? Bit 0 of byte 0 is for base().
  [[nodiscard]] std::uint8_t* written_bits() const { return written_; }
  /// To be called before the bytes change.
  void mark_written(std::uint64_t address, std::uint64_t bytes);
  /// From now on kernels' stores can be undone. One journal at a time.
  void begin_undoable();
  /// Puts back what memory held at begin_undoable(), and what counted as written.
  void undo();
  /// The stores since begin_undoable() stay.
  void keep();
  /// The content counts as never written; the bytes stay.
  void mark_unwritten(std::uint64_t address, std::uint64_t bytes);
  /// First byte of the range that nobody wrote, if any.
  [[nodiscard]] std::optional<std::uint64_t> find_unwritten(std::uint64_t address,
                                                            std::uint64_t bytes) const;

  /// Shadow of global races: two words for each 4 bytes, reserved on first use. Throws
  /// ReservationError.
  [[nodiscard]] std::uint64_t* race_shadow();
  /// A number from 1 to 63 for what one launch leaves in the shadow; when numbers come round, the
  /// shadow is cleared.
  [[nodiscard]] std::uint32_t next_race_launch();

 private:
  [[nodiscard]] std::uint64_t place(std::uint64_t bytes);
  void hide(std::uint64_t address, std::uint64_t bytes);

  std::uint64_t base_ = 0;
  std::byte* bytes_ = nullptr;
  std::uint8_t* written_ = nullptr;
  std::uint64_t* race_shadow_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t live_ = 0;
  std::uint64_t next_ = 0;
  std::uint32_t race_launch_ = 0;
  std::map<std::uint64_t, Allocation> allocations_;
  std::map<std::uint64_t, Allocation> restricted_;  ///< by the allocation's start: what is left
  std::set<std::uint64_t> visible_;
  std::optional<WriteJournal> journal_;
  std::optional<WriteJournal> written_journal_;  ///< of written_
};

}  // namespace warpmind::simulator
