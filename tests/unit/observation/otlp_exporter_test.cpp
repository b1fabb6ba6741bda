#include "daemon/telemetry/otlp_exporter.h"

#include "daemon/telemetry/job_spans.h"
#include "tests/unit/observation/loopback_collector.h"
#include "tests/unit/observation/traced_jobs.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using tests::LoopbackCollector;
using Mood = LoopbackCollector::Mood;

OtlpOptions to(const std::string& endpoint) {
  OtlpOptions options;
  options.endpoint = endpoint;
  options.source = {"warpmind", "0.1.0"};
  options.pause = milliseconds(1);
  return options;
}

std::vector<Span> some_spans() { return spans_of(tests::traced_job(), "chat"); }

/// Until `count` spans have ended one way or the other.
void await_settled(const OtlpExporter& exporter, std::uint64_t count) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(60);
  while (exporter.sent() + exporter.dropped() < count && steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
}

TEST(OtlpExporter, SendsSpansToTheCollectorsPath) {
  LoopbackCollector collector(Mood::takes);
  auto exporter = OtlpExporter::open(to(collector.url())).value();

  exporter->add(some_spans());

  ASSERT_TRUE(collector.await_requests(1));
  await_settled(*exporter, 9);
  EXPECT_EQ(exporter->sent(), 9U);
  EXPECT_EQ(collector.first_line(), "POST /v1/traces HTTP/1.1");
  EXPECT_THAT(collector.bodies().front(), HasSubstr("\"resourceSpans\""));
}

TEST(OtlpExporter, WhatIsRefusedIsDroppedAtOnceAndWhatIsBrokenAfterThreeAttempts) {
  LoopbackCollector collector(Mood::refuses);
  auto exporter = OtlpExporter::open(to(collector.url())).value();
  exporter->add(some_spans());
  await_settled(*exporter, 9);
  EXPECT_EQ(exporter->dropped(), 9U);
  EXPECT_EQ(collector.bodies().size(), 1U);

  collector.set_mood(Mood::breaks);
  exporter->add(some_spans());
  await_settled(*exporter, 18);
  EXPECT_EQ(collector.bodies().size(), 4U);

  collector.set_mood(Mood::takes);
  exporter->add(some_spans());
  await_settled(*exporter, 27);
  EXPECT_EQ(exporter->sent(), 9U) << "it works again when the collector does";
}

TEST(OtlpExporter, ADeadCollectorCostsSpansAndNothingElse) {
  std::string nobody;
  {
    const LoopbackCollector gone(Mood::takes);
    nobody = gone.url();
  }
  auto exporter = OtlpExporter::open(to(nobody)).value();

  exporter->add(some_spans());

  await_settled(*exporter, 9);
  EXPECT_EQ(exporter->dropped(), 9U);
}

TEST(OtlpExporter, ASlowCollectorNeverMakesWorkWaitAndMemoryStaysBounded) {
  LoopbackCollector collector(Mood::stands_still);
  OtlpOptions options = to(collector.url());
  options.most_waiting = 90;
  options.request = std::chrono::minutes(10);
  options.farewell = milliseconds(50);
  auto exporter = OtlpExporter::open(options).value();
  exporter->add(some_spans());
  ASSERT_TRUE(collector.await_requests(1));  // and it stands still

  // A full buffer while a request hangs for ten minutes: were add() to wait, this would not end.
  for (int i = 0; i < 1000; ++i) exporter->add(some_spans());

  EXPECT_EQ(exporter->dropped(), 9U * 990) << "ten fit, the others were let go";
  exporter.reset();  // ends although the collector does not answer
}

TEST(OtlpExporter, TheEndSendsWhatWaits) {
  LoopbackCollector collector(Mood::takes);
  OtlpOptions options = to(collector.url());
  options.farewell = std::chrono::seconds(30);
  {
    auto exporter = OtlpExporter::open(options).value();
    exporter->add(some_spans());
  }
  // A request that the end cuts off is sent once more: a collector knows spans by their ids.
  const auto bodies = collector.bodies();
  ASSERT_FALSE(bodies.empty());
  EXPECT_LE(bodies.size(), 2U);
  for (const auto& body : bodies) EXPECT_EQ(body, bodies.front());
}

TEST(OtlpExporter, AnAddressThatIsNoneIsRefused) {
  for (const char* endpoint : {"127.0.0.1:4318", "file:///tmp/x", "http://a:b@host"}) {
    const auto opened = OtlpExporter::open(to(endpoint));
    ASSERT_FALSE(opened.has_value()) << endpoint;
    EXPECT_THAT(opened.error().message, HasSubstr("otlp.endpoint"));
  }
}

}  // namespace
}  // namespace warpmind::daemon
