#include "profilers/simulator/ptx/literal.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::simulator::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kHead = ".version 8.5\n.target sm_80\n.address_size 64\n";

std::string read_fixture(const std::string& name) {
  std::ifstream file(std::string(WARPMIND_TEST_DATA) + "/ptx/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Module parse(const std::string& rest) {
  auto module = parse_ptx(kHead + rest);
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return {};
  }
  return std::move(*module);
}

Function parse_body(const std::string& body) {
  Module module = parse(".entry k(.param .u64 p)\n{\n" + body + "\n}\n");
  if (module.functions.empty()) return {};
  return std::move(module.functions.front());
}

std::string error_of(const std::string& text) {
  const auto module = parse_ptx(text);
  return module ? "no error" : module.error().message;
}

const Function& find(const Module& module, const std::string& part) {
  const auto found =
      std::find_if(module.functions.begin(), module.functions.end(), [&](const Function& function) {
        return !function.is_declaration && function.name.find(part) != std::string::npos;
      });
  if (found == module.functions.end()) throw std::runtime_error("no function " + part);
  return *found;
}

TEST(PtxParser, ReadsTheHead) {
  const Module module = parse(".file 1 \"a.cu\"\n.file 2 \"b.h\", 12, 34\n");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 5);
  EXPECT_EQ(module.target, "sm_80");
  EXPECT_EQ(module.files.at(2), "b.h");
}

TEST(PtxParser, ReadsAnInstruction) {
  const Function function = parse_body(
      ".reg .pred %p<2>;\n.reg .f32 %f<3>;\n.reg .b64 %rd1;\n"
      "@!%p1 ld.global.nc.L2::128B.v2.f32 {%f1, %f2}, /* from */ [%rd1+-8]; // here\n");
  ASSERT_EQ(function.body.size(), 1U);
  const Statement& load = function.body[0];
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_THAT(load.modifiers, ElementsAre("global", "nc", "L2::128B", "v2", "f32"));
  EXPECT_EQ(load.type(), "f32");
  EXPECT_EQ(load.guard, "%p1");
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(load.ptx_line, 9);
  EXPECT_EQ(load.text, "@!%p1 ld.global.nc.L2::128B.v2.f32 {%f1, %f2}, [%rd1+-8]");
  ASSERT_EQ(load.operands.size(), 2U);
  EXPECT_EQ(load.operands[0].kind, OperandKind::vector);
  EXPECT_EQ(load.operands[0].elements[1].name, "%f2");
  EXPECT_EQ(load.operands[1].kind, OperandKind::address);
  EXPECT_EQ(load.operands[1].name, "%rd1");
  EXPECT_EQ(static_cast<std::int64_t>(load.operands[1].bits), -8);
}

TEST(PtxParser, ReadsOperandsOfEveryKind) {
  const Function function = parse_body(
      "foo.b32 %r1|%p1, !%p2, _, -3, 0x1fU, 0f3F800000, 0d3FF0000000000000, 1.5e-1, sym+8, [16], "
      "[map, {%r1, 7}];");
  ASSERT_EQ(function.body.size(), 1U);
  const auto& operands = function.body[0].operands;
  ASSERT_EQ(operands.size(), 12U);
  EXPECT_TRUE(operands[1].paired);
  EXPECT_TRUE(operands[2].negated);
  EXPECT_EQ(operands[3].kind, OperandKind::ignored);
  EXPECT_EQ(static_cast<std::int64_t>(operands[4].bits), -3);
  EXPECT_EQ(operands[5].bits, 31U);
  EXPECT_EQ(operands[6].kind, OperandKind::real32);
  EXPECT_EQ(operands[6].bits, 0x3F800000U);
  EXPECT_EQ(operands[7].kind, OperandKind::real64);
  EXPECT_EQ(operands[7].bits, 0x3FF0000000000000U);
  EXPECT_EQ(operands[8].kind, OperandKind::real64);
  EXPECT_EQ(operands[8].bits, 0x3FC3333333333333U);
  EXPECT_EQ(operands[9].name, "sym");
  EXPECT_EQ(operands[9].bits, 8U);
  EXPECT_EQ(operands[10].bits, 16U);
  EXPECT_THAT(operands[10].name, IsEmpty());
  ASSERT_EQ(operands[11].elements.size(), 2U);
  EXPECT_EQ(operands[11].elements[1].bits, 7U);
}

