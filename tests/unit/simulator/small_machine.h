#pragma once
/// \file
/// One block of a launch without a program: what memory and checks need to run.

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/checks/global_shadow.h"
#include "profilers/simulator/checks/shared_shadow.h"
#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/memory/access.h"

#include <cstring>
#include <string>
#include <vector>

namespace warpmind::simulator {

struct SmallMachine {
  static constexpr std::uint32_t kShared = 4096;

  explicit SmallMachine(std::uint32_t warps = 2) {
    program.name = "kernel";
    program.info.resize(8);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      instructions[i].index = static_cast<std::uint32_t>(i);
      instructions[i].access = static_cast<std::uint32_t>(i);
      program.info[i].source_line = static_cast<int>(i) + 10;
    }
    launch.program = &program;
    launch.grid = {4, 1, 1};
    launch.block = {warps * kLanes, 1, 1};
    launch.memory = &memory;
    launch.checks = &checks;
    launch.check_initialised = true;
    launch.last_allocation.resize(instructions.size());
    block.shared = shared.data();
    block.shared_bytes = kShared;
    block.shadow = &shadow;
    block.async = &async;
    block.order = &order;
    block.warps.resize(warps);
    for (std::uint32_t i = 0; i < warps; ++i) {
      Warp& warp = block.warps[i];
      warp.index = i;
      warp.block = &block;
      warp.launch = &launch;
      warp.live = kAllLanes;
      warp.frames.push_back({&program});
    }
    start_block(0);
  }

  void start_block(std::uint64_t linear) {
    block.linear = linear;
    order.start_block(block);
    shadow.start_block();
  }
  /// Of all warps.
  void barrier() { order.open(block, 0, true); }
  void syncwarp(std::size_t warp) { meet_lanes(block.warps[warp], kAllLanes); }

  /// An access of warp `warp`; instruction `index` (line 10 + index).
  Access access(std::uint32_t warp, std::size_t index, std::uint64_t first, std::uint64_t stride,
                std::uint32_t bytes = 4, Mask active = kAllLanes) {
    Access out{block.warps[warp], instructions[index], active, bytes};
    for (std::size_t i = 0; i < kLanes; ++i) out.addresses[i] = first + stride * i;
    return out;
  }

  /// What was found, as "kind line" in the order of kinds; empties the recorder.
  std::vector<std::string> findings() {
    std::vector<std::string> out;
    for (const CheckEntry& entry : checks.entries()) {
      out.push_back(std::string(name_of(entry.kind)) + " " + std::to_string(entry.source_line));
    }
    checks = CheckRecorder();
    return out;
  }

  DeviceMemory memory{std::uint64_t{1} << 30U};
  CheckRecorder checks;
  Program program;
  std::array<Instruction, 8> instructions{};
  LaunchState launch;
  BlockState block;
  BlockOrder order;
  SharedShadow shadow{kShared};
  AsyncCopies async{kShared};
  std::vector<std::byte> shared{kShared};
};

/// 32 values of 4 bytes: first, first + step, …
inline std::vector<std::byte> words(std::uint32_t first, std::uint32_t step,
                                    std::size_t count = 32) {
  std::vector<std::byte> out(count * 4);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint32_t>(first + step * i);
    std::memcpy(out.data() + i * 4, &value, 4);
  }
  return out;
}

}  // namespace warpmind::simulator
