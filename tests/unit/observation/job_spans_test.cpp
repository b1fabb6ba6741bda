#include "daemon/telemetry/job_spans.h"

#include "base/codec/json_guard.h"
#include "daemon/telemetry/otlp_json.h"
#include "tests/unit/observation/traced_jobs.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon {
namespace {

using tests::traced_job;

const Span& named(const std::vector<Span>& spans, std::string_view name) {
  const auto found = std::find_if(spans.begin(), spans.end(),
                                  [name](const Span& span) { return span.name == name; });
  EXPECT_NE(found, spans.end()) << name;
  return found == spans.end() ? spans.front() : *found;
}

template <class T>
T value(const Span& span, std::string_view key) {
  for (const auto& [name, value] : span.attributes) {
    if (name == key) return std::get<T>(value);
  }
  ADD_FAILURE() << span.name << " has no " << key;
  return {};
}

TEST(JobSpans, AreOneTreeOfOneTraceInWhichParentsHoldTheirChildren) {
  const auto spans = spans_of(traced_job(), "chat");

  ASSERT_EQ(spans.size(), 9U);  // job, episode, 2 steps, 4 stages, 1 chat
  std::set<std::string> seen;
  for (const auto& span : spans) {
    EXPECT_EQ(span.trace_id.size(), 32U);
    EXPECT_EQ(span.trace_id, spans.front().trace_id);
    EXPECT_EQ(span.span_id.size(), 16U);
    EXPECT_LE(span.start_ns, span.end_ns);
    EXPECT_TRUE(span.parent_id.empty() ? span.name == "job" : seen.contains(span.parent_id));
    EXPECT_TRUE(seen.insert(span.span_id).second) << "ids differ";
  }
  EXPECT_EQ(named(spans, "job").start_ns, 11'000'000'000);
  EXPECT_EQ(named(spans, "episode").end_ns, 19'000'000'000);
  EXPECT_EQ(named(spans, "build").end_ns - named(spans, "build").start_ns, 500'000'000);
}

TEST(JobSpans, TheSameJobIsTheSameTrace) {
  const auto once = spans_of(traced_job(), "chat");
  const auto again = spans_of(traced_job(), "chat");
  Job other = traced_job();
  other.epoch = 2;

  EXPECT_EQ(once.back().span_id, again.back().span_id);
  EXPECT_NE(once.front().trace_id, spans_of(other, "chat").front().trace_id);
}

TEST(JobSpans, LanguageModelsAreNamedByTheConventions) {
  const auto spans = spans_of(traced_job(), "messages");
  const Span& chat = named(spans, "chat m-1");

  EXPECT_EQ(chat.kind, SpanKind::client);
  EXPECT_EQ(value<std::string>(chat, "gen_ai.operation.name"), "chat");
  EXPECT_EQ(value<std::string>(chat, "gen_ai.provider.name"), "messages");
  EXPECT_EQ(value<std::string>(chat, "gen_ai.response.model"), "m-1");
  EXPECT_EQ(value<std::int64_t>(chat, "gen_ai.usage.input_tokens"), 140);
  EXPECT_EQ(value<std::int64_t>(chat, "gen_ai.usage.output_tokens"), 30);
  EXPECT_EQ(value<std::string>(chat, "gen_ai.conversation.id"), "j-0000000007");
}

TEST(JobSpans, NoTextOfKernelsPromptsAndCompilersLeaves) {
  const auto request = trace_request(spans_of(traced_job(), "chat"), {"warpmind", "1"});

  EXPECT_EQ(request.find(tests::kCanary), std::string::npos);
}

TEST(OtlpJson, HasTheShapeThatCollectorsRead) {
  const auto parsed =
      codec::parse_json(trace_request(spans_of(traced_job(), "chat"), {"nightly", "1.2"}));
  ASSERT_TRUE(parsed.has_value());
  const auto& resource = (*parsed)["resourceSpans"][0];
  const auto& spans = resource["scopeSpans"][0]["spans"];

  EXPECT_EQ(resource["resource"]["attributes"][0]["value"]["stringValue"], "nightly");
  ASSERT_EQ(spans.size(), 9U);
  EXPECT_EQ(spans[0]["startTimeUnixNano"], "11000000000") << "64-bit integers are strings";
  EXPECT_FALSE(spans[0].contains("parentSpanId"));
  EXPECT_EQ(spans[1]["parentSpanId"], spans[0]["spanId"]);
}

}  // namespace
}  // namespace warpmind::daemon
