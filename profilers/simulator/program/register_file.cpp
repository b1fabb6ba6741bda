#include "profilers/simulator/program/register_file.h"

#include "profilers/simulator/program/decode_context.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

constexpr std::uint32_t kLine = 64;

int lane_bytes(int bytes) { return bytes == 1 ? 2 : bytes; }

std::uint64_t cut(std::uint64_t value, int bytes) {
  if (bytes == 0) return value == 0 ? 0 : 1;
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

RegisterFile::RegisterFile(const ptx::Function& function, Program& program,
                           const RegisterPacking* packing)
    : program_(program), packing_(packing), end_(packing == nullptr ? 0 : packing->bytes) {
  registers_.reserve(function.registers.size());
  std::uint32_t number = 0;
  for (const auto& one : function.registers) {
    const Entry entry{kNoSlot, lane_bytes(type_bytes(one.type)), number++};
    if (!registers_.emplace(one.name, entry).second && declared_twice_.empty()) {
      declared_twice_ = one.name;
    }
  }
}

int RegisterFile::bytes(std::string_view name) const {
  const auto found = registers_.find(name);
  return found == registers_.end() ? -1 : found->second.bytes;
}

Slot RegisterFile::slot(std::string_view name) {
  Entry& entry = registers_.at(name);
  if (entry.slot == kNoSlot && packing_ != nullptr) entry.slot = packing_->slots[entry.number];
  if (entry.slot == kNoSlot) entry.slot = scratch(entry.bytes);
  return entry.slot;
}

Slot RegisterFile::scratch(int bytes) {
  if (bytes == 0) {
    if (next_predicate_ == predicates_end_) {
      next_predicate_ = end_;
      end_ += kLine;
      predicates_end_ = end_;
    }
    const Slot slot = next_predicate_;
    next_predicate_ += static_cast<Slot>(sizeof(Mask));
    return slot;
  }
  const Slot slot = end_;
  end_ += static_cast<std::uint32_t>(lane_bytes(bytes) * kLanes);
  return slot;
}

Slot RegisterFile::constant(std::uint64_t value, int bytes) {
  // 8-bit values lie in lanes of 16: both halves are defined.
  const std::uint64_t low = cut(value, bytes);
  const int width = lane_bytes(bytes);
  const auto [at, is_new] = constants_.try_emplace({low, width}, kNoSlot);
  if (is_new) {
    at->second = scratch(width);
    program_.constants.push_back({at->second, static_cast<std::uint8_t>(width), low, false});
  }
  return at->second;
}

Slot RegisterFile::local_address(std::uint64_t offset, int bytes) {
  const auto [at, is_new] = local_addresses_.try_emplace({offset, bytes}, kNoSlot);
  if (is_new) {
    at->second = scratch(bytes);
    program_.constants.push_back({at->second, static_cast<std::uint8_t>(bytes), offset, true});
  }
  return at->second;
}

Slot RegisterFile::special(SpecialRegister which, int bytes) {
  const int width = lane_bytes(bytes);
  const auto [at, is_new] = specials_.try_emplace({which, width}, kNoSlot);
  if (is_new) {
    at->second = scratch(width);
    program_.specials.push_back({which, at->second, static_cast<std::uint8_t>(width)});
    program_.reads_clock = program_.reads_clock || is_clock(which);
  }
  return at->second;
}

}  // namespace warpmind::simulator
