#include "profilers/flops/operation.h"

#include "profilers/flops/static_count.h"

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

TEST(OperationTest, PtxClassesAndFlops) {
  struct Case {
    const char* opcode;
    Operation operation;
    double operations;
    FlopType type;
    double flops;
  };
  using enum Operation;
  const Case cases[] = {
      {"add.f32", f32_add, 1, FlopType::f32, 1},
      {"sub.rn.f64", f64_add, 1, FlopType::f64, 1},
      {"mul.f16x2", f16_mul, 2, FlopType::f16, 2},
      {"fma.rn.bf16x2", f16_fma, 2, FlopType::f16, 4},
      {"fma.rn.f32", f32_fma, 1, FlopType::f32, 2},
      {"mad.lo.s32", integer, 1, FlopType::none, 0},
      {"mul.wide.u32", integer, 1, FlopType::none, 0},
      {"div.rn.f32", f32_div, 1, FlopType::f32, 1},
      {"div.u32", integer, 1, FlopType::none, 0},
      {"ex2.approx.ftz.f32", special, 1, FlopType::f32, 1},
      {"setp.gt.f32", real_other, 1, FlopType::none, 0},
      {"max.s32", integer, 1, FlopType::none, 0},
      {"cvt.rn.f32.s32", convert, 1, FlopType::none, 0},
      {"ld.global.nc.v4.f32", load_global, 1, FlopType::none, 0},
      {"ld.param.u64", load_other, 1, FlopType::none, 0},
      {"st.shared.f32", store_shared, 1, FlopType::none, 0},
      {"atom.global.add.f32", atomic, 1, FlopType::f32, 1},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", tensor, 64, FlopType::tensor, 128},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", tensor, 128, FlopType::tensor, 256},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16", unknown, 1, FlopType::none, 0},
      {"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", tensor, 1024, FlopType::tensor, 2048},
      {"", unknown, 1, FlopType::none, 0},
  };
  for (const auto& one : cases) {
    const auto share = share_of_ptx(one.opcode);
    EXPECT_EQ(share.operation, one.operation) << one.opcode;
    EXPECT_EQ(share.operations, one.operations) << one.opcode;
    EXPECT_EQ(share.type, one.type) << one.opcode;
    EXPECT_EQ(share.flops, one.flops) << one.opcode;
  }
}

/// Words that ptxas 13.0 wrote for one mma.sync each, and for FP32 and half instructions.
TEST(OperationTest, MachineCodeClassesAndShapes) {
  struct Case {
    std::uint64_t low;
    std::uint64_t high;
    double macs;  // of the warp
  };
  const Case cases[] = {
      {0x000000060808723c, 0x004fde000000180c, 2048},  // HMMA.16816.F32
      {0x000000000608723c, 0x004fde0000001008, 1024},  // HMMA.1688.F32
      {0x000000060806723c, 0x004fde000000080c, 2048},  // HMMA.16816.F16
      {0x000000060808723c, 0x004fde000004180c, 2048},  // HMMA.16816.F32.BF16
      {0x000000060808723c, 0x004fde000008100c, 1024},  // HMMA.1688.F32.TF32
      {0x000000000608723c, 0x004fde0000085008, 512},   // HMMA.1684.F32.TF32
      {0x0000000006087237, 0x004fde0000405408, 2048},  // IMMA.16816.S8.S8
      {0x0000000608087237, 0x004fde0000405c0c, 4096},  // IMMA.16832.S8.S8
      {0x000000060404723f, 0x004e24000000000c, 256},   // DMMA.884
  };
  for (const auto& one : cases) {
    const auto share = share_of_sass(one.low, one.high, 90);
    EXPECT_EQ(share.operation, Operation::tensor) << std::hex << one.low;
    EXPECT_EQ(share.operations * 32, one.macs) << std::hex << one.low << " " << one.high;
    EXPECT_EQ(share.flops * 32, 2 * one.macs);
  }
  EXPECT_EQ(share_of_sass(0x0000000005057223, 0, 90).flops, 2);
  // HFMA2.MMA R5, -RZ, RZ, 1.875, 0: a constant, not a multiplication.
  EXPECT_EQ(share_of_sass(0x3f800000ff057435, 0, 90).operation, Operation::move);
  // HADD2.F32 R7, -RZ, R3.H0_H0: a conversion, not an addition.
  EXPECT_EQ(share_of_sass(0x20000003ff077230, 0, 90).operation, Operation::convert);
  EXPECT_EQ(share_of_sass(0x0000000304077230, 0, 90).flops, 2);
  EXPECT_EQ(share_of_sass(0x0000000504057235, 0, 90).flops, 4);
  EXPECT_EQ(share_of_sass(0x0000000504057231, 0, 100).flops, 4);
}

}  // namespace
}  // namespace warpmind::profilers
