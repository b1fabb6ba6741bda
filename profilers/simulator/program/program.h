#pragma once
/// \file
/// A kernel ready to run: flat instructions with handlers, register slots, basic blocks.

#include "profilers/simulator/ptx/syntax.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::simulator {

using ptx::Space;

/// Bit i = lane i.
using Mask = std::uint32_t;
inline constexpr Mask kAllLanes = ~Mask{0};
inline constexpr int kLanes = 32;

struct Warp;
struct Instruction;
/// Executes `instruction` for the lanes of `active` (never empty).
using Handler = void (*)(Warp& warp, const Instruction& instruction, Mask active);

/// Byte offset of a register in a frame's register file: 32 lanes side by side of 2, 4, 8 or 16
/// bytes; a predicate is one 32-bit mask. 8-bit registers take 2 bytes.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

/// How control goes on after an instruction. All but `next` end a basic block. `wait` may have to
/// be tried again: for an mbarrier.
enum class Flow : std::uint8_t { next, branch, branch_table, exit, ret, call, barrier, wait };

/// The hot half of an instruction: one cache line and a half.
struct Instruction {
  Handler handler = nullptr;
  std::int64_t immediate = 0;  ///< address offset, barrier id, …: the decoder's choice
  Slot d = kNoSlot;            ///< destination
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  Slot c = kNoSlot;
  Slot e = kNoSlot;  ///< second destination, or whatever the decoder needs
  Slot guard = kNoSlot;
  std::int32_t target = -1;                ///< branch: pc; call: index into Program::calls;
                                           ///< branch_table: index into Program::tables
  std::int32_t reconvergence = -1;         ///< pc where diverged lanes meet; -1 = at the exit
  std::uint32_t list = 0;                  ///< first of the vector operands in Program::slots
  std::uint32_t access = kNoIndex;         ///< which memory instruction of the module this is
  std::uint32_t index = 0;                 ///< pc
  std::uint32_t guard_counter = kNoIndex;  ///< which guarded instruction of the program this is
  Flow flow = Flow::next;
  bool guard_negated = false;
  Space space = Space::generic;
  std::uint8_t element_bytes = 0;   ///< memory: bytes of one element
  std::uint8_t elements = 1;        ///< memory: elements a lane (v2, v4, v8)
  std::uint8_t register_bytes = 0;  ///< memory: bytes of the registers behind `list`
  std::uint8_t address_bytes = 0;   ///< memory: 8, 4, or 0 when `a` is unused
  bool is_store = false;
  bool is_signed = false;     ///< memory: sign-extend into a wider register
  bool non_coherent = false;  ///< memory: ld.global.nc
  std::uint16_t option = 0;   ///< the decoder's choice
  std::uint16_t option2 = 0;
};

/// Execution pipe, for instruction mix and the time model where SASS is not at hand.
enum class Pipe : std::uint8_t {
  fma,
  alu,
  integer_multiply,
  half,
  special,
  fp64,
  memory,
  tensor,
  control,
  free
};
inline constexpr int kPipes = 10;

/// Floating-point work of one thread, by type.
enum class FlopKind : std::uint8_t { none, f16, f32, f64, tensor };

/// What is known of an instruction before it runs.
struct StaticInstruction {
  std::string opcode;  ///< with modifiers: "ld.global.nc.v4.f32"
  int source_line = 0;
  int ptx_line = 0;  ///< tells instructions of a kernel apart
  Pipe pipe = Pipe::alu;
  FlopKind flop_kind = FlopKind::none;
  std::uint32_t flops = 0;  ///< a lane (tensor instructions: the warp's share of a lane)
  double cost = 1;          ///< SASS instructions this becomes, roughly
};

/// The cold half of an instruction.
struct InstructionInfo : StaticInstruction {
  std::string text;
};

/// Half-open range of instructions that run together.
struct BasicBlock {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int32_t immediate_post_dominator = -1;  ///< block; -1 = the exit
};

