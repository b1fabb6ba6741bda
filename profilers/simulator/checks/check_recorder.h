#pragma once
/// \file
/// What the checks saw, one entry a kind and instruction.

#include "base/enum_names.h"
#include "profilers/simulator/program/program.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::simulator {

struct Warp;

enum class CheckKind : std::uint8_t {
  global_out_of_bounds,
  shared_out_of_bounds,
  local_out_of_bounds,
  use_after_free,
  misaligned,
  null_or_host_pointer,
  uninitialised_global,
  uninitialised_shared,
  shared_race,
  shared_race_in_warp,  ///< between lanes of one warp without __syncwarp
  global_race,
  same_value_race,  ///< several threads store the same value: harmless, but wasted work
  divergent_barrier,
  inactive_lane,     ///< shfl, vote, mma, ldmatrix with lanes missing from the mask
  async_not_waited,  ///< shared memory read or written before its cp.async was waited for
  device_assert,
  waits_for_block,  ///< for one that has not started, in a launch that is not cooperative
};

}  // namespace warpmind::simulator

namespace warpmind {
WARPMIND_ENUM_NAMES(simulator::CheckKind,
                    {simulator::CheckKind::global_out_of_bounds, "global out of bounds"},
                    {simulator::CheckKind::shared_out_of_bounds, "shared out of bounds"},
                    {simulator::CheckKind::local_out_of_bounds, "local out of bounds"},
                    {simulator::CheckKind::use_after_free, "use after free"},
                    {simulator::CheckKind::misaligned, "misaligned access"},
                    {simulator::CheckKind::null_or_host_pointer, "null or host pointer"},
                    {simulator::CheckKind::uninitialised_global, "uninitialised global read"},
                    {simulator::CheckKind::uninitialised_shared, "uninitialised shared read"},
                    {simulator::CheckKind::shared_race, "shared race"},
                    {simulator::CheckKind::shared_race_in_warp, "shared race in a warp"},
                    {simulator::CheckKind::global_race, "global race"},
                    {simulator::CheckKind::same_value_race, "same-value stores"},
                    {simulator::CheckKind::divergent_barrier, "divergent barrier"},
                    {simulator::CheckKind::inactive_lane, "inactive lane"},
                    {simulator::CheckKind::async_not_waited, "async copy not waited for"},
                    {simulator::CheckKind::device_assert, "device assertion"},
                    {simulator::CheckKind::waits_for_block, "block waits for another block"});
}  // namespace warpmind

namespace warpmind::simulator {

struct CheckEntry {
  CheckKind kind = CheckKind::global_out_of_bounds;
  std::string kernel;
  int source_line = 0;
  std::string instruction;               ///< PTX
  std::array<std::uint32_t, 3> block{};  ///< of the first occurrence
  std::array<std::uint32_t, 3> thread{};
  std::uint64_t address = 0;
  std::string detail;  ///< "read of 4 bytes, 12 bytes past the end of an allocation of 4096"
  std::uint64_t count = 0;
};

/// False for kinds that waste work but compute the right thing.
[[nodiscard]] constexpr bool is_defect(CheckKind kind) {
  return kind != CheckKind::same_value_race;
}

/// Collects entries of one launch. Threads: one.
class CheckRecorder {
 public:
  /// `detail` is made for the first occurrence only: pass a callable returning std::string.
  template <class MakeDetail>
  void report(CheckKind kind, Warp& warp, const Instruction& instruction, int lane,
              std::uint64_t address, MakeDetail&& make_detail) {
    if (kind == CheckKind::uninitialised_global) ++unwritten_reads_;
    CheckEntry& entry = entry_of(kind, warp, instruction, lane, address);
    if (entry.count++ == 0) entry.detail = make_detail();
  }
  [[nodiscard]] std::vector<CheckEntry> entries() const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::uint64_t unwritten_reads() const { return unwritten_reads_; }

 private:
  /// A new entry has its place filled in, and count 0.
  CheckEntry& entry_of(CheckKind kind, Warp& warp, const Instruction& instruction, int lane,
                       std::uint64_t address);

  std::map<std::pair<CheckKind, const Instruction*>, CheckEntry> entries_;
  std::uint64_t unwritten_reads_ = 0;
};

}  // namespace warpmind::simulator
