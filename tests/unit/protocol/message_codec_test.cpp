#include "daemon/protocol/message_codec.h"

#include "daemon/protocol/knowledge_messages.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::protocol {
namespace {

template <class T>
T round_trip(const T& value) {
  const auto document = Document::parse(encode(value));
  EXPECT_TRUE(document);
  auto decoded = decode<T>(*document);
  EXPECT_TRUE(decoded);
  return decoded ? *decoded : T{};
}

TEST(MessageCodec, SubmitKeepsWhatWasLeftOut) {
  TaskSubmitParams params;
  params.directory = "/tasks/a";
  params.seconds = 12.5;
  params.watch = true;

  const auto back = round_trip(params);

  EXPECT_EQ(back.directory, "/tasks/a");
  EXPECT_FALSE(back.evaluations);
  EXPECT_EQ(back.seconds, 12.5);
  EXPECT_TRUE(back.watch);
}

TEST(MessageCodec, ResultCarriesTheWholeJob) {
  TaskResultResult result;
  result.job.id = JobId("j-0000000007");
  result.job.state = JobState::done;
  result.job.request.task.name = "softmax";
  result.job.episode.emplace();
  result.job.episode->steps.resize(2);
  result.job.receipt.emplace();
  result.job.receipt->lessons = {"one"};

  EXPECT_EQ(round_trip(result).job, result.job);
}

TEST(MessageCodec, StatisticsKeepTheirCounts) {
  KbStatsResult result;
  result.records = {{"jobs", 3}, {"episodes", 0}};
  result.degraded = true;
  result.note = "disk";

  const auto back = round_trip(result);

  EXPECT_EQ(back.records, result.records);
  EXPECT_TRUE(back.degraded);
  EXPECT_EQ(back.note, "disk");
}

TEST(MessageCodec, EnumsTravelByName) {
  EXPECT_EQ(encode(ShutdownParams{ShutdownMode::finish}), R"({"mode":"finish"})");
  EXPECT_EQ(round_trip(ShutdownParams{ShutdownMode::finish}).mode, ShutdownMode::finish);
  EXPECT_EQ(round_trip(TaskCancelResult{JobState::running}).state, JobState::running);
}

TEST(MessageCodec, UnknownEnumeratorListsTheKnown) {
  const auto decoded = decode<ShutdownParams>(*Document::parse(R"({"mode":"now"})"));

  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().message.find("'now' is none of finish, park"), std::string::npos);
}

TEST(MessageCodec, MissingMembersKeepTheirDefaults) {
  const auto progress = decode<ProgressParams>(Document());

  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->best_ratio, 1);
  EXPECT_EQ(progress->state, JobState::running);
}

TEST(MessageCodec, MembersOfALaterVersionAreIgnored) {
  const auto decoded =
      decode<TaskSubmitResult>(*Document::parse(R"({"job_id":"j-1","ahead":2,"later":[1]})"));

  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->ahead, 2);
}

TEST(MessageCodec, WrongTypeIsAnErrorNotAnException) {
  const auto decoded = decode<TaskSubmitResult>(*Document::parse(R"({"ahead":"many"})"));

  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::corrupt_data);
}

TEST(MessageCodec, TextIsOneLineOfValidUtf8) {
  HelloParams params;
  params.client = "line\nbreak \xff";

  const std::string text = encode(params);

  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(round_trip(params).client, "line\nbreak \xEF\xBF\xBD");
}

}  // namespace
}  // namespace warpmind::daemon::protocol
