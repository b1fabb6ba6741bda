#include "daemon/protocol/envelope.h"

#include <ostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::protocol {
namespace {

std::string_view without_newline(std::string_view line) {
  EXPECT_TRUE(line.ends_with('\n'));
  line.remove_suffix(1);
  EXPECT_EQ(line.find('\n'), std::string_view::npos);
  return line;
}

TEST(Envelope, RequestSurvivesTheRoundTrip) {
  for (const RequestId& id : {RequestId(std::int64_t{-7}), RequestId(std::string("a\"b\n"))}) {
    const auto message =
        parse_message(without_newline(make_request(id, "task.submit", R"({"watch":true})")));

    EXPECT_EQ(message.kind, MessageKind::request);
    EXPECT_EQ(message.id, id);
    EXPECT_EQ(message.method, "task.submit");
    EXPECT_EQ(message.params.json(), nlohmann::json({{"watch", true}}));
  }
}

TEST(Envelope, NotificationHasNoId) {
  const auto message = parse_message(without_newline(make_notification("task.progress", "{}")));

  EXPECT_EQ(message.kind, MessageKind::notification);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(message.id));
}

TEST(Envelope, ResultSurvivesTheRoundTrip) {
  const auto message = parse_message(without_newline(make_result(std::int64_t{3}, R"([1,"x"])")));

  EXPECT_EQ(message.kind, MessageKind::response);
  EXPECT_EQ(message.result.text(), R"([1,"x"])");
  EXPECT_FALSE(message.error);
}

TEST(Envelope, ErrorSurvivesTheRoundTrip) {
  const WireError error{-32002, "there is no \"job\"\n2", R"({"errc":"not_found"})"};

  const auto message = parse_message(without_newline(make_error(std::int64_t{3}, error)));

  EXPECT_EQ(message.kind, MessageKind::response);
  EXPECT_EQ(message.error, error);
}

TEST(Envelope, BytesThatAreNotUtf8DoNotReachTheWire) {
  const auto line = make_error({}, {-32000, "bad \xff byte", ""});

  EXPECT_EQ(parse_message(without_newline(line)).error->message, "bad \xEF\xBF\xBD byte");
}

struct BadCase {
  const char* name;
  std::string line;
  std::int64_t code;
  RequestId id;
};
std::ostream& operator<<(std::ostream& out, const BadCase& one) { return out << one.name; }
class BadMessage : public testing::TestWithParam<BadCase> {};

TEST_P(BadMessage, IsInvalidWithTheRightCode) {
  const auto message = parse_message(GetParam().line);

  EXPECT_EQ(message.kind, MessageKind::invalid);
  ASSERT_TRUE(message.error);
  EXPECT_EQ(message.error->code, GetParam().code);
  EXPECT_FALSE(message.error->message.empty());
  EXPECT_EQ(message.id, GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(
    , BadMessage,
    testing::Values(
        BadCase{"empty", "", kParseError, {}}, BadCase{"text", "hello", kParseError, {}},
        BadCase{"truncated", R"({"jsonrpc":"2.0","id":1,)", kParseError, {}},
        BadCase{"not_utf8", "{\"\xff\":1}", kParseError, {}},
        BadCase{"deep", std::string(100'000, '['), kParseError, {}},
        BadCase{"number", "1", kInvalidRequest, {}}, BadCase{"batch", "[]", kInvalidRequest, {}},
        BadCase{"no_version", R"({"id":1,"method":"a"})", kInvalidRequest, std::int64_t{1}},
        BadCase{"old_version", R"({"jsonrpc":"1.0","id":1,"method":"a"})", kInvalidRequest,
                std::int64_t{1}},
        BadCase{"bad_id", R"({"jsonrpc":"2.0","id":{},"method":"a"})", kInvalidRequest, {}},
        BadCase{"huge_id",
                R"({"jsonrpc":"2.0","id":9223372036854775808,"method":"a"})",
                kInvalidRequest,
                {}},
        BadCase{"bad_method", R"({"jsonrpc":"2.0","id":"x","method":1})", kInvalidRequest,
                std::string("x")},
        BadCase{"bad_params", R"({"jsonrpc":"2.0","id":"x","method":"a","params":"b"})",
                kInvalidRequest, std::string("x")},
        BadCase{"nothing", R"({"jsonrpc":"2.0","id":2})", kInvalidRequest, std::int64_t{2}}),
    [](const auto& param) { return param.param.name; });

TEST(Envelope, CancelNamesARequest) {
  EXPECT_EQ(id_of(*Document::parse(R"({"id":4})")), RequestId(std::int64_t{4}));
  EXPECT_EQ(id_of(*Document::parse(R"({"id":"x"})")), RequestId(std::string("x")));
  for (const char* bad : {R"({"id":null})", R"({"id":1.5})", "{}", "[]"}) {
    EXPECT_FALSE(id_of(*Document::parse(bad))) << bad;
  }
  EXPECT_FALSE(id_of(Document()));
}

}  // namespace
}  // namespace warpmind::daemon::protocol
