#include "profilers/simulator/program/compiler.h"

#include "profilers/simulator/program/decode_context.h"
#include "profilers/simulator/program/shared_layout.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

namespace warpmind::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kHead = ".version 8.5\n.target sm_80\n.address_size 64\n";
constexpr std::uint64_t kFirstAddress = 0x3000'0000'0000ULL;

/// Places variables 4096 bytes apart, in the order of the text.
class Compiled {
 public:
  explicit Compiled(const std::string& text) {
    auto syntax = ptx::parse_ptx(text);
    if (!syntax) {
      ADD_FAILURE() << syntax.error().message;
      return;
    }
    std::uint64_t next = kFirstAddress;
    auto module = compile_module(std::move(*syntax), [&](const ptx::Variable&) {
      next += 4096;
      return next - 4096;
    });
    if (module) {
      module_ = std::move(*module);
    } else {
      error_ = module.error().message;
    }
  }
  [[nodiscard]] const CompiledModule& module() const { return *module_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const Program& program(const std::string& part) const {
    for (const auto& one : module_->programs) {
      if (one->name.find(part) != std::string::npos) return *one;
    }
    throw std::runtime_error("no program " + part);
  }

 private:
  std::unique_ptr<CompiledModule> module_ = std::make_unique<CompiledModule>();
  std::string error_;
};

Compiled compile(const std::string& rest) { return Compiled(kHead + rest); }

/// One kernel `k` with a pointer parameter.
Program compile_body(const std::string& body) {
  const Compiled compiled = compile(".entry k(.param .u64 out)\n{\n" + body + "\n}\n");
  return compiled.program("k");
}

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(WARPMIND_TEST_DATA) + "/ptx/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const PresetConstant* constant_at(const Program& program, Slot slot) {
  const auto found = std::find_if(program.constants.begin(), program.constants.end(),
                                  [&](const auto& constant) { return constant.slot == slot; });
  return found == program.constants.end() ? nullptr : &*found;
}

TEST(Types, HaveSizes) {
  EXPECT_EQ(type_bytes("pred"), 0);
  EXPECT_EQ(type_bytes("bf16x2"), 4);
  EXPECT_EQ(type_bytes("b128"), 16);
  EXPECT_EQ(type_bytes("texref"), -1);
  EXPECT_EQ(type_bytes("v4"), -1);
  EXPECT_TRUE(is_float_type("tf32"));
  EXPECT_FALSE(is_float_type("f16x2"));
  EXPECT_TRUE(is_signed_type("s8"));
  EXPECT_FALSE(is_signed_type("b8"));
}

TEST(Compiler, BranchesHaveTargetsAndMeetingPlaces) {
  const Program program = compile_body(
      ".reg .pred %p<2>;\n.reg .b32 %r<2>;\n@!%p1 bra ELSE;\nbar.sync 0;\nbra.uni END;\n"
      "ELSE: bar.sync 3, 64;\nEND: ret;");
  EXPECT_THAT(program.unsupported, IsEmpty());
  ASSERT_EQ(program.code.size(), 5U);
  const Instruction& branch = program.code[0];
  EXPECT_EQ(branch.flow, Flow::branch);
  EXPECT_EQ(branch.target, 3);
  EXPECT_EQ(branch.reconvergence, 4);
  EXPECT_TRUE(branch.guard_negated);
  EXPECT_EQ(branch.guard_counter, 0U);
  EXPECT_EQ(program.guarded, 1U);
  EXPECT_EQ(program.code[2].guard, kNoSlot);
  EXPECT_EQ(program.code[3].flow, Flow::barrier);
  EXPECT_EQ(program.code[3].immediate, 3);
  ASSERT_NE(constant_at(program, program.code[3].b), nullptr);
  EXPECT_EQ(constant_at(program, program.code[3].b)->low, 64U);
  EXPECT_EQ(program.blocks.size(), 5U);
  EXPECT_EQ(program.info[3].ptx_line, 11);
}

