#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::simulator {
namespace {

using Words = std::vector<std::uint32_t>;

/// Runs `body` in one warp. %rd1 = a buffer of 64 words, preset with `words`; %r1 = the lane;
/// %rd2 = the address of the lane's own word. `s` is 1 KiB of shared memory.
class MemoryOpcodes : public testing::Test {
 protected:
  Words run(const std::string& body, Words words = Words(64)) {
    const std::string text =
        ".version 8.5\n.target sm_90a\n.address_size 64\n"
        ".visible .entry kernel(.param .u64 buffer)\n{\n"
        ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n"
        ".reg .f32 %f<9>;\n.reg .b64 %rd<20>;\n.reg .f64 %d<9>;\n"
        ".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 own[64];\n"
        "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\n"
        "mad.wide.u32 %rd2, %r1, 4, %rd1;\n" +
        body + "\nret;\n}\n";
    auto syntax = ptx::parse_ptx(text);
    EXPECT_TRUE(syntax.has_value()) << syntax.error().message;
    const auto module =
        compile_module(std::move(syntax).value(), [](const ptx::Variable&) { return 0; });
    EXPECT_TRUE(module.has_value());
    const Program* const program = (*module)->find("kernel");
    EXPECT_EQ(program->unsupported, "");
    DeviceMemory memory(1 << 20);
    const std::uint64_t buffer = memory.allocate(words.size() * 4);
    std::memcpy(memory.host(buffer), words.data(), words.size() * 4);
    memory.mark_written(buffer, words.size() * 4);
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &buffer, 8);
    const auto record =
        run_launch({{{{1, 1, 1}, {32, 1, 1}}}, **module, *program, parameters}, {}, memory);
    EXPECT_TRUE(record.has_value()) << record.error().message;
    EXPECT_EQ(record->end_reason, "");
    for (const CheckEntry& entry : record->checks) {
      findings_ += std::string(name_of(entry.kind)) + ": " + entry.detail + "\n";
    }
    std::memcpy(words.data(), memory.host(buffer), words.size() * 4);
    return words;
  }

  std::string findings_;
};

TEST_F(MemoryOpcodes, NarrowLoadsAreExtended) {
  const Words out =
      run("ld.global.s8 %r2, [%rd1+1];\nst.global.u32 [%rd2], %r2;\n"
          "ld.global.u8 %h1, [%rd1+63];\nld.global.s16 %rd3, [%rd1+252];\n"
          "st.global.u64 [%rd1+248], %rd3;\nst.global.u8 [%rd1+244], %h1;",
          [] {
            Words words(64);
            words[0] = 0x8000;
            words[63] = 0xfffe;
            return words;
          }());
  EXPECT_EQ(out[5], 0xffffff80U);
  EXPECT_EQ(out[62], 0xfffffffeU);
  EXPECT_EQ(out[63], 0xffffffffU);
}

TEST_F(MemoryOpcodes, VectorsGoThroughSharedMemory) {
  const Words out =
      run("shl.b32 %r2, %r1, 4;\nadd.u32 %r3, %r1, 1;\nmov.u32 %r9, s;\nadd.u32 %r9, %r9, %r2;\n"
          "st.shared.v4.u32 [%r9], {%r1, %r3, %r1, 7};\nld.shared.v2.b64 {%rd3, %rd4}, [%r9];\n"
          "ld.shared.v2.u32 {_, %r5}, [%r9+8];\nshr.u64 %rd5, %rd3, 32;\ncvt.u32.u64 %r4, %rd5;\n"
          "add.u32 %r4, %r4, %r5;\nst.global.u32 [%rd2], %r4;");
  EXPECT_EQ(out[0], 8U);
  EXPECT_EQ(out[31], 39U);
  EXPECT_EQ(findings_, "");
}

