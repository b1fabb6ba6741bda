#include "profilers/simulator/memory/device_memory.h"

#include "profilers/simulator/memory/bits.h"

#include <algorithm>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>

namespace warpmind::simulator {
namespace {

/// Where the addresses should lie: the same in every run, so that messages compare. A wish only.
/// Free in ordinary processes and under AddressSanitizer, whose shadow ends below.
constexpr std::uint64_t kWishedBase = 0x3000'0000'0000ULL;
/// Before the first allocation: an index that is far too small still looks like device memory.
constexpr std::uint64_t kLead = std::uint64_t{1} << 32U;
constexpr std::uint64_t kPage = 4096;
/// Bytes read past a bit array by whole-word reads.
constexpr std::uint64_t kBitSlack = kPage;
constexpr std::uint32_t kMostRaceLaunches = 63;
constexpr std::uint64_t kRaceShadowBytes = DeviceMemory::kReserved * 4;

void* reserve(std::uint64_t bytes, int protection, std::uint64_t wish = 0) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a wish is an address that nobody has yet
  void* const hint = reinterpret_cast<void*>(wish);
  void* const got =
      mmap(hint, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// What an allocation takes with the red zone behind it.
constexpr std::uint64_t footprint(std::uint64_t bytes) {
  return round_up(std::max<std::uint64_t>(bytes, 1), DeviceMemory::kRedZone) +
         DeviceMemory::kRedZone;
}

/// Makes [first, last) zero; whole pages go back to the system.
void discard(void* memory, std::uint64_t first, std::uint64_t last) {
  auto* const bytes = static_cast<std::byte*>(memory);
  const std::uint64_t inner = std::min(round_up(first, kPage), last);
  const std::uint64_t outer = std::max(last / kPage * kPage, inner);
  std::fill(bytes + first, bytes + inner, std::byte{0});
  if (inner < outer) madvise(bytes + inner, outer - inner, MADV_DONTNEED);
  std::fill(bytes + outer, bytes + last, std::byte{0});
}

}  // namespace

const char* ReservationError::what() const noexcept {
  return "the system did not give the simulator's device memory its addresses (272 GiB, and "
         "512 GiB more for the check of global races; only touched pages use memory): lift the "
         "limit on address space (ulimit -v unlimited) and do not set vm.overcommit_memory to 2";
}

DeviceMemory::DeviceMemory(std::uint64_t capacity) : capacity_(capacity), next_(kLead) {
  void* const addresses = reserve(kReserved, PROT_NONE, kWishedBase);
  void* const bytes = reserve(kReserved, PROT_READ | PROT_WRITE);
  void* const written = reserve(kReserved / 8 + kBitSlack, PROT_READ | PROT_WRITE);
  base_ = reinterpret_cast<std::uint64_t>(addresses);
  bytes_ = static_cast<std::byte*>(bytes);
  written_ = static_cast<std::uint8_t*>(written);
  if (addresses != nullptr && bytes != nullptr && written != nullptr) return;
  if (addresses != nullptr) munmap(addresses, kReserved);
  if (bytes != nullptr) munmap(bytes, kReserved);
  if (written != nullptr) munmap(written, kReserved / 8 + kBitSlack);
  throw ReservationError();
}

DeviceMemory::~DeviceMemory() {
  munmap(bytes_, kReserved);
  munmap(written_, kReserved / 8 + kBitSlack);
  if (race_shadow_ != nullptr) munmap(race_shadow_, kRaceShadowBytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it came from mmap as a pointer
  munmap(reinterpret_cast<void*>(base_), kReserved);
}

std::uint64_t DeviceMemory::place(std::uint64_t bytes) {
  const std::uint64_t need = footprint(bytes);
  if (need <= kReserved - next_) {
    const std::uint64_t at = base_ + next_;
    next_ += need;
    return at;
  }
  // Everything was handed out once: the first run of freed neighbours that is long enough.
  std::uint64_t start = 0;
  auto first = allocations_.begin();
  for (auto it = allocations_.begin(); it != allocations_.end(); ++it) {
    if (it->second.live) {
      start = 0;
      continue;
    }
    if (start == 0) {
      start = it->first;
      first = it;
    }
    const auto after = std::next(it);
    const std::uint64_t end = after == allocations_.end() ? base_ + next_ : after->first;
    if (end - start < need) continue;
    allocations_.erase(first, after);
    // What is left stays a freed allocation, so that the run is found again.
    if (end - start > need) {
      const std::uint64_t rest = start + need;
      allocations_[rest] = {rest, end - rest - 1, false};
    }
    return start;
  }
  return 0;
}

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes) {
  if (bytes > capacity_ || live_ > capacity_ - bytes || bytes > kReserved - 2 * kLead) return 0;
  const std::uint64_t address = place(bytes);
  if (address == 0) return 0;
  allocations_[address] = {address, bytes, true};
  live_ += bytes;
  return address;
}

bool DeviceMemory::release(std::uint64_t address) {
  const auto at = allocations_.find(address);
  if (at == allocations_.end() || !at->second.live) return false;
  at->second.live = false;
  restricted_.erase(address);
  live_ -= at->second.bytes;
  if (visible_.erase(address) != 0) hide(address, at->second.bytes);
  // Whoever gets the addresses next finds zeros that count as not written.
  const std::uint64_t first = address - base_;
  const std::uint64_t last = first + round_up(at->second.bytes, kRedZone);
  discard(bytes_, first, last);
  discard(written_, first / 8, last / 8);
  if (race_shadow_ != nullptr) discard(race_shadow_, first * 4, last * 4);
  return true;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return nullptr;
  --at;
  return address - at->first < at->second.bytes ? &at->second : nullptr;
}

const Allocation* DeviceMemory::find_usable(std::uint64_t address) const {
  const Allocation* const whole = find(address);
  if (whole == nullptr || restricted_.empty()) return whole;
  const auto inner = restricted_.find(whole->address);
  if (inner == restricted_.end()) return whole;
  return address - inner->second.address < inner->second.bytes ? &inner->second : nullptr;
}

bool DeviceMemory::restrict(std::uint64_t address, std::uint64_t before, std::uint64_t bytes) {
  const auto at = allocations_.find(address);
  if (at == allocations_.end() || !at->second.live) return false;
  if (before > at->second.bytes || bytes > at->second.bytes - before) return false;
  restricted_[address] = {address + before, bytes, true};
  return true;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const {
  if (allocations_.empty()) return nullptr;
  if (const Allocation* const around = find(address)) {  // in a part that was taken away
    const auto inner = restricted_.find(around->address);
    return inner == restricted_.end() ? around : &inner->second;
  }
  const auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return &above->second;
  const Allocation& below = std::prev(above)->second;
  if (above == allocations_.end()) return &below;
  // A red zone belongs to the allocation before it, but for what lies just before the next one.
  const std::uint64_t past = address - std::min(address, below.address + below.bytes);
  const std::uint64_t before = above->first - address;
  return past <= before ? &below : &above->second;
}

void DeviceMemory::mark_written(std::uint64_t address, std::uint64_t bytes) {
  if (journal_ && bytes > 0) {
    const std::uint64_t offset = address - base_;
    journal_->before_write(bytes_, offset, bytes);
    written_journal_->before_write(reinterpret_cast<std::byte*>(written_), offset / 8,
                                   (offset + bytes - 1) / 8 - offset / 8 + 1);
  }
  set_bits(written_, address - base_, bytes);
}

void DeviceMemory::begin_undoable() {
  journal_.emplace();
  written_journal_.emplace();
}

void DeviceMemory::undo() {
  if (!journal_) return;
  journal_->undo(bytes_);
  written_journal_->undo(reinterpret_cast<std::byte*>(written_));
  keep();
}

void DeviceMemory::keep() {
  journal_.reset();
  written_journal_.reset();
}

void DeviceMemory::mark_unwritten(std::uint64_t address, std::uint64_t bytes) {
  clear_bits(written_, address - base_, bytes);
}

std::optional<std::uint64_t> DeviceMemory::find_unwritten(std::uint64_t address,
                                                          std::uint64_t bytes) const {
  const auto found = find_clear_bit(written_, address - base_, bytes);
  if (!found) return std::nullopt;
  return base_ + *found;
}

std::uint64_t* DeviceMemory::race_shadow() {
  if (race_shadow_ == nullptr) {
    race_shadow_ = static_cast<std::uint64_t*>(reserve(kRaceShadowBytes, PROT_READ | PROT_WRITE));
    if (race_shadow_ == nullptr) throw ReservationError();
  }
  return race_shadow_;
}

std::uint32_t DeviceMemory::next_race_launch() {
  if (race_launch_ == kMostRaceLaunches) {
    race_launch_ = 0;
    if (race_shadow_ != nullptr) discard(race_shadow_, 0, kRaceShadowBytes);
  }
  return ++race_launch_;
}

namespace {

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + kPage - 1) / kPage * kPage;
}

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): inside our mapping
}

