#include "profilers/simulator/checks/check_recorder.h"

#include "profilers/simulator/exec/warp.h"

namespace warpmind::simulator {

CheckEntry& CheckRecorder::entry_of(CheckKind kind, Warp& warp, const Instruction& instruction,
                                    int lane, std::uint64_t address) {
  const auto [at, is_new] = entries_.try_emplace({kind, &instruction});
  CheckEntry& entry = at->second;
  if (!is_new) return entry;
  const InstructionInfo& info = warp.program().info[instruction.index];
  entry.kind = kind;
  entry.kernel = warp.launch->program->name;
  entry.source_line = info.source_line;
  entry.instruction = info.text;
  entry.block = warp.block->index;
  const Dim3& block = warp.launch->block;
  const std::uint32_t thread = warp.index * kLanes + static_cast<std::uint32_t>(lane);
  entry.thread = {thread % block[0], thread / block[0] % block[1], thread / (block[0] * block[1])};
  entry.address = address;
  return entry;
}

std::vector<CheckEntry> CheckRecorder::entries() const {
  std::vector<CheckEntry> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(entry);
  return all;
}

}  // namespace warpmind::simulator
