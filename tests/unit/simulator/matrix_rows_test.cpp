/// \file
/// ldmatrix, stmatrix and movmatrix: which element lands in which lane.

#include "tests/unit/simulator/tensor_bench.h"

#include <gmock/gmock.h>

namespace warpmind::simulator::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kRows = 32;
constexpr std::size_t kColumns = 8;

/// 32 rows of 8 elements; each element is its own number.
std::vector<std::byte> counting() {
  std::vector<std::byte> memory(kRows * kColumns * 2);
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    const auto value = static_cast<std::uint16_t>(i + 1);
    std::memcpy(memory.data() + 2 * i, &value, 2);
  }
  return memory;
}

/// Lane l points %r2 to row (5 * l + 3) % 32: distinct rows in no order.
const std::string kRowOfLane =
    "mov.u32 %r0, %laneid;\nmad.lo.u32 %r1, %r0, 5, 3;\nand.b32 %r1, %r1, 31;\n"
    "mov.u32 %r2, tile;\nmad.lo.u32 %r2, %r1, 16, %r2;\n";
std::size_t row_of(std::size_t lane) { return (5 * lane + 3) % kRows; }

std::uint32_t element(std::size_t matrix, std::size_t row, std::size_t column) {
  return static_cast<std::uint32_t>(row_of(8 * matrix + row) * kColumns + column + 1);
}

/// What lane `lane` must get of matrix `matrix`.
std::uint32_t expected_word(std::size_t matrix, std::size_t lane, bool transposed) {
  const std::size_t g = lane / 4;
  const std::size_t t = lane % 4;
  if (transposed) return element(matrix, 2 * t, g) | element(matrix, 2 * t + 1, g) << 16U;
  return element(matrix, g, 2 * t) | element(matrix, g, 2 * t + 1) << 16U;
}

const InstructionRecord& record_of(const WarpResult& result, const std::string& opcode) {
  for (const auto& one : result.record.instructions) {
    if (one.opcode.starts_with(opcode)) return one;
  }
  throw std::runtime_error("no record of " + opcode);
}

TEST(MatrixRows, LoadGivesEachLaneTwoNeighbours) {
  for (const std::size_t count : {1U, 2U, 4U}) {
    for (const bool transposed : {false, true}) {
      for (const char* const space : {".shared", ".shared::cta", ""}) {
        std::string statement = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                                (transposed ? ".trans" : "") + space + ".b16 " +
                                registers('o', 0, count);
        const bool is_generic = *space == 0;
        statement = kRowOfLane + "cvt.u64.u32 %d0, %r2;\ncvta.shared.u64 %d0, %d0;\n" + statement +
                    (is_generic ? ", [%d0];" : ", [%r2];");
        const WarpResult result = run_warp({statement, count, true}, {}, counting());
        ASSERT_EQ(result.unsupported, "");
        EXPECT_THAT(result.record.checks, IsEmpty());
        for (std::size_t i = 0; i < count * kLanes; ++i) {
          ASSERT_EQ(result.registers[i], expected_word(i / kLanes, i % kLanes, transposed))
              << statement << " at " << i;
        }
        const InstructionRecord& record = record_of(result, "ldmatrix");
        EXPECT_EQ(record.pipe, Pipe::memory);
        EXPECT_EQ(record.access.requests, 1U);
        EXPECT_EQ(record.access.bytes, 128 * count);
        EXPECT_EQ(record.access.ideal_wavefronts, count);
      }
    }
  }
}

TEST(MatrixRows, StoreIsTheInverseOfLoad) {
  for (const bool transposed : {false, true}) {
    const std::string form =
        std::string("matrix.sync.aligned.m8n8.x4") + (transposed ? ".trans" : "") + ".shared.b16 ";
    // Rows are loaded in one order and stored from the end.
    const std::string statements = kRowOfLane + "ld" + form + registers('o', 0, 4) +
                                   ", [%r2];\nbar.sync 0;\nsub.u32 %r3, 31, %r0;\n"
                                   "mov.u32 %r4, tile;\nmad.lo.u32 %r4, %r3, 16, %r4;\nst" +
                                   form + "[%r4], " + registers('o', 0, 4) + ";\n";
    const WarpResult result = run_warp({statements, 4, true}, {}, counting());
    ASSERT_EQ(result.unsupported, "");
    EXPECT_THAT(result.record.checks, IsEmpty());
    const auto before = counting();
    for (std::size_t lane = 0; lane < kRows; ++lane) {
      EXPECT_EQ(std::memcmp(result.memory.data() + 16 * (31 - lane),
                            before.data() + 16 * row_of(lane), 16),
                0)
          << "lane " << lane;
    }
    EXPECT_TRUE(record_of(result, "stmatrix").is_store);
  }
}

