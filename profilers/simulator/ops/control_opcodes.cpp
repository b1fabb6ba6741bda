#include "profilers/simulator/ops/control_opcodes.h"

#include "profilers/simulator/exec/warp.h"

#include <array>
#include <string>

namespace warpmind::simulator {
namespace {

/// What kinds of barrier instructions exec/ knows: Instruction::option.
constexpr std::uint16_t kSync = 0;
constexpr std::uint16_t kArrive = 1;
constexpr std::uint16_t kReducePopulation = 2;
constexpr std::uint16_t kReduceAnd = 3;
constexpr std::uint16_t kReduceOr = 4;

/// Clusters are one block here, so a cluster's barrier is the block's. The last of the 16 barriers,
/// since kernels count theirs from 0.
constexpr std::int64_t kClusterBarrier = 15;

bool expect_operands(DecodeContext& context, const ptx::Statement& in, std::size_t least,
                     std::size_t most) {
  if (in.operands.size() >= least && in.operands.size() <= most) return true;
  context.fail("has " + std::to_string(in.operands.size()) + " operands");
  return false;
}

void decode_bra(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.flow = Flow::branch;
  if (expect_operands(context, in, 1, 1)) out.target = context.label(in.operands[0]);
}

void decode_brx(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.flow = Flow::branch_table;
  if (!in.has("idx")) context.fail("only brx.idx is simulated");
  if (!expect_operands(context, in, 2, 2)) return;
  out.a = context.source(in.operands[0], 4, "u32");
  out.target = context.branch_table(in.operands[1]);
}

void decode_call(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                 InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.flow = Flow::call;
  out.target = context.call(in);
}

void decode_ret(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.flow = Flow::ret;
  (void)expect_operands(context, in, 0, 0);
}

void decode_exit(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                 InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.flow = Flow::exit;
  (void)expect_operands(context, in, 0, 0);
}

void stop_at(Warp& warp, const Instruction& at, const std::string& what) {
  const InstructionInfo& info = warp.program().info[at.index];
  stop_launch(warp, LaunchEnd::fault,
              "the kernel executed " + what + " in " + warp.program().name +
                  (info.source_line > 0 ? " line " + std::to_string(info.source_line) : ""));
}
void run_trap(Warp& warp, const Instruction& at, Mask /*active*/) {
  stop_at(warp, at, "a trap instruction");
}
void run_breakpoint(Warp& warp, const Instruction& at, Mask /*active*/) {
  stop_at(warp, at, "a breakpoint, and there is no debugger");
}
void run_nothing(Warp& /*warp*/, const Instruction& /*at*/, Mask /*active*/) {}

template <Handler handler>
void decode_plain(DecodeContext& /*context*/, const ptx::Statement& /*in*/, Instruction& out,
                  InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.handler = handler;
}

/// The barrier's id, and the number of threads where one is given.
void decode_barrier_id(DecodeContext& context, const ptx::Operand& id, const ptx::Operand* threads,
                       Instruction& out) {
  std::uint64_t value = 0;
  if (context.literal(id, value)) {
    if (value > 15) context.fail("a block has barriers 0 to 15");
    out.immediate = static_cast<std::int64_t>(value);
  } else {
    out.a = context.source(id, 4, "u32");
  }
  if (threads != nullptr) out.b = context.source(*threads, 4, "u32");
}

void decode_barrier_reduction(DecodeContext& context, const ptx::Statement& in, Instruction& out) {
  const bool counts = in.has("popc");
  out.option = counts ? kReducePopulation : in.has("and") ? kReduceAnd : kReduceOr;
  if (!counts && !in.has("and") && !in.has("or")) context.fail("the reduction is not simulated");
  if (!expect_operands(context, in, 3, 4)) return;
  const ptx::Operand& votes = in.operands.back();
  out.d = context.destination(in.operands[0], counts ? 4 : 0);
  out.c = context.source(votes, 0, "pred");
  out.option2 = votes.negated ? 1 : 0;
  decode_barrier_id(context, in.operands[1], in.operands.size() == 4 ? &in.operands[2] : nullptr,
                    out);
}

/// bar{.cta}.sync, .arrive and .red, and the same of "barrier". Whether all lanes of a warp are
/// there (.aligned) exec/ looks at.
void decode_barrier(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                    InstructionInfo& info) {
  info.pipe = Pipe::control;
  out.flow = Flow::barrier;
  if (in.has("red")) {
    decode_barrier_reduction(context, in, out);
    return;
  }
  out.option = in.has("arrive") ? kArrive : kSync;
  if (!in.has("arrive") && !in.has("sync")) context.fail("the barrier is not simulated");
  if (!expect_operands(context, in, in.has("arrive") ? 2 : 1, 2)) return;
  decode_barrier_id(context, in.operands[0], in.operands.size() == 2 ? &in.operands[1] : nullptr,
                    out);
}

/// Arriving is left out: a thread that waits has arrived, and all threads must wait, so nobody can
/// tell the difference but by running on too early, which waiting at the later place prevents.
void decode_cluster_barrier(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                            InstructionInfo& info) {
  info.pipe = Pipe::control;
  (void)expect_operands(context, in, 0, 0);
  if (in.has("arrive")) {
    out.handler = run_nothing;
  } else if (in.has("wait")) {
    out.flow = Flow::barrier;
    out.option = kSync;
    out.immediate = kClusterBarrier;
  } else {
    context.fail("the barrier is not simulated");
  }
}

constexpr std::array kTable = {
    OpcodeEntry{"bra", TypeClass::any, decode_bra},
    OpcodeEntry{"brx", TypeClass::any, decode_brx},
    OpcodeEntry{"call", TypeClass::any, decode_call},
    OpcodeEntry{"ret", TypeClass::any, decode_ret},
    OpcodeEntry{"exit", TypeClass::any, decode_exit},
    OpcodeEntry{"trap", TypeClass::any, decode_plain<run_trap>},
    OpcodeEntry{"brkpt", TypeClass::any, decode_plain<run_breakpoint>},
    OpcodeEntry{"bar.sync", TypeClass::any, decode_barrier},
    OpcodeEntry{"bar.arrive", TypeClass::any, decode_barrier},
    OpcodeEntry{"bar.red", TypeClass::any, decode_barrier},
    OpcodeEntry{"bar.cta", TypeClass::any, decode_barrier},
    OpcodeEntry{"barrier.sync", TypeClass::any, decode_barrier},
    OpcodeEntry{"barrier.arrive", TypeClass::any, decode_barrier},
    OpcodeEntry{"barrier.red", TypeClass::any, decode_barrier},
    OpcodeEntry{"barrier.cta", TypeClass::any, decode_barrier},
    OpcodeEntry{"barrier.cluster", TypeClass::any, decode_cluster_barrier},
    // These change no result. nanosleep only gives time away; pmevent triggers a profiler;
    // griddepcontrol orders kernels that overlap, and here none do; setmaxnreg moves registers
    // between warps, and here each has all that it names.
    OpcodeEntry{"nanosleep", TypeClass::any, decode_plain<run_nothing>},
    OpcodeEntry{"pmevent", TypeClass::any, decode_plain<run_nothing>},
    OpcodeEntry{"griddepcontrol", TypeClass::any, decode_plain<run_nothing>},
    OpcodeEntry{"setmaxnreg", TypeClass::any, decode_plain<run_nothing>},
};

}  // namespace

std::span<const OpcodeEntry> control_opcodes() { return kTable; }

}  // namespace warpmind::simulator
