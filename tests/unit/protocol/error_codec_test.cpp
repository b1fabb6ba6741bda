#include "daemon/protocol/error_codec.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

constexpr std::array kAll{Errc::invalid_argument, Errc::not_found,       Errc::conflict,
                          Errc::timeout,          Errc::cancelled,       Errc::unavailable,
                          Errc::corrupt_data,     Errc::external_failure};

TEST(ErrorCodec, EveryCodeComesBackAsItself) {
  std::set<std::int64_t> codes;
  for (const Errc code : kAll) {
    const Error error{code, "why"};

    const WireError wire = to_wire(error);

    EXPECT_EQ(from_wire(wire), error);
    EXPECT_EQ(wire.data, "{\"errc\":\"" + std::string(errc_name(code)) + "\"}");
    codes.insert(wire.code);
  }
  EXPECT_EQ(codes.size(), kAll.size());
}

TEST(ErrorCodec, NumbersNeverChange) {
  EXPECT_EQ(to_wire({Errc::invalid_argument, ""}).code, -32001);
  EXPECT_EQ(to_wire({Errc::not_found, ""}).code, -32002);
  EXPECT_EQ(to_wire({Errc::conflict, ""}).code, -32003);
  EXPECT_EQ(to_wire({Errc::timeout, ""}).code, -32004);
  EXPECT_EQ(to_wire({Errc::cancelled, ""}).code, -32005);
  EXPECT_EQ(to_wire({Errc::unavailable, ""}).code, -32006);
  EXPECT_EQ(to_wire({Errc::corrupt_data, ""}).code, -32007);
  EXPECT_EQ(to_wire({Errc::external_failure, ""}).code, -32008);
}

TEST(ErrorCodec, CodesOfTheConnectionHaveAnErrc) {
  EXPECT_EQ(from_wire({kInvalidParams, "x", ""}), (Error{Errc::invalid_argument, "x"}));
  EXPECT_EQ(from_wire({kMethodNotFound, "x", ""}).code, Errc::not_found);
  EXPECT_EQ(from_wire({kParseError, "x", ""}).code, Errc::corrupt_data);
  EXPECT_EQ(from_wire({kTooManyConnections, "x", ""}).code, Errc::unavailable);
  EXPECT_EQ(from_wire({-1, "x", ""}).code, Errc::external_failure);
}

}  // namespace
}  // namespace warpmind::daemon::protocol