TEST(Compiler, ReadsBarriersThatReduce) {
  const Program program = compile_body(
      ".reg .pred %p<3>;\n.reg .b32 %r<3>;\nbar.red.popc.u32 %r1, 0, %p1;\n"
      "barrier.cta.red.and.aligned.pred %p2, %r1, %r2, !%p1;\nbar.arrive 2, 96;\nret;");
  EXPECT_THAT(program.unsupported, IsEmpty());
  EXPECT_EQ(program.code[0].option, 2);
  EXPECT_EQ(program.code[0].b, kNoSlot);
  EXPECT_EQ(program.code[0].d, program.code[1].a);
  EXPECT_EQ(program.code[1].option, 3);
  EXPECT_EQ(program.code[1].option2, 1);
  EXPECT_EQ(program.code[1].c, program.code[0].c);
  EXPECT_NE(program.code[1].b, kNoSlot);
  EXPECT_EQ(program.code[2].option, 1);
}

TEST(Compiler, ReadsBranchTables) {
  const Program program = compile_body(
      ".reg .b32 %r<2>;\nts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: bar.sync 0;\nB: ret;");
  EXPECT_THAT(program.unsupported, IsEmpty());
  ASSERT_EQ(program.tables.size(), 1U);
  EXPECT_THAT(program.tables[0], ElementsAre(1, 2, 1));
  EXPECT_EQ(program.code[0].flow, Flow::branch_table);
  EXPECT_EQ(program.code[0].reconvergence, 2);
}

TEST(Compiler, OnlyNamedRegistersGetSlots) {
  const Program program = compile_body(
      ".reg .b32 %r<1000>;\n.reg .pred %p<100>;\n.reg .b64 %rd<10>;\nbar.sync %r7;\n"
      "@%p1 bar.sync 0;\n@%p2 bar.sync 0;\nret;");
  // 128 bytes of a 32-bit register, and two predicates in a line of 64.
  EXPECT_EQ(program.register_bytes, 192U);
  EXPECT_EQ(program.code[0].a % 64, 0U);
  EXPECT_EQ(program.code[2].guard - program.code[1].guard, 4U);
}

TEST(RegisterPacking, RegistersShareWhenTheyAreNotNeededAtATime) {
  const Program program = compile_body(
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
      "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, %r1;\nadd.u32 %r3, %r2, %r2;\n"
      "cvt.u64.u32 %rd1, %r3;\nadd.u32 %r4, %r3, %r3;\nst.global.u32 [%rd1], %r4;\nret;");
  ASSERT_THAT(program.unsupported, IsEmpty());
  const auto& code = program.code;
  // r1 is dead once r2 is there; but an instruction does not write over what it reads.
  EXPECT_NE(code[1].d, code[1].a);
  EXPECT_EQ(code[2].d, code[0].d);
  // Slots of one size only are shared: two of 32 bits, one of 64; one more for %tid.x.
  EXPECT_EQ(program.register_bytes, 2U * 128 + 256 + 128);
}

TEST(RegisterPacking, WhatALoopCarriesIsKept) {
  const Program program = compile_body(
      ".reg .b32 %r<9>;\n.reg .pred %p<9>;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"
      "LOOP: add.u32 %r3, %r2, 7;\nadd.u32 %r4, %r3, 8;\nadd.u32 %r2, %r4, %r1;\n"
      "setp.ne.u32 %p1, %r2, 5;\n@%p1 bra LOOP;\nst.global.u32 [0], %r2;\nret;");
  ASSERT_THAT(program.unsupported, IsEmpty());
  const auto& code = program.code;
  const Slot bound = code[0].d;
  EXPECT_EQ(code[4].b, bound);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NE(code[i].d, bound) << i;
}

TEST(RegisterPacking, GuardedWritesKeepTheOldValue) {
  const Program program = compile_body(
      ".reg .b32 %r<9>;\n.reg .pred %p<9>;\n"
      "mov.u32 %r1, 5;\nmov.u32 %r2, %tid.x;\nadd.u32 %r3, %r2, %r2;\n"
      "setp.eq.u32 %p1, %r3, 0;\n@%p1 mov.u32 %r1, 6;\nst.global.u32 [0], %r1;\nret;");
  ASSERT_THAT(program.unsupported, IsEmpty());
  const auto& code = program.code;
  EXPECT_EQ(code[0].d, code[4].d);
  EXPECT_NE(code[1].d, code[0].d);
  EXPECT_NE(code[2].d, code[0].d);
}