/// The same pages at both addresses, which belong to mappings of ours.
bool map_twice(void* first, void* second, std::uint64_t bytes) {
  const int file = memfd_create("simulated device memory", MFD_CLOEXEC);
  if (file < 0) return false;
  bool mapped = ftruncate(file, static_cast<off_t>(bytes)) == 0;
  for (void* const place : {first, second}) {
    mapped = mapped && mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                            0) != MAP_FAILED;
  }
  close(file);
  return mapped;
}

}  // namespace

std::uint64_t DeviceMemory::allocate_visible(std::uint64_t bytes) {
  // No page is shared with a neighbour, which would become visible, too.
  next_ = whole_pages(next_);
  const std::uint64_t address = allocate(bytes);
  if (address == 0) return 0;
  const std::uint64_t mapped = whole_pages(bytes);
  const bool fits = address % kPage == 0 && address - base_ + mapped <= kReserved;
  if (!fits || !map_twice(pointer(address), host(address), mapped)) {
    if (fits) hide(address, bytes);
    release(address);
    return 0;
  }
  next_ = std::max(next_, address - base_ + mapped);
  visible_.insert(address);
  mark_written(address, bytes);
  return address;
}

void DeviceMemory::hide(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t mapped = whole_pages(bytes);
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  // Over mappings of our own these cannot fail but for want of kernel memory; then the old pages
  // stay.
  (void)mmap(pointer(address), mapped, PROT_NONE, kFlags, -1, 0);
  (void)mmap(host(address), mapped, PROT_READ | PROT_WRITE, kFlags, -1, 0);
}

}  // namespace warpmind::simulator
