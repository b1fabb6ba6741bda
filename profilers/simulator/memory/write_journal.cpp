#include "profilers/simulator/memory/write_journal.h"

#include <cstring>

namespace warpmind::simulator {

void WriteJournal::keep(const std::byte* memory, std::uint64_t page) {
  last_ = page;
  auto& kept = pages_[page];
  if (kept != nullptr) return;
  kept = std::make_unique<Page>();
  std::memcpy(kept->data(), memory + page * kPage, kPage);
}

void WriteJournal::before_write(const std::byte* memory, std::uint64_t offset,
                                std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = (offset + bytes - 1) / kPage;
  for (std::uint64_t page = offset / kPage; page <= end; ++page) {
    if (page != last_) keep(memory, page);
  }
}

void WriteJournal::undo(std::byte* memory) const {
  for (const auto& [page, kept] : pages_) {
    std::memcpy(memory + page * kPage, kept->data(), kPage);
  }
}

}  // namespace warpmind::simulator
