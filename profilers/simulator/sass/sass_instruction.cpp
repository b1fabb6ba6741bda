// Layout of a 128-bit instruction, checked on the output of ptxas 13.0 for every architecture in
// kArchitectures: chains of dependent FFMA have stall 4, each load's write barrier is in the wait
// mask of its first use, every jump lands inside the code and one jump a kernel on itself.
#include "profilers/simulator/sass/sass_instruction.h"

#include "base/sequence.h"
#include "profilers/simulator/sass/sass_opcodes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::array kArchitectures = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr std::size_t kInstructionBytes = 16;
constexpr unsigned kControlShift = 41;  // of the upper word: bit 105 of the instruction
constexpr std::uint16_t kOperationMask = 0x1ff;
constexpr std::uint16_t kIndirectBranch = 0x149;
constexpr std::uint16_t kAbsoluteCall = 0x143;
constexpr std::uint16_t kReturn = 0x150;

struct Words {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

constexpr std::uint64_t bits(std::uint64_t word, unsigned shift, unsigned width) {
  return word >> shift & ((std::uint64_t{1} << width) - 1);
}

constexpr std::int64_t sign_extended(std::uint64_t value, unsigned width) {
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// In instructions, from the next one. Bits 34 to 81 count 4-byte words; since sm_90 they are the
/// upper 48 of 56 bits, and bits 16 to 23 the lower 8.
std::int64_t branch_offset(const Words& words, int architecture) {
  std::uint64_t field = bits(words.low, 34, 30) | bits(words.high, 0, 18) << 30U;
  unsigned width = 48;
  if (architecture >= 90) {
    field = field << 8U | bits(words.low, 16, 8);
    width = 56;
  }
  return sign_extended(field, width);
}

bool has_relative_target(const SassInstruction& instruction) {
  const std::uint16_t operation = instruction.opcode & kOperationMask;
  const bool jumps = instruction.kind == SassClass::branch || instruction.kind == SassClass::call;
  return jumps && operation != kIndirectBranch && operation != kAbsoluteCall &&
         operation != kReturn;
}

SassInstruction decode_one(const Words& words, int architecture) {
  SassInstruction out;
  out.opcode = static_cast<std::uint16_t>(bits(words.low, 0, 12));
  const auto operation = sass_operation(out.opcode & kOperationMask, architecture);
  out.name = operation.name;
  out.kind = operation.kind;
  out.guard = static_cast<std::uint8_t>(bits(words.low, 12, 3));
  const std::uint64_t control = words.high >> kControlShift;
  out.stall = static_cast<std::uint8_t>(bits(control, 0, 4));
  out.yield_bit = bits(control, 4, 1) != 0;
  out.write_barrier = static_cast<std::uint8_t>(bits(control, 5, 3));
  out.read_barrier = static_cast<std::uint8_t>(bits(control, 8, 3));
  out.wait_mask = static_cast<std::uint8_t>(bits(control, 11, 6));
  out.reuse = static_cast<std::uint8_t>(bits(control, 17, 4));
  return out;
}

/// Behind the last instruction ptxas puts a jump to itself and fills up with NOPs.
void drop_padding(std::vector<SassInstruction>& code) {
  while (!code.empty() && code.back().kind == SassClass::nop) code.pop_back();
  if (!code.empty() && code.back().kind == SassClass::branch &&
      code.back().target == static_cast<std::int32_t>(code.size()) - 1) {
    code.pop_back();
  }
}

}  // namespace

bool knows_encoding(int architecture) { return contains(kArchitectures, architecture); }

Result<std::vector<SassInstruction>> decode_sass(std::span<const std::byte> code,
                                                 int architecture) {
  if (!knows_encoding(architecture)) {
    return fail(Errc::invalid_argument,
                "the instruction encoding of sm_" + std::to_string(architecture) + " is not known");
  }
  if (code.size() % kInstructionBytes != 0) {
    return fail(Errc::corrupt_data,
                "machine code of " + std::to_string(code.size()) + " bytes: not a multiple of 16");
  }
  const auto count = static_cast<std::int64_t>(code.size() / kInstructionBytes);
  std::vector<SassInstruction> out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    Words words;
    std::memcpy(&words, code.data() + i * static_cast<std::int64_t>(kInstructionBytes),
                sizeof(words));
    SassInstruction instruction = decode_one(words, architecture);
    if (has_relative_target(instruction)) {
      const std::int64_t offset = branch_offset(words, architecture);
      if (offset % 4 != 0 || offset / 4 < -(i + 1) || offset / 4 >= count - (i + 1)) {
        return fail(Errc::corrupt_data,
                    "instruction " + std::to_string(i) + " (" + std::string(instruction.name) +
                        ") jumps out of the code of " + std::to_string(count) + " instructions");
      }
      instruction.target = static_cast<std::int32_t>(i + 1 + offset / 4);
    }
    out.push_back(instruction);
  }
  drop_padding(out);
  return out;
}

double unknown_share(std::span<const SassInstruction> code) {
  if (code.empty()) return 0;
  const auto unknown = std::count_if(code.begin(), code.end(), [](const SassInstruction& one) {
    return one.kind == SassClass::unknown;
  });
  return static_cast<double>(unknown) / static_cast<double>(code.size());
}

}  // namespace warpmind::simulator