TEST_F(MemoryOpcodes, GenericAddressesOfMixedSpaces) {
  const Words out =
      run("mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\nmul.wide.u32 %rd5, %r1, 4;\n"
          "add.u64 %rd4, %rd4, %rd5;\nst.u32 [%rd4], %r1;\nmov.u64 %rd6, own;\n"
          "cvta.local.u64 %rd7, %rd6;\nst.local.u32 [own], 100;\nst.local.u32 [own+4], %r1;\n"
          "setp.lt.u32 %p1, %r1, 8;\nselp.b64 %rd8, %rd4, %rd7, %p1;\nsetp.gt.u32 %p2, %r1, 30;\n"
          "selp.b64 %rd8, %rd1, %rd8, %p2;\nld.u32 %r2, [%rd8];\nst.global.u32 [%rd2+128], %r2;",
          Words(64, 77));
  EXPECT_EQ(out[32 + 5], 5U);
  EXPECT_EQ(out[32 + 20], 100U);
  EXPECT_EQ(out[32 + 31], 77U);
  EXPECT_EQ(findings_, "");
}

TEST_F(MemoryOpcodes, AtomicsGoInLaneOrder) {
  const Words out =
      run("atom.global.add.u32 %r2, [%rd1+128], 2;\nst.global.u32 [%rd2], %r2;\n"
          "red.global.max.s32 [%rd1+132], %r1;\n"
          "atom.global.inc.u32 %r3, [%rd1+136], 4;\n"
          "atom.global.cas.b32 %r4, [%rd1+140], %r1, 40;\n"
          "cvt.rn.f32.u32 %f1, %r1;\nred.relaxed.gpu.global.add.f32 [%rd1+144], %f1;\n"
          "mov.b32 %r5, 0x3c003c00;\n"
          "red.global.add.noftz.f16x2 [%rd1+148], %r5;\n"
          "atom.global.exch.b32 %r6, [%rd1+152], %r1;\n"
          "red.global.add.v2.f32 [%rd1+160], {%f1, %f1};\n"
          "atom.global.dec.u32 %r7, [%rd1+168], 9;");
  EXPECT_EQ(out[7], 14U);
  EXPECT_EQ(out[32], 64U);
  EXPECT_EQ(out[33], 31U);
  EXPECT_EQ(out[34], 32U % 5);
  EXPECT_EQ(out[35], 40U);
  EXPECT_EQ(std::bit_cast<float>(out[36]), 496.0F);
  EXPECT_EQ(out[37], 0x50005000U);  // 32 and 32
  EXPECT_EQ(out[38], 31U);
  EXPECT_EQ(std::bit_cast<float>(out[41]), 496.0F);
  EXPECT_EQ(out[42], 8U);  // 0, then 9 down to 0 three times, 9, 8
  EXPECT_EQ(findings_, "");
}

TEST_F(MemoryOpcodes, SharedAtomicsOfHalves) {
  const Words out =
      run("mov.b16 %h1, 0x4000;\nst.shared.u32 [s], 0;\nbar.warp.sync 0xffffffff;\n"
          "atom.shared.add.noftz.f16 %h2, [s+2], %h1;\nbar.warp.sync 0xffffffff;\n"
          "ld.shared.u32 %r2, [s];\nst.global.u32 [%rd2], %r2;");
  EXPECT_EQ(out[3], 0x54000000U);  // 64
  EXPECT_THAT(findings_, testing::HasSubstr("same-value"));
  EXPECT_THAT(findings_, testing::Not(testing::HasSubstr("race")));
}

TEST_F(MemoryOpcodes, AsynchronousCopiesFillWithZeros) {
  Words words(64);
  for (std::uint32_t i = 0; i < 64; ++i) words[i] = i;
  const Words out =
      run("mov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, %r2;\n"
          "setp.gt.u32 %p1, %r1, 9;\nselp.b32 %r3, 0, 4, %p1;\n"
          "cp.async.ca.shared.global.L2::128B [%r2], [%rd2+128], 4, %r3;\n"
          "cp.async.commit_group;\ncp.async.wait_group 0;\n"
          "ld.shared.u32 %r4, [%r2];\nst.global.u32 [%rd2], %r4;",
          words);
  EXPECT_EQ(out[9], 41U);
  EXPECT_EQ(out[10], 0U);
  EXPECT_EQ(findings_, "");
}

