#pragma once
/// \file
/// Registers and local memory of one warp, kept from block to block.

#include "profilers/simulator/exec/warp.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace warpmind::simulator {

/// Calls nest at most so deep; deeper is a recursion that a device's stack would not hold either.
inline constexpr std::size_t kMostFrames = 256;
/// Local memory of a lane, all frames together: the default limit of a device is 1 KiB plus what
/// ptxas knows; this is generous.
inline constexpr std::uint32_t kMostLocalBytes = 512U * 1024;

/// Threads: one.
class FrameStore {
 public:
  explicit FrameStore(Warp& warp) : warp_(&warp) {}

  /// Makes `program` the current frame, entered by `lanes`. False when the stack is full.
  [[nodiscard]] bool push(const Program& program, ProgramCounters& counters, const CallSite* call,
                          Mask lanes);
  /// Back to the caller's frame.
  void pop();
  /// Lets %clock and its like read the present.
  void refresh_clock();

 private:
  struct AlignedFree {
    void operator()(std::byte* memory) const noexcept;
  };
  struct Registers {
    std::unique_ptr<std::byte, AlignedFree> memory;
    std::size_t bytes = 0;
    const Program* program = nullptr;  ///< whose constants are in it
    std::uint32_t local_base = 0;
  };

  void preset(Registers& registers, const Program& program, std::uint32_t local_base);
  void preset_special(const PresetSpecial& special, std::byte* registers) const;
  void grow_local(std::uint32_t bytes);

  Warp* warp_;
  std::vector<Registers> registers_;  ///< by depth
  std::vector<std::byte> local_;
};

}  // namespace warpmind::simulator