TEST(Compiler, CodeNeverRunsOutOfTheBody) {
  const Program falls = compile_body("bar.sync 0;");
  ASSERT_EQ(falls.code.size(), 2U);
  EXPECT_EQ(falls.code[1].flow, Flow::exit);
  const Program jumps = compile_body("bra END;\nret;\nEND:");
  ASSERT_EQ(jumps.code.size(), 3U);
  EXPECT_EQ(jumps.code[0].target, 2);
  EXPECT_EQ(compile_body("").code.size(), 1U);
}

TEST(Compiler, SharedMemoryIsAKernelsOwn) {
  const Compiled compiled(fixture("control.ptx"));
  const Program& reduce = compiled.program("reduce");
  EXPECT_EQ(reduce.shared_bytes, 132U);
  EXPECT_FALSE(reduce.uses_dynamic_shared);
  // read_dynamic() is called by both, so dynamic memory starts behind the larger static part.
  const Program& both = compiled.program("4both");
  const Program& only = compiled.program("only_dynamic");
  EXPECT_EQ(both.shared_bytes, 48U);
  EXPECT_EQ(only.shared_bytes, 48U);
  EXPECT_TRUE(both.uses_dynamic_shared);
  EXPECT_TRUE(only.uses_dynamic_shared);
  EXPECT_EQ(compiled.program("choose").shared_bytes, 0U);
}

TEST(SharedLayout, CalleesSeeOneOffsetInEveryKernel) {
  const auto module = ptx::parse_ptx(
      kHead +
      ".shared .align 4 .b8 common[12];\n.shared .b8 unused[1000];\n"
      ".extern .shared .align 128 .b8 dynamic[];\n"
      ".func f() { mov.u32 %r1, common; ret; }\n"
      ".entry a() { .shared .align 16 .b8 own[20]; mov.u32 %r1, own; call f; ret; }\n"
      ".entry b() { .shared .align 8 .b8 own[8]; mov.u32 %r1, own; st.shared.u32 [dynamic], %r1;\n"
      " mov.u64 %rd1, f; call %rd1, p; ret; }\n"
      ".entry c() { .shared .b8 own[3]; mov.u32 %r1, own; ret; }\n");
  ASSERT_TRUE(module.has_value()) << module.error().message;
  const auto views = lay_out_shared(*module);
  ASSERT_EQ(views.size(), 4U);
  EXPECT_EQ(views[0].offsets.at("common"), 0U);
  EXPECT_EQ(views[1].offsets.at("own"), 16U);
  EXPECT_EQ(views[1].bytes, 36U);
  EXPECT_EQ(views[2].offsets.at("own"), 16U);
  EXPECT_EQ(views[2].offsets.at("dynamic"), 128U);
  EXPECT_EQ(views[2].bytes, 128U);
  EXPECT_EQ(views[3].offsets.at("own"), 0U);
  EXPECT_EQ(views[3].bytes, 3U);
}