TEST_F(MemoryOpcodes, AnMbarrierCountsThreadsAndBytes) {
  Words words(64);
  for (std::uint32_t i = 0; i < 64; ++i) words[i] = 100 + i;
  const Words out =
      run("setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [s+512], 1;\n"
          "bar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+512], 128;\n"
          "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[s], [%rd1+128], 128, [s+512];\n"
          "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [s+512], 0;\n@!%p2 bra again;\n"
          "mov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, %r2;\nld.shared.u32 %r3, [%r2];\n"
          "mbarrier.test_wait.parity.shared::cta.b64 %p3, [s+512], 1;\n"
          "selp.b32 %r4, 1000, 0, %p3;\nadd.u32 %r3, %r3, %r4;\nst.global.u32 [%rd2], %r3;",
          words);
  EXPECT_EQ(out[0], 132U);
  EXPECT_EQ(out[31], 163U);
  EXPECT_EQ(findings_, "");
}

TEST_F(MemoryOpcodes, BulkCopiesToGlobalMemory) {
  const Words out =
      run("mov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, %r2;\nst.shared.u32 [%r2], %r1;\n"
          "bar.sync 0;\nsetp.eq.u32 %p1, %r1, 3;\n"
          "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [s], 128;\n"
          "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;");
  EXPECT_EQ(out[16 + 31], 31U);
  EXPECT_EQ(out[16 + 1], 1U);
  EXPECT_EQ(findings_, "");
}

/// Makes a map of 2 x 10 halves at %rd1, 16 apart, for boxes of 2 x 32, and publishes it at %rd3.
std::string make_map(const std::string& fields) {
  return "add.u64 %rd3, %rd1, 128;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, 4, %r2;\n"
         "st.shared.u32 [%r3], 0;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra made;\n"
         "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %rd1;\n"
         "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], 1;\n"
         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 0, 32;\n"
         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, 2;\n"
         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, 10;\n"
         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 1, 2;\n"
         "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2], 0, 32;\n"
         "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2], 0, 1;\n"
         "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2], 1, 1;\n"
         "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 6;\n" +
         fields +
         "made:\nbar.warp.sync 0xffffffff;\n"
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
         "[%rd3], [%r2], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%rd3], 128;\n";
}

/// Copies the box at (column, row) to `place` in s and each lane's word of it to its own.
std::string copy_box(int column, int row, int place) {
  return "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [s+256], 1;\n"
         "bar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+256], 128;\n"
         "mov.u32 %r5, " +
         std::to_string(column) + ";\nmov.u32 %r6, " + std::to_string(row) +
         ";\n@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
         ".mbarrier::complete_tx::bytes [s+" +
         std::to_string(place) +
         "], [%rd3, {%r5, %r6}], [s+256];\n"
         "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [s+256], 0;\n@!%p2 bra again;\n"
         "ld.shared.u32 %r4, [%r3+" +
         std::to_string(place) + "];\nbar.sync 0;\nst.global.u32 [%rd2], %r4;";
}

/// Halves 1 ... 10 in the first line, 11 ... 20 in the second; the rest must not be read.
Words two_lines() {
  Words words(64);
  for (std::uint32_t i = 0; i < 5; ++i) {
    words[i] = (2 * i + 1) | (2 * i + 2) << 16U;
    words[8 + i] = (2 * i + 11) | (2 * i + 12) << 16U;
  }
  words[5] = words[13] = ~0U;
  return words;
}

TEST_F(MemoryOpcodes, ABoxOfATensorArrivesWithZerosOutside) {
  const Words out = run(make_map("") + copy_box(2, 1, 512), two_lines());
  EXPECT_EQ(out[0], 13U | 14U << 16U);
  EXPECT_EQ(out[3], 19U | 20U << 16U);
  EXPECT_EQ(out[4], 0U);
  EXPECT_EQ(out[16], 0U);  // the line below
  EXPECT_EQ(findings_, "");
}

TEST_F(MemoryOpcodes, UnitsOfABoxAreExchangedAsTheMapSays) {
  // Over 64 bytes: bits 7 and 8 of the address change bits 4 and 5, and 640 has bit 7.
  const std::string swizzle =
      "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r2], 2;\n";
  const Words out = run(make_map(swizzle) + copy_box(0, 0, 640), two_lines());
  EXPECT_EQ(out[0], 9U | 10U << 16U);
  EXPECT_EQ(out[4], 1U | 2U << 16U);
  EXPECT_EQ(out[16], 19U | 20U << 16U);
  EXPECT_EQ(out[20], 11U | 12U << 16U);
  EXPECT_EQ(findings_, "");
}

}  // namespace
}  // namespace warpmind::simulator