TEST(PtxParser, ReadsCalls) {
  const Function function =
      parse_body("call.uni (r0), f, (a, b);\ncall f;\ncall (r0), %rd1, (a), proto;\nret;");
  ASSERT_EQ(function.body.size(), 4U);
  const auto& direct = function.body[0].operands;
  ASSERT_EQ(direct.size(), 3U);
  EXPECT_EQ(direct[0].kind, OperandKind::vector);
  EXPECT_EQ(direct[1].name, "f");
  EXPECT_EQ(direct[2].elements[1].name, "b");
  EXPECT_EQ(function.body[1].operands.size(), 1U);
  EXPECT_EQ(function.body[2].operands[3].name, "proto");
}

TEST(PtxParser, InnerScopesGetNamesOfTheirOwn) {
  const Function function = parse_body(
      ".reg .b32 r<2>;\nmov.u32 r1, 1;\n"
      "{ .reg .b32 r<2>; bra DONE; mov.u32 r1, 2; { mov.u32 r1, 3; } DONE: mov.u32 r0, r1; }\n"
      "{ .reg .b32 r1; bra DONE; mov.u32 r1, r0; DONE: }\nmov.u32 r1, 4;");
  ASSERT_EQ(function.body.size(), 8U);
  const auto name = [&](std::size_t i, std::size_t operand = 0) {
    return function.body[i].operands[operand].name;
  };
  EXPECT_EQ(name(0), "r1");
  EXPECT_EQ(name(2), name(3));
  EXPECT_NE(name(2), "r1");
  EXPECT_EQ(name(4, 1), name(2));
  EXPECT_NE(name(6), name(2));
  EXPECT_EQ(name(6, 1), "r0");
  EXPECT_EQ(name(7), "r1");
  // Two labels of one name, one a scope.
  EXPECT_NE(name(1), name(5));
  EXPECT_EQ(function.labels.at(name(1)), 4U);
  EXPECT_EQ(function.labels.at(name(5)), 7U);
  EXPECT_EQ(function.registers.size(), 5U);
}

