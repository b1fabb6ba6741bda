#include "profilers/simulator/program/register_packing.h"

#include "profilers/simulator/program/cfg.h"
#include "profilers/simulator/program/decode_context.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace warpmind::simulator {
namespace {

using RegisterBits = std::vector<std::uint64_t>;

/// Above, the sets below would take more than 256 MB; registers then do not share.
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 30U;

void set(RegisterBits& bits, std::uint32_t at) { bits[at / 64] |= std::uint64_t{1} << (at % 64); }
void clear(RegisterBits& bits, std::uint32_t at) {
  bits[at / 64] &= ~(std::uint64_t{1} << (at % 64));
}

template <class Visit>
void for_each(const RegisterBits& bits, Visit&& visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      visit(
          static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
}

/// Which registers hold a value that is still needed, where blocks begin and end.
class Liveness {
 public:
  Liveness(const Program& program, const RegisterUses& uses, std::size_t registers)
      : program_(program), words_((registers + 63) / 64) {
    const std::size_t blocks = program.blocks.size();
    in_.assign(blocks, RegisterBits(words_, 0));
    out_.assign(blocks, RegisterBits(words_, 0));
    kept_.assign(blocks, RegisterBits(words_, ~std::uint64_t{0}));
    for (std::size_t b = 0; b < blocks; ++b) scan_block(b, uses);
    solve();
  }
  [[nodiscard]] const RegisterBits& in(std::size_t block) const { return in_[block]; }
  [[nodiscard]] const RegisterBits& out(std::size_t block) const { return out_[block]; }

 private:
  /// in_ starts as what the block reads before it writes it.
  void scan_block(std::size_t block, const RegisterUses& uses) {
    for (std::uint32_t pc = program_.blocks[block].end; pc-- > program_.blocks[block].begin;) {
      for (const std::uint32_t one : uses[pc].writes) {
        clear(in_[block], one);
        clear(kept_[block], one);
      }
      for (const std::uint32_t one : uses[pc].reads) set(in_[block], one);
    }
  }
  void solve() {
    std::vector<std::vector<std::uint32_t>> after;
    for (std::uint32_t b = 0; b < in_.size(); ++b) after.push_back(block_successors(program_, b));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = in_.size(); b-- > 0;) {
        for (const std::uint32_t next : after[b]) {
          if (next < in_.size() && merge(b, next)) changed = true;
        }
      }
    }
  }
  bool merge(std::size_t block, std::size_t next) {
    bool changed = false;
    for (std::size_t w = 0; w < words_; ++w) {
      out_[block][w] |= in_[next][w];
      const std::uint64_t grown = in_[block][w] | (out_[block][w] & kept_[block][w]);
      changed = changed || grown != in_[block][w];
      in_[block][w] = grown;
    }
    return changed;
  }

  const Program& program_;
  std::size_t words_;
  std::vector<RegisterBits> in_;
  std::vector<RegisterBits> out_;
  std::vector<RegisterBits> kept_;  ///< what the block does not write
};

/// First and last place where a register is needed. Instruction i reads at 2 i and writes at 2 i
/// + 1.
struct Interval {
  std::uint32_t begin = ~std::uint32_t{0};
  std::uint32_t end = 0;
  void cover(std::uint32_t place) {
    begin = std::min(begin, place);
    end = std::max(end, place);
  }
  [[nodiscard]] bool is_empty() const { return begin > end; }
};

std::vector<Interval> find_intervals(const Program& program, const RegisterUses& uses,
                                     std::size_t registers) {
  std::vector<Interval> intervals(registers);
  for (std::uint32_t pc = 0; pc < uses.size(); ++pc) {
    for (const std::uint32_t one : uses[pc].reads) {
      intervals[one].cover(2 * pc);
      intervals[one].cover(2 * pc + 1);  // not written over by the same instruction
    }
    for (const std::uint32_t one : uses[pc].writes) intervals[one].cover(2 * pc + 1);
  }
  const Liveness liveness(program, uses, registers);
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const BasicBlock& block = program.blocks[b];
    for_each(liveness.in(b), [&](std::uint32_t one) { intervals[one].cover(2 * block.begin); });
    for_each(liveness.out(b), [&](std::uint32_t one) { intervals[one].cover(2 * block.end - 1); });
  }
  return intervals;
}

/// Linear scan (Poletto, Sarkar 1999) without a limit: how many slots are needed at most at a time.
class SlotPool {
 public:
  std::uint32_t take(const Interval& interval) {
    std::uint32_t slot = count_;
    if (!busy_.empty() && busy_.top().first < interval.begin) {
      slot = busy_.top().second;
      busy_.pop();
    } else {
      ++count_;
    }
    busy_.emplace(interval.end, slot);
    return slot;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  using Busy = std::pair<std::uint32_t, std::uint32_t>;  ///< until when, slot
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::uint32_t count_ = 0;
};

std::uint32_t slot_bytes(std::string_view type) {
  const int bytes = type_bytes(type);
  if (bytes == 0) return sizeof(Mask);
  return static_cast<std::uint32_t>(std::max(bytes, 2) * kLanes);
}

}  // namespace

RegisterPacking pack_registers(const Program& program, const RegisterUses& uses,
                               const std::vector<ptx::Register>& registers) {
  RegisterPacking packing;
  packing.slots.assign(registers.size(), kNoSlot);
  if (std::uint64_t{registers.size()} * program.blocks.size() * 3 > kMostBits) return packing;
  const std::vector<Interval> intervals = find_intervals(program, uses, registers.size());
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < intervals.size(); ++i) {
    if (!intervals[i].is_empty()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(intervals[a].begin, a) < std::pair(intervals[b].begin, b);
  });
  std::map<std::uint32_t, SlotPool, std::greater<>> pools;  // by the bytes of a slot
  for (const std::uint32_t one : order) {
    packing.slots[one] = pools[slot_bytes(registers[one].type)].take(intervals[one]);
  }
  constexpr std::uint32_t kLine = 64;
  std::map<std::uint32_t, std::uint32_t> bases;
  for (const auto& [bytes, pool] : pools) {
    bases[bytes] = packing.bytes;
    packing.bytes += (pool.count() * bytes + kLine - 1) / kLine * kLine;
  }
  for (const std::uint32_t one : order) {
    const std::uint32_t bytes = slot_bytes(registers[one].type);
    packing.slots[one] = bases[bytes] + packing.slots[one] * bytes;
  }
  return packing;
}

}  // namespace warpmind::simulator
