#include "profilers/simulator/exec/frame_store.h"

#include "profilers/simulator/exec/special_registers.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint32_t kLocalAlignment = 16;

template <class T>
void broadcast(std::byte* registers, Slot slot, std::uint64_t value) {
  auto* lane = reinterpret_cast<T*>(registers + slot);
  for (int i = 0; i < kLanes; ++i) lane[i] = static_cast<T>(value);
}

void preset_constant(std::byte* registers, const PresetConstant& constant, std::uint64_t value) {
  switch (constant.bytes) {
    case 0: {
      const Mask mask = value != 0 ? kAllLanes : 0;
      std::memcpy(registers + constant.slot, &mask, sizeof mask);
      break;
    }
    case 1:
    case 2: broadcast<std::uint16_t>(registers, constant.slot, value); break;
    case 4: broadcast<std::uint32_t>(registers, constant.slot, value); break;
    case 8: broadcast<std::uint64_t>(registers, constant.slot, value); break;
    default:  // 16 bytes: zero-extended
      for (std::size_t i = 0; i < kLanes; ++i) {
        std::memset(registers + constant.slot + i * 16, 0, 16);
        std::memcpy(registers + constant.slot + i * 16, &value, sizeof value);
      }
  }
}

}  // namespace

void FrameStore::AlignedFree::operator()(std::byte* memory) const noexcept { std::free(memory); }

void FrameStore::preset_special(const PresetSpecial& special, std::byte* registers) const {
  if (!differs_by_lane(special.which)) {
    preset_constant(registers, {special.slot, special.bytes},
                    special_value(*warp_, special.which, 0));
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t value = special_value(*warp_, special.which, lane);
    std::byte* at = registers + special.slot + static_cast<std::size_t>(lane) * special.bytes;
    std::memcpy(at, &value, special.bytes);  // little-endian: the low bytes
  }
}

void FrameStore::preset(Registers& registers, const Program& program, std::uint32_t local_base) {
  const bool is_new = registers.program != &program || registers.local_base != local_base;
  if (is_new) {
    if (registers.bytes < program.register_bytes) {
      registers.bytes = (program.register_bytes + kAlignment - 1) / kAlignment * kAlignment;
      registers.memory.reset(
          static_cast<std::byte*>(std::aligned_alloc(kAlignment, registers.bytes)));
      if (!registers.memory) throw std::bad_alloc();
    }
    if (registers.memory) std::memset(registers.memory.get(), 0, registers.bytes);
    for (const PresetConstant& constant : program.constants) {
      preset_constant(registers.memory.get(), constant,
                      constant.low + (constant.is_local_address ? local_base : 0));
    }
    registers.program = &program;
    registers.local_base = local_base;
  }
  // What differs by lane is the warp's for good; the rest may change with the block.
  for (const PresetSpecial& special : program.specials) {
    if (is_new || !differs_by_lane(special.which)) preset_special(special, registers.memory.get());
  }
}

void FrameStore::grow_local(std::uint32_t bytes) {
  if (bytes <= warp_->local_stride) return;
  std::vector<std::byte> larger(std::size_t{bytes} * kLanes);
  for (std::size_t lane = 0; lane < kLanes && warp_->local_stride > 0; ++lane) {
    std::memcpy(larger.data() + lane * bytes, local_.data() + lane * warp_->local_stride,
                warp_->local_stride);
  }
  local_ = std::move(larger);
  warp_->local = local_.data();
  warp_->local_stride = bytes;
}

bool FrameStore::push(const Program& program, ProgramCounters& counters, const CallSite* call,
                      Mask lanes) {
  const std::size_t depth = warp_->frames.size();
  std::uint32_t base = 0;
  if (depth > 0) {
    const Frame& caller = warp_->frames.back();
    base = caller.local_base + caller.program->local_bytes;
    base = (base + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
  }
  if (depth >= kMostFrames || base + program.local_bytes > kMostLocalBytes) return false;
  grow_local(base + program.local_bytes);
  if (registers_.size() <= depth) registers_.emplace_back();
  preset(registers_[depth], program, base);

  Frame& frame = warp_->frames.emplace_back();
  frame.program = &program;
  frame.counters = &counters;
  frame.registers = registers_[depth].memory.get();
  frame.local_base = base;
  frame.first_entry = warp_->stack.size();
  frame.call = call;
  frame.callers = lanes;
  warp_->registers = frame.registers;
  warp_->stack.push_back({0, -1, lanes});
  return true;
}

void FrameStore::pop() {
  warp_->frames.pop_back();
  warp_->registers = warp_->frames.empty() ? nullptr : warp_->frames.back().registers;
}

void FrameStore::refresh_clock() {
  for (const PresetSpecial& special : warp_->frames.back().program->specials) {
    if (is_clock(special.which)) preset_special(special, warp_->registers);
  }
}

}  // namespace warpmind::simulator
