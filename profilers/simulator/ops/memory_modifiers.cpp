#include "profilers/simulator/ops/memory_modifiers.h"

#include "profilers/simulator/memory/access.h"

#include <array>
#include <string_view>

namespace warpmind::simulator {

Space take_space(StatementReader& read) {
  if (read.take("global")) return Space::global;
  if (read.take("shared") || read.take("shared::cta")) return Space::shared;
  // Clusters of more than one block are not run: it is the block's own.
  if (read.take("shared::cluster")) return Space::shared;
  if (read.take("local")) return Space::local;
  if (read.take("param") || read.take("param::entry") || read.take("param::func")) {
    return Space::param;
  }
  if (read.take("const")) return Space::constant;
  return Space::generic;
}

std::uint16_t take_ordering(StatementReader& read) {
  std::uint16_t option = 0;
  if (read.take("volatile") || read.take("relaxed") || read.take("mmio")) option |= kStrong;
  // ld.mmio.relaxed has both.
  if (read.take("relaxed")) option |= kStrong;
  if (read.take("acquire")) option |= kStrong | kAcquire;
  if (read.take("release")) option |= kStrong | kRelease;
  if (read.take("acq_rel") || read.take("sc")) option |= kStrong | kAcquire | kRelease;
  (void)read.take("weak");
  if (read.take("cta")) return option;
  (void)read.take_one_of({"gpu", "gl", "sys", "cluster"});
  return option | kWideScope;
}

bool take_cache_hints(StatementReader& read) {
  static constexpr std::array<std::string_view, 19> kHints = {
      "ca",
      "cg",
      "cs",
      "cv",
      "lu",
      "wb",
      "wt",
      "L1::evict_normal",
      "L1::evict_unchanged",
      "L1::evict_first",
      "L1::evict_last",
      "L1::no_allocate",
      "L2::evict_normal",
      "L2::evict_first",
      "L2::evict_last",
      "L2::64B",
      "L2::128B",
      "L2::256B",
      "unified",
  };
  for (const std::string_view hint : kHints) (void)read.take(hint);
  return read.take("L2::cache_hint");
}

std::uint8_t take_vector(StatementReader& read) {
  switch (read.take_one_of({"v2", "v4", "v8"})) {
    case 0: return 2;
    case 1: return 4;
    case 2: return 8;
    default: return 1;
  }
}

void skip_policy(StatementReader& read, bool has_policy) {
  if (has_policy) (void)read.source(8, "b64");
}

}  // namespace warpmind::simulator