/// Values read from the machine rather than from registers. Three of a kind lie in sequence.
enum class SpecialRegister : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  gridid,
  dynamic_smem_size,
  total_smem_size,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  envreg1,  ///< upper half of the address of grid.sync()'s workspace
  envreg2,  ///< lower half
};

/// Those that go on while the kernel runs.
[[nodiscard]] constexpr bool is_clock(SpecialRegister which) {
  return which >= SpecialRegister::clock && which <= SpecialRegister::globaltimer_hi;
}

/// A register slot that holds a value before the first instruction.
struct PresetSpecial {
  SpecialRegister which = SpecialRegister::tid_x;
  Slot slot = 0;
  std::uint8_t bytes = 4;
};
struct PresetConstant {
  Slot slot = 0;
  std::uint8_t bytes = 4;  ///< 0 = predicate
  std::uint64_t low = 0;   ///< broadcast to every lane
  /// The value is an offset in the frame's local memory: the frame's local_base is added.
  bool is_local_address = false;
};

struct Program;

/// Copies between a caller's .param variables and a callee's. All are in the frames' local memory.
struct CallSite {
  /// Index into CompiledModule::programs; kNoIndex = a function that we provide, named `builtin`.
  std::uint32_t callee = kNoIndex;
  std::string builtin;    ///< "vprintf", "__assertfail", "malloc", "free"
  Slot target = kNoSlot;  ///< indirect call: register with the function's address
  struct Copy {
    std::uint32_t caller = 0;  ///< offsets in the frames' local memory
    std::uint32_t callee = 0;
    std::uint32_t bytes = 0;
  };
  std::vector<Copy> arguments;
  std::vector<Copy> results;
};

/// One function, decoded. Immutable while it runs.
struct Program {
  std::string name;
  std::uint32_t ordinal = 0;  ///< index in CompiledModule::programs
  bool is_entry = false;
  /// Empty = it runs. Else the first thing that does not: "line 12: ld.global.foo: …".
  std::string unsupported;
  std::vector<ptx::Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::vector<Instruction> code;
  std::vector<InstructionInfo> info;  ///< beside `code`
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of;            ///< beside `code`
  std::vector<Slot> slots;                        ///< vector operands
  std::vector<std::vector<std::int32_t>> tables;  ///< branch tables: pcs
  std::vector<CallSite> calls;
  std::vector<PresetConstant> constants;
  std::vector<PresetSpecial> specials;
  std::uint32_t register_bytes = 0;  ///< of one frame, a multiple of 64
  std::uint32_t local_bytes = 0;     ///< a lane: .local variables and .param variables
  std::uint32_t shared_bytes = 0;    ///< static: where dynamic shared memory starts
  std::uint32_t guarded = 0;         ///< guarded instructions
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t most_threads = 0;
  std::uint32_t cluster_blocks[3] = {0, 0, 0};  ///< .reqnctapercluster; 0 = none
  bool uses_dynamic_shared = false;
  bool reads_clock = false;  ///< a special register is_clock(); each read begins a basic block
};

/// Device functions get addresses from here on, 16 apart, in the order of the programs.
inline constexpr std::uint64_t kFunctionAddresses = 0x6f00'0000'0000'0000ULL;

/// A variable with an address: global and constant ones live in device memory.
struct PlacedVariable {
  ptx::Variable variable;
  std::uint64_t address = 0;
};

struct CompiledModule {
  std::vector<std::unique_ptr<Program>> programs;  ///< entries and functions
  std::map<std::string, std::uint32_t, std::less<>> program_index;
  std::map<std::string, PlacedVariable, std::less<>> variables;
  std::map<int, std::string> files;
  std::string target;
  std::uint32_t accesses = 0;  ///< memory instructions of all programs: Instruction::access is
                               ///< unique in the module

  [[nodiscard]] const Program* find(std::string_view name) const {
    const auto at = program_index.find(name);
    return at == program_index.end() ? nullptr : programs[at->second].get();
  }
};

}  // namespace warpmind::simulator
