#include "profilers/simulator/program/cfg.h"

#include <chrono>
#include <initializer_list>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::simulator {
namespace {

using ::testing::ElementsAre;

Instruction step(Flow flow = Flow::next, std::int32_t target = -1, bool is_guarded = false) {
  Instruction instruction;
  instruction.flow = flow;
  instruction.target = target;
  if (is_guarded) instruction.guard = 0;
  return instruction;
}
Instruction jump(std::int32_t target) { return step(Flow::branch, target); }
Instruction jump_if(std::int32_t target) { return step(Flow::branch, target, true); }

Program analysed(const std::vector<Instruction>& code,
                 std::vector<std::vector<std::int32_t>> tables = {}) {
  Program program;
  program.code = code;
  for (std::uint32_t i = 0; i < program.code.size(); ++i) program.code[i].index = i;
  program.tables = std::move(tables);
  analyse_control_flow(program);
  return program;
}

std::vector<std::uint32_t> begins(const Program& program) {
  std::vector<std::uint32_t> all;
  for (const auto& block : program.blocks) all.push_back(block.begin);
  return all;
}

TEST(ControlFlow, StraightCodeIsOneBlock) {
  const Program program = analysed({step(), step(), step(Flow::ret)});
  ASSERT_EQ(program.blocks.size(), 1U);
  EXPECT_EQ(program.blocks[0].end, 3U);
  EXPECT_EQ(program.blocks[0].immediate_post_dominator, -1);
}

TEST(ControlFlow, IfElseMeetsBehind) {
  // 0: if → 3;  1: then;  2: goto 4;  3: else;  4: ret
  const Program program = analysed({jump_if(3), step(), jump(4), step(), step(Flow::ret)});
  EXPECT_THAT(begins(program), ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(program.code[0].reconvergence, 4);
  EXPECT_EQ(program.code[2].reconvergence, 4);
  EXPECT_THAT(program.block_of, ElementsAre(0, 1, 1, 2, 3));
}

TEST(ControlFlow, LoopMeetsAtItsExit) {
  // 0;  1: body;  2: if → 1;  3: ret
  const Program program = analysed({step(), step(), jump_if(1), step(Flow::ret)});
  EXPECT_THAT(begins(program), ElementsAre(0, 1, 3));
  EXPECT_EQ(program.code[2].reconvergence, 3);
}

TEST(ControlFlow, BarriersCallsAndGuardedReturnsEndBlocks) {
  const Program program = analysed({step(Flow::barrier), step(Flow::call, 0), step(),
                                    step(Flow::ret, -1, true), step(), step(Flow::exit)});
  EXPECT_THAT(begins(program), ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(program.blocks[0].immediate_post_dominator, 1);
  // Some lanes leave in block 2: only the exit is behind all of them.
  EXPECT_EQ(program.blocks[2].immediate_post_dominator, -1);
}

TEST(ControlFlow, EarlyReturnMeetsAtTheExit) {
  // 0: if → 2;  1: ret;  2: ret
  const Program program = analysed({jump_if(2), step(Flow::ret), step(Flow::ret)});
  EXPECT_EQ(program.code[0].reconvergence, -1);
}

TEST(ControlFlow, BranchTablesMeetBehindTheirTargets) {
  // 0: table {1, 3, 5};  1, 2: goto 5;  3, 4: goto 5;  5: ret
  const Program program =
      analysed({step(Flow::branch_table, 0), step(), jump(5), step(), jump(5), step(Flow::ret)},
               {{1, 3, 5}});
  EXPECT_THAT(begins(program), ElementsAre(0, 1, 3, 5));
  EXPECT_EQ(program.code[0].reconvergence, 5);
}

TEST(ControlFlow, EndlessLoopsDoNotHang) {
  // 0: if → 3;  1: ;  2: goto 1;  3: ret
  const Program program = analysed({jump_if(3), step(), jump(1), step(Flow::ret)});
  EXPECT_EQ(program.code[0].reconvergence, -1);
  const Program alone = analysed({step(), jump(0)});
  EXPECT_EQ(alone.code[1].reconvergence, -1);
  // Two ways inside an endless loop meet in it.
  const Program inner = analysed({jump_if(3), step(), jump(4), step(), jump(0)});
  EXPECT_EQ(inner.code[0].reconvergence, 4);
}

TEST(ControlFlow, IrreducibleLoopsAreRight) {
  // Two ways into a loop: 0: if → 3;  1: ;  2: ;  3: if → 1;  4: ret
  const Program program = analysed({jump_if(3), step(), step(), jump_if(1), step(Flow::ret)});
  EXPECT_EQ(program.code[0].reconvergence, 3);
  EXPECT_EQ(program.code[3].reconvergence, 4);
}

TEST(ControlFlow, LargeKernelsAreFast) {
  // A chain of 20,000 if-then, and a nest of 2,000 loops.
  std::vector<Instruction> code;
  for (std::int32_t i = 0; i < 20'000; ++i) {
    code.push_back(jump_if(2 * i + 2));
    code.push_back(step());
  }
  const auto first = static_cast<std::int32_t>(code.size());
  for (std::int32_t i = 0; i < 2'000; ++i) code.push_back(step());
  for (std::int32_t i = 0; i < 2'000; ++i) code.push_back(jump_if(first + 1'999 - i));
  code.push_back(step(Flow::ret));
  const auto start = std::chrono::steady_clock::now();
  const Program program = analysed(code);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(program.code[0].reconvergence, 2);
  EXPECT_EQ(program.code[39'998].reconvergence, first);
  EXPECT_EQ(program.code[code.size() - 2].reconvergence,
            static_cast<std::int32_t>(code.size()) - 1);
}

}  // namespace
}  // namespace warpmind::simulator
