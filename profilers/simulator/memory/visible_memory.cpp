#include "profilers/simulator/memory/device_memory.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace warpmind::simulator {
namespace {

constexpr std::uint64_t kPage = 4096;

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