TEST(Compiler, CallsCopyBetweenFrames) {
  const Compiled compiled = compile(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".func (.param .b32 r) f (.param .b32 x, .param .align 8 .b8 s[16]);\n"
      ".entry k()\n{\n.local .align 16 .b8 depot[8];\n.reg .b64 %rd<2>;\n"
      "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 r0;\n"
      "call.uni (r0), f, (p0, p1); }\n"
      "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 r0;\n"
      "call (r0), %rd1, (p0, p1), proto; }\n"
      "{ .param .b64 p0; .param .b64 p1; .param .b32 r0;\ncall (r0), vprintf, (p0, p1); "
      "}\nret;\n}\n"
      ".func (.param .b32 r) f (.param .b32 x, .param .align 8 .b8 s[16]) { ret; }\n");
  const Program& kernel = compiled.program("k");
  EXPECT_THAT(kernel.unsupported, IsEmpty());
  ASSERT_EQ(kernel.calls.size(), 3U);
  const CallSite& direct = kernel.calls[0];
  EXPECT_EQ(direct.callee, compiled.module().program_index.at("f"));
  ASSERT_EQ(direct.arguments.size(), 2U);
  // The callee's frame: result at 0, x at 4, s at 8; the caller's depot takes 0 to 7.
  EXPECT_EQ(direct.results[0].callee, 0U);
  EXPECT_EQ(direct.arguments[0].callee, 4U);
  EXPECT_EQ(direct.arguments[1].callee, 8U);
  EXPECT_EQ(direct.arguments[1].bytes, 16U);
  EXPECT_EQ(direct.arguments[0].caller, 8U);
  EXPECT_EQ(direct.arguments[1].caller, 16U);
  EXPECT_EQ(direct.results[0].caller, 32U);
  const CallSite& indirect = kernel.calls[1];
  EXPECT_EQ(indirect.callee, kNoIndex);
  EXPECT_NE(indirect.target, kNoSlot);
  EXPECT_EQ(indirect.arguments[1].callee, 8U);
  EXPECT_NE(indirect.arguments[1].caller, direct.arguments[1].caller);
  EXPECT_EQ(kernel.calls[2].builtin, "vprintf");
  EXPECT_EQ(kernel.calls[2].callee, kNoIndex);
  EXPECT_EQ(kernel.local_bytes % 16, 0U);
  EXPECT_EQ(compiled.program("f").local_bytes, 32U);
}

TEST(Compiler, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(compile_body("bar.sync 0;\nfrob.b32 1;\nfrob.b64 2;\nret;").unsupported,
            "PTX line 7: opcode frob.b32: is not simulated");
  EXPECT_EQ(
      compile_body(".loc 1 12 3\nbra NOWHERE;\nret;\n}\n.file 1 \"/x/kernel.cu\"\n.entry l(){")
          .unsupported,
      "kernel.cu line 12 (PTX line 7): opcode bra: there is no label NOWHERE");
  EXPECT_THAT(compile_body("@%p1 bra END;\nEND: ret;").unsupported,
              HasSubstr("the guard %p1 is no predicate"));
  EXPECT_THAT(compile_body(".reg .b16 %rs1;\nbar.sync %rs1;\nret;").unsupported,
              HasSubstr("the register %rs1 has 2 bytes, not 4 bytes"));
  EXPECT_THAT(compile_body("bar.sync nothing;\nret;").unsupported, HasSubstr("\"nothing\""));
  EXPECT_THAT(compile_body("bar.sync 16;\nret;").unsupported, HasSubstr("barriers 0 to 15"));
  EXPECT_THAT(compile_body("brx.idx %r1, nothing;\nret;").unsupported, HasSubstr("\"%r1\""));
  EXPECT_THAT(compile_body("call g;\nret;").unsupported, HasSubstr("there is no function g"));
  EXPECT_THAT(compile_body(".reg .b32 %r<3>;\n.reg .b32 %r1;\nret;").unsupported,
              HasSubstr("the register %r1 is declared twice"));
}

TEST(Compiler, KeepsFunctionsBesideUnknownOnes) {
  const Compiled compiled = compile(
      ".extern .func other (.param .b32 x);\n"
      ".entry bad() {\n{ .param .b32 p; call other, (p); }\nret; }\n.entry good() { ret; }\n"
      ".entry wide() .reqnctapercluster 2 { ret; }\n");
  EXPECT_EQ(compiled.program("bad").unsupported,
            "PTX line 6: opcode call: the function other has no body in this module");
  EXPECT_THAT(compiled.program("good").unsupported, IsEmpty());
  EXPECT_THAT(compiled.program("wide").unsupported, HasSubstr("clusters of several blocks"));
}

TEST(Compiler, RefusesModulesWithoutMemoryOrWithTwins) {
  EXPECT_EQ(compile(".global .b32 x;\n.global .b32 x;\n").error(),
            "the variable x is defined twice");
  EXPECT_EQ(compile(".entry k() { ret; }\n.entry k() { ret; }\n").error(),
            "the function k is defined twice");
  auto syntax = ptx::parse_ptx(kHead + ".global .b8 x[77];\n");
  ASSERT_TRUE(syntax.has_value());
  const auto module =
      compile_module(std::move(*syntax), [](const ptx::Variable&) { return std::uint64_t{0}; });
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().message, "there is no device memory for the variable x of 77 bytes");
}