TEST(PtxParser, ADirectiveEndsAtTheNextDot) {  // cuda_fp16.hpp writes it so for hexp
  const auto module = parse_ptx(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n{.reg.b32  f, C;\n"
      "mov.b32 f, C; }\nret;\n}\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->functions.front().registers.size(), 2U);
}

TEST(PtxParser, ReadsTargetLists) {
  const Function function = parse_body(
      "{ A: ts: .branchtargets A, B, A; brx.idx %r1, ts; B: ret; }\n"
      "p1: .callprototype (.param .b32 _) _ (.param .b64 _);\nexit;");
  ASSERT_EQ(function.body.size(), 3U);
  const std::string list = function.body[0].operands[1].name;
  ASSERT_TRUE(function.target_lists.contains(list));
  const auto& targets = function.target_lists.at(list);
  ASSERT_EQ(targets.size(), 3U);
  EXPECT_EQ(function.labels.at(targets[0]), 0U);
  EXPECT_EQ(function.labels.at(targets[1]), 1U);
}

TEST(PtxParser, ReadsVariables) {
  const Module module = parse(
      ".visible .global .align 8 .f32 a[2][3] = {{0f3F800000, 2.0}, {-1}};\n"
      ".extern .shared .align 16 .b8 dynamic[];\n"
      ".const .u64 pointers[3] = {generic(a)+4, 7, f-2};\n"
      ".global .attribute(.managed) .s16 x = -2, y;\n"
      ".global .v4 .f32 wide;\n.global .b8 text[] = {65, 66, 0};\n.global .texref image;\n");
  ASSERT_EQ(module.variables.size(), 8U);
  const Variable& a = module.variables[0];
  EXPECT_EQ(a.bytes, 24U);
  EXPECT_EQ(a.alignment, 8U);
  EXPECT_THAT(a.initial,
              ElementsAre(0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0x80, 0xbf));
  EXPECT_TRUE(module.variables[1].is_extern);
  EXPECT_EQ(module.variables[1].bytes, 0U);
  EXPECT_EQ(module.variables[1].space, Space::shared);
  const Variable& pointers = module.variables[2];
  EXPECT_EQ(pointers.space, Space::constant);
  EXPECT_EQ(pointers.initial.size(), 24U);
  EXPECT_EQ(pointers.initial[8], 7);
  ASSERT_EQ(pointers.references.size(), 2U);
  EXPECT_EQ(pointers.references[0].symbol, "a");
  EXPECT_EQ(pointers.references[0].addend, 4);
  EXPECT_EQ(pointers.references[1].offset, 16U);
  EXPECT_EQ(pointers.references[1].addend, -2);
  EXPECT_THAT(module.variables[3].initial, ElementsAre(0xfe, 0xff));
  EXPECT_EQ(module.variables[4].name, "y");
  EXPECT_EQ(module.variables[5].alignment, 16U);
  EXPECT_EQ(module.variables[5].bytes, 16U);
  EXPECT_EQ(module.variables[6].bytes, 3U);
}

TEST(PtxParser, ReadsFunctionHeads) {
  const Module module = parse(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".visible .entry k(.param .u32 n, .param .u64 .ptr .global .align 16 p,\n"
      "  .param .align 8 .b8 s[12], .param .u8 c)\n"
      ".maxntid 32, 4\n.minnctapersm 2\n.maxnreg 64\n.reqntid 128, 1, 1\n"
      ".explicitcluster .reqnctapercluster 2, 1, 1\n{ ret; }\n"
      ".weak .func f .noreturn { trap; }\n");
  ASSERT_EQ(module.functions.size(), 3U);
  EXPECT_TRUE(module.functions[0].is_declaration);
  EXPECT_EQ(module.functions[0].results.size(), 1U);
  const Function& kernel = module.functions[1];
  EXPECT_TRUE(kernel.is_entry);
  EXPECT_EQ(kernel.ptx_line, 5);
  ASSERT_EQ(kernel.parameters.size(), 4U);
  EXPECT_EQ(kernel.parameters[1].offset, 8U);
  EXPECT_EQ(kernel.parameters[2].bytes, 12U);
  EXPECT_EQ(kernel.parameters[3].offset, 28U);
  EXPECT_EQ(kernel.parameter_bytes, 29U);
  EXPECT_EQ(kernel.most_threads, 128U);
  EXPECT_THAT(kernel.required_threads, ElementsAre(128, 1, 1));
  EXPECT_THAT(kernel.cluster_blocks, ElementsAre(2, 1, 1));
}

TEST(PtxParser, InlinedLinesCountForTheirCaller) {
  const Module module = parse(
      ".entry k() {\n.loc 2 7 1\nret;\n.loc 2 10 3\nret;\n"
      ".loc 1 50 5, function_name $L1, inlined_at 2 10 3\nret;\n"
      ".loc 1 60 5, function_name $L1+8, inlined_at 1 50 5\nret;\n"
      ".loc 2 4 5, function_name $L1, inlined_at 2 10 3\nret;\n.loc 1 0 0\nret;\n}\n"
      ".file 1 \"/x/header.h\"\n.file 2 \"/x/kernel.cu\"\n");
  std::vector<int> lines;
  for (const auto& statement : module.functions.at(0).body) lines.push_back(statement.source_line);
  // 50 and 60 lie in a header, so line 10 called them; line 4 is the user's own function.
  EXPECT_THAT(lines, ElementsAre(7, 10, 10, 10, 4, 0));
  EXPECT_EQ(module.functions[0].body[3].source_file, 2);
}

TEST(PtxParser, ReadsWhatNvccWrites) {
  const auto calls = parse_ptx(read_fixture("calls.ptx"));
  ASSERT_TRUE(calls.has_value()) << calls.error().message;
  EXPECT_EQ(calls->variables.size(), 11U);
  EXPECT_EQ(calls->functions.size(), 8U);
  const Function& kernel = find(*calls, "call_all");
  EXPECT_EQ(kernel.most_threads, 256U);
  EXPECT_EQ(kernel.parameters[1].bytes, 40U);
  EXPECT_TRUE(std::all_of(kernel.body.begin(), kernel.body.end(),
                          [](const Statement& one) { return one.source_file <= 1; }));
  const auto control = parse_ptx(read_fixture("control.ptx"));
  ASSERT_TRUE(control.has_value()) << control.error().message;
  EXPECT_EQ(control->functions.size(), 6U);
  const auto& labels = find(*control, "inline_scopes").labels;
  EXPECT_EQ(labels.size(), 2U);
  const auto tiles = parse_ptx(read_fixture("tiles.ptx"));
  ASSERT_TRUE(tiles.has_value()) << tiles.error().message;
  EXPECT_EQ(tiles->target, "sm_90a");
}

TEST(PtxParser, RefusesOtherVersionsByName) {
  EXPECT_EQ(error_of(".version 10.1\n.target sm_200"),
            "PTX line 1: PTX ISA 10.1 is not read, only versions 6.0 to 9.x: compile with an nvcc "
            "of CUDA 12 or 13");
  EXPECT_EQ(error_of(".version 5.0\n"),
            "PTX line 1: PTX ISA 5.0 is not read, only versions 6.0 to 9.x: compile with an nvcc "
            "of CUDA 9 or newer");
  EXPECT_THAT(error_of(".version x\n"), HasSubstr("not followed by a version"));
  EXPECT_EQ(error_of(""), "PTX line 1: PTX begins with .version");
  EXPECT_EQ(error_of(kHead + ".address_size 32"), "PTX line 4: only 64-bit addresses are read");
}

TEST(PtxParser, NamesTheLineOfWhatIsWrong) {
  const auto body_error = [](const std::string& body) {
    return error_of(kHead + ".entry k()\n{\n" + body);
  };
  EXPECT_EQ(body_error("ret;\n"), "PTX line 7: the body of k does not end");
  EXPECT_EQ(body_error("/* never\n"), "PTX line 6: a comment does not end");
  EXPECT_EQ(body_error(".pragma \"no\n;"), "PTX line 6: a quoted text does not end");
  EXPECT_EQ(body_error("add.s32 %r1, %r2\nret;\n}"), "PTX line 7: expected \";\", found \"ret\"");
  EXPECT_EQ(body_error("mov.u32 %r1, 99999999999999999999;}"),
            "PTX line 6: \"99999999999999999999\" is no number");
  EXPECT_EQ(body_error("mov.f32 %f1, 0f3F8;}"), "PTX line 6: \"0f3F8\" is no number");
  EXPECT_EQ(body_error("ld.u32 %r1, [%r2;"), "PTX line 6: expected \"]\", found \";\"");
  EXPECT_EQ(body_error("\x01\n"), "PTX line 6: a character that is no part of PTX");
  EXPECT_EQ(body_error(".frob 1;"), "PTX line 6: \".frob\" is no directive of a body that is read");
  EXPECT_EQ(body_error("A: ret;\nA: ret; }"), "PTX line 7: the label A stands twice");
  EXPECT_EQ(body_error("{ .reg .b32 r1; .reg .b32 r1; }}"), "PTX line 6: \"r1\" is declared twice");
  EXPECT_EQ(body_error(".reg .b32 %r<4000000>;}"),
            "PTX line 6: a function has more than a million registers");
}

TEST(PtxParser, RefusesBadVariables) {
  const auto variable_error = [](const std::string& text) { return error_of(kHead + text); };
  EXPECT_THAT(variable_error(".global .b8 x[2] = {1, 2, 3};"),
              HasSubstr("an initial value lies outside of x"));
  EXPECT_THAT(variable_error(".global .u32 x = y;"), HasSubstr("can only be the value of 8 bytes"));
  EXPECT_THAT(variable_error(".global .b8 x[1] = {0xff(y)};"),
              HasSubstr("is no initial value that is read"));
  EXPECT_THAT(variable_error(".global .b64 x[4294967296][4294967296];"),
              HasSubstr("larger than 2^40 bytes"));
  EXPECT_THAT(variable_error(".global .align 3 .b8 x;"), HasSubstr("power of two"));
  EXPECT_THAT(variable_error(".global .b8 x[2] = {{{1}}};"), HasSubstr("too many braces"));
  EXPECT_THAT(variable_error(".global .b8 x[2] = {1,"), HasSubstr("PTX line 4: "));
  EXPECT_THAT(variable_error(".section .debug {\n{\n}\n"), HasSubstr("a section does not end"));
}

TEST(PtxParser, SurvivesHostileText) {
  constexpr std::size_t kMany = 10'000'000;
  EXPECT_THAT(error_of(std::string(kMany, '{')), HasSubstr("PTX line 1: "));
  EXPECT_THAT(error_of(kHead + ".entry k() " + std::string(kMany, '{')),
              HasSubstr("braces are nested too deeply"));
  EXPECT_THAT(error_of(kHead + ".section x " + std::string(kMany, '{')),
              HasSubstr("a section does not end"));
  EXPECT_THAT(error_of(kHead + ".entry k() { mov " + std::string(kMany, '[')),
              HasSubstr("PTX line 4: "));
  std::string garbage = kHead;
  for (unsigned i = 0; i < 100'000; ++i)
    garbage += static_cast<char>(1 + (i * 2654435761U >> 24) % 255);
  EXPECT_THAT(error_of(garbage), HasSubstr("PTX line "));
}

TEST(PtxParser, EveryTruncationIsOneSentence) {
  const std::string whole = read_fixture("control.ptx");
  std::size_t errors = 0;
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    const auto module = parse_ptx(std::string_view(whole).substr(0, size));
    if (module) continue;
    ++errors;
    EXPECT_THAT(module.error().message, ::testing::StartsWith("PTX line "));
    EXPECT_EQ(module.error().message.find('\n'), std::string::npos);
  }
  EXPECT_GT(errors, whole.size() / 37 / 2);
}

TEST(PtxLiteral, ConvertsByType) {
  const auto bits = [](std::string_view text, const LiteralType& type) {
    return literal_bits(parse_literal(text).value(), type);
  };
  EXPECT_EQ(bits("1", {4, true, false}), 0x3F800000U);
  EXPECT_EQ(bits("0d3FF8000000000000", {4, true, false}), 0x3FC00000U);
  EXPECT_EQ(bits("0f3FC00000", {8, true, false}), 0x3FF8000000000000U);
  EXPECT_EQ(bits("1.5", {4, false, false}), 0x3FC00000U);
  EXPECT_EQ(bits("0f3FC00000", {4, false, false}), 0x3FC00000U);
  EXPECT_EQ(bits("1.5", {2, true, false}), 0x3E00U);
  EXPECT_EQ(bits("65504", {2, true, false}), 0x7BFFU);
  EXPECT_EQ(bits("65520", {2, true, false}), 0x7C00U);
  EXPECT_EQ(bits("5.960464477539063e-8", {2, true, false}), 1U);
  EXPECT_EQ(bits("2.98e-8", {2, true, false}), 0U);
  EXPECT_EQ(bits("1.5", {2, true, true}), 0x3FC0U);
  EXPECT_EQ(bits("0b101", {4, false, false}), 5U);
  EXPECT_EQ(bits("017", {4, false, false}), 15U);
  EXPECT_FALSE(parse_literal("0x").has_value());
  EXPECT_FALSE(parse_literal("09").has_value());
  EXPECT_FALSE(parse_literal("12abc").has_value());
}

}  // namespace
}  // namespace warpmind::simulator::ptx
