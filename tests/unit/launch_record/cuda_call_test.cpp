#include "profilers/launch_record/cuda_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CudaCall sample_launch() {
  CudaCall call;
  call.kind = CallKind::launch;
  call.name = "_Z1kPfi";
  call.grid = {3, 2, 1};
  call.block = {128, 1, 1};
  call.shared_bytes = 4096;
  call.stream = 0x7f0000000010;
  call.async = true;
  call.cooperative = true;
  call.arguments = {std::string("\x00\xff\x7f\x00\x00\x00\x00\x00", 8),
                    std::string("\x2a\0\0\0", 4), ""};
  return call;
}

TEST(CudaCallCodec, RoundTrips) {
  CudaCall fill;
  fill.kind = CallKind::fill;
  fill.address = UINT64_MAX;
  fill.bytes = 1;
  fill.value = -1;
  for (const CudaCall& call : {sample_launch(), fill, CudaCall{}}) {
    const auto back = decode_cuda_call(encode(call));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(*back, call);
  }
}

TEST(CudaCallCodec, LeavesOutWhatSaysNothing) {
  CudaCall wait;
  wait.kind = CallKind::wait;
  wait.name = "device";
  EXPECT_EQ(encode(wait), R"({"call":"wait","name":"device"})");
  EXPECT_THAT(encode(sample_launch()), Not(HasSubstr("\n")));
}

TEST(CudaCallCodec, DamageGivesOneSentence) {
  for (const char* const line :
       {"", "{", "[]", "7", R"({"name":"k"})", R"({"call":"dance"})", R"({"call":7})",
        R"({"call":"launch","grid":[1,2]})", R"({"call":"launch","arguments":["0"]})",
        R"({"call":"launch","arguments":["zz"]})", R"({"call":"launch","arguments":"00"})",
        R"({"call":"copy","bytes":"many"})", R"({"call":"launch","name":[[[[[[1]]]]]]})"}) {
    const auto call = decode_cuda_call(line);
    ASSERT_FALSE(call.has_value()) << line;
    EXPECT_EQ(call.error().code, Errc::corrupt_data) << line;
    EXPECT_THAT(call.error().message, Not(HasSubstr("\n"))) << line;
  }
}

TEST(CudaCallCodec, EveryPrefixOfALineIsRefused) {
  const std::string line = encode(sample_launch());
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_FALSE(decode_cuda_call(line.substr(0, length)).has_value()) << length;
  }
}

}  // namespace
}  // namespace warpmind::profilers