TEST(Compiler, InitialValuesHoldAddresses) {
  const Compiled compiled = compile(
      ".global .b32 x = 7;\n.global .b64 p[3] = {generic(x)+4, 5, f};\n.global .b64 bad = nobody;\n"
      ".func e() { ret; }\n.func f() { ret; }\n");
  const auto& variables = compiled.module().variables;
  const auto bytes = initial_bytes(compiled.module(), variables.at("p"));
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  std::uint64_t words[3] = {0, 0, 0};
  ASSERT_EQ(bytes->size(), sizeof words);
  std::memcpy(words, bytes->data(), sizeof words);
  EXPECT_EQ(words[0], kFirstAddress + 4);
  EXPECT_EQ(words[1], 5U);
  EXPECT_EQ(words[2], kFunctionAddresses + 16);
  const auto bad = initial_bytes(compiled.module(), variables.at("bad"));
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message,
            "the initial value of bad is the address of nobody, which this module does not define");
}

TEST(Compiler, OperandsBecomeSlots) {
  const Compiled compiled = compile(
      ".global .b32 x;\n.shared .align 4 .b32 s[4];\n"
      ".entry k(.param .u32 n, .param .u64 out)\n{\n.local .align 8 .b8 depot[24];\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
      "ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [x+8];\nld.shared.u32 %r2, [s+4];\n"
      "st.local.u32 [depot+16], %r1;\nmov.u64 %rd2, x+4;\nmov.u64 %rd3, depot;\n"
      "add.f32 %f1, %f1, 0f40000000;\nadd.f32 %f1, %f1, 2.0;\nmov.u32 %r3, %tid.x;\n"
      "mov.u32 %r4, %tid.x;\nld.shared.u32 %r5, [x];\nret;\n}\n");
  const Program& program = compiled.program("k");
  // Only the last load is wrong: x is no shared variable.
  EXPECT_EQ(program.unsupported,
            "PTX line 22: opcode ld.shared.u32: the symbol lies in another state space");
  const auto& code = program.code;
  EXPECT_EQ(code[0].space, Space::param);
  EXPECT_EQ(code[0].immediate, 8);
  EXPECT_EQ(code[1].space, Space::global);
  EXPECT_EQ(code[1].address_bytes, 0);
  EXPECT_EQ(static_cast<std::uint64_t>(code[1].immediate), kFirstAddress + 8);
  EXPECT_EQ(code[2].immediate, 4);
  EXPECT_EQ(code[3].space, Space::local);
  EXPECT_EQ(code[3].immediate, 16);
  EXPECT_EQ(code[1].access + 1, code[2].access);
  const auto has_constant = [&](std::uint64_t low, int bytes, bool is_local) {
    return std::count_if(program.constants.begin(), program.constants.end(), [&](const auto& one) {
      return one.low == low && one.bytes == bytes && one.is_local_address == is_local;
    });
  };
  EXPECT_EQ(has_constant(kFirstAddress + 4, 8, false), 1);
  EXPECT_EQ(has_constant(0, 8, true), 1);
  EXPECT_EQ(has_constant(0x40000000, 4, false), 1);
  ASSERT_EQ(program.specials.size(), 1U);
  EXPECT_EQ(program.specials[0].which, SpecialRegister::tid_x);
}

TEST(Compiler, RunsWhatNvccWrites) {
  for (const char* name : {"calls.ptx", "control.ptx", "tiles.ptx"}) {
    const Compiled compiled{fixture(name)};
    EXPECT_THAT(compiled.error(), IsEmpty());
    for (const auto& program : compiled.module().programs) {
      EXPECT_THAT(program->unsupported, IsEmpty()) << name << " " << program->name;
      ASSERT_EQ(program->code.size(), program->info.size());
      EXPECT_FALSE(program->blocks.empty());
    }
  }
}

}  // namespace
}  // namespace warpmind::simulator
