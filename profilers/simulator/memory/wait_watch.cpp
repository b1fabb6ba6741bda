#include "profilers/simulator/memory/wait_watch.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
  digest = (digest ^ value) * kFactor;
  return digest ^ digest >> 29U;
}

/// Of places and contents; never 0.
std::uint64_t digest_of(const Access& access, const Pointers& values) {
  std::uint64_t digest = mixed(kFactor, access.active);
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    digest = mixed(digest, access.addresses[i]);
    for (std::uint32_t at = 0; at < access.bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, values[i] + at, std::min<std::size_t>(sizeof word, access.bytes - at));
      digest = mixed(digest, word);
    }
  });
  return digest | 1U;
}

void tell(const Access& access) {
  Warp& warp = access.warp;
  const LaunchState& launch = *warp.launch;
  const InstructionInfo& info = warp.program().info[access.instruction.index];
  const std::string line =
      info.source_line > 0 ? " line " + std::to_string(info.source_line) : std::string();
  if (launch.cooperative) {
    stop_launch(warp, LaunchEnd::deadlock,
                "deadlock in kernel " + launch.program->name +
                    ": every block of the cooperative "
                    "launch waits, one of them in" +
                    (line.empty() ? " a loop" : line) + ", for a value that none of them writes");
    return;
  }
  const int lane = std::countr_zero(access.active);
  std::string detail =
      "declare cooperative = true or do not wait; no block that has started changes what it reads";
  launch.checks->report(CheckKind::waits_for_block, warp, access.instruction, lane,
                        access.addresses[static_cast<std::size_t>(lane)], [&] { return detail; });
  stop_launch(
      warp, LaunchEnd::fault,
      "kernel " + launch.program->name + line + ": block waits for another block; " + detail);
}

}  // namespace

void watch_read(const Access& access, const Pointers& values) {
  if (access.is_mbarrier || access.active == 0) return;
  Warp& warp = access.warp;
  Polls& polls = warp.polls;
  const std::uint32_t index = access.instruction.access;
  if (index == kNoIndex) {
    polls.gets_on = true;
    return;
  }
  if (polls.seen.empty()) polls.seen.resize(warp.launch->module->accesses);
  const std::uint64_t digest = digest_of(access, values);
  if (polls.seen[index] != digest) {
    polls.seen[index] = digest;
    polls.gets_on = true;
    return;
  }
  ++polls.repeats;
  if (warp.launch->tells_waits) tell(access);
}

}  // namespace warpmind::simulator