TEST(MatrixRows, MoveTransposes) {
  Words input(kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    input[lane] = static_cast<std::uint32_t>(2 * lane | (2 * lane + 1) << 16U);
  }
  const WarpResult result = run_warp({"movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;", 1}, input);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t first = lane % 4 * 2 * 8 + lane / 4;
    EXPECT_EQ(result.registers[lane], first | (first + 8) << 16U);
  }
}

TEST(MatrixRows, CountsBankConflicts) {
  // Rows 128 bytes apart: all eight on the same banks.
  const WarpResult result =
      run_warp({"mov.u32 %r0, %laneid;\nmov.u32 %r2, tile;\nmad.lo.u32 %r2, %r0, 128, %r2;\n"
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " +
                    registers('o', 0, 4) + ", [%r2];",
                4, true},
               {}, std::vector<std::byte>(32 * 128));
  EXPECT_EQ(record_of(result, "ldmatrix").access.wavefronts, 32U);
  EXPECT_EQ(record_of(result, "ldmatrix").access.ideal_wavefronts, 4U);
}

TEST(MatrixRows, FaultsAreNamed) {
  const auto ending = [](const std::string& statements) {
    return run_warp({statements, 4, true}, {}, counting()).record;
  };
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4";
  const std::string to = ".b16 " + registers('o', 0, 4);
  const LaunchRecord odd =
      ending(kRowOfLane + "and.b32 %r2, %r2, 0xff;\n" + load + ".shared" + to + ", [%r2+8];");
  EXPECT_EQ(odd.end, LaunchEnd::fault);
  ASSERT_THAT(odd.checks, SizeIs(1));
  EXPECT_EQ(odd.checks[0].kind, CheckKind::misaligned);
  const LaunchRecord beyond = ending(kRowOfLane + load + ".shared" + to + ", [%r2+16];");
  ASSERT_THAT(beyond.checks, SizeIs(1));
  EXPECT_EQ(beyond.checks[0].kind, CheckKind::shared_out_of_bounds);
  const LaunchRecord global = ending(load + to + ", [%memory];");
  ASSERT_THAT(global.checks, SizeIs(1));
  EXPECT_EQ(global.checks[0].kind, CheckKind::null_or_host_pointer);
  EXPECT_THAT(global.checks[0].detail, HasSubstr("must be in shared memory"));
}

TEST(MatrixRows, ReportsMissingLanes) {
  const WarpResult result = run_warp(
      {kRowOfLane + "setp.ne.u32 %p0, %r0, 4;\n@%p0 ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                    "{%o0}, [%r2];",
       1, true},
      {}, counting());
  ASSERT_THAT(result.record.checks, SizeIs(1));
  EXPECT_EQ(result.record.checks[0].kind, CheckKind::inactive_lane);
  EXPECT_EQ(result.registers[0], expected_word(0, 0, false));
  EXPECT_EQ(result.registers[16], 0U) << "row 4 has no address";
}

TEST(MatrixRows, NamesWhatIsNotKnown) {
  const auto refusal = [](const std::string& statement) {
    return run_warp({statement, 0}, Words(kLanes)).unsupported;
  };
  EXPECT_THAT(refusal("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%o0, %o1}, [%r0];"),
              HasSubstr("m8n8"));
  EXPECT_THAT(refusal("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%o0}, [%r0];"),
              HasSubstr("1 registers, not 2"));
  EXPECT_THAT(refusal("ldmatrix.sync.aligned.m8n8.x1.global.b16 {%o0}, [%d0];"),
              HasSubstr("not shared"));
}

}  // namespace
}  // namespace warpmind::simulator::test
