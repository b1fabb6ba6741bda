#include "profilers/simulator/profile/launch_record_codec.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using ::testing::HasSubstr;

LaunchReport sample() {
  LaunchReport report;
  LaunchRecord& launch = report.launch;
  launch.kernel = "_Z3addPf";
  launch.grid = {4, 2, 1};
  launch.block = {128, 1, 1};
  launch.blocks = 8;
  launch.blocks_run = 8;
  launch.busiest_block = 2.5;
  launch.warp_instructions = 1234567890123;
  launch.seconds = 0.25;
  launch.end = LaunchEnd::fault;
  launch.end_reason = "out of bounds \"here\"";
  InstructionRecord load;
  load.opcode = "ld.global.f32";
  load.pipe = Pipe::memory;
  load.space = Space::global;
  load.is_memory = true;
  load.access.sectors = 99;
  launch.instructions = {load};
  CheckEntry entry;
  entry.kind = CheckKind::shared_race_in_warp;
  entry.thread = {3, 0, 0};
  entry.address = 0xffff'ffff'ffff'ffff;
  entry.count = 5;
  launch.checks = {entry};
  report.wave = launch;
  report.wave->wave = true;
  report.predicted_ns = 1500.5;
  return report;
}

TEST(LaunchRecordCodec, ReadsWhatItWrites) {
  const std::string line = encode(sample());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = decode_launch_report(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(encode(*read), line);
  EXPECT_EQ(read->launch.warp_instructions, 1234567890123U);
  EXPECT_EQ(read->launch.busiest_block, 2.5);
  EXPECT_EQ(read->launch.end, LaunchEnd::fault);
  EXPECT_EQ(read->launch.instructions.at(0).access.sectors, 99U);
  EXPECT_EQ(read->launch.checks.at(0).kind, CheckKind::shared_race_in_warp);
  EXPECT_EQ(read->launch.checks.at(0).address, 0xffff'ffff'ffff'ffffU);
  ASSERT_TRUE(read->wave);
  EXPECT_TRUE(read->wave->wave);
}

TEST(LaunchRecordCodec, MissingMembersKeepTheirDefaults) {
  const auto read = decode_launch_report(R"({"launch": {"kernel": "k"}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->launch.kernel, "k");
  EXPECT_FALSE(read->wave);
  EXPECT_FALSE(read->finished);
}

TEST(LaunchRecordCodec, RefusesWhatDoesNotFit) {
  for (const char* line :
       {"", "[]", "{", "null", R"({"launch": 3})", R"({"launch": {"grid": [1, 2]}})",
        R"({"launch": {"end": "maybe"}})", R"({"launch": {"instructions": {"a": 1}}})",
        R"({"launch": {"checks": [{"kind": 5}]}})"}) {
    const auto read = decode_launch_report(line);
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().code, Errc::corrupt_data) << line;
    EXPECT_THAT(read.error().message, HasSubstr("launch report")) << line;
  }
}

TEST(LaunchRecordCodec, TruncatedAnywhereIsAnError) {
  const std::string line = encode(sample());
  for (std::size_t bytes = 0; bytes < line.size(); ++bytes) {
    EXPECT_FALSE(decode_launch_report(line.substr(0, bytes))) << bytes;
  }
}

TEST(LaunchRecordCodec, DeepNestingIsRefused) {
  const std::string deep = "{\"launch\": " + std::string(1000, '[') + std::string(1000, ']') + "}";
  EXPECT_FALSE(decode_launch_report(deep));
}

}  // namespace
}  // namespace warpmind::simulator
