#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind {
namespace {

using testing::HasSubstr;

TEST(JsonGuard, LimitsAreExactWhateverTheStringsHold) {
  // Brackets and commas inside of strings, escapes before quotes, and empty containers count for
  // nothing or for one: a look at the bytes must not refuse what the walk allows.
  const std::string text = R"({"a[[[[,":"]]{{\\\",,,","b":[[],{}]})";

  EXPECT_TRUE(codec::parse_json(text, {3, 5}).has_value());
  EXPECT_FALSE(codec::parse_json(text, {2, 5}).has_value());
  EXPECT_FALSE(codec::parse_json(text, {3, 4}).has_value());
}

TEST(JsonGuard, UnbalancedTextCannotHideItsDepth) {
  for (const std::string& text : {std::string(100, ']') + std::string(100, '['),
                                  "\"" + std::string(100, '['), std::string("[\"\\")}) {
    EXPECT_FALSE(codec::parse_json(text, {64, 1000}).has_value()) << text;
  }
}

TEST(JsonGuard, RefusesDeepNestingBeforeItCanHurt) {
  const auto parsed = codec::parse_json(std::string(100'000, '[') + std::string(100'000, ']'));

  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().message, HasSubstr("deeper than 64"));
}

TEST(JsonGuard, RefusesTooManyValues) {
  std::string text = "[0";
  for (int i = 0; i < 50; ++i) text += ",0";
  text += "]";

  EXPECT_FALSE(codec::parse_json(text, {64, 20}).has_value());
  EXPECT_TRUE(codec::parse_json(text, {64, 100}).has_value());
}

TEST(JsonGuard, NamesTheByteOfASyntaxError) {
  const auto parsed = codec::parse_json(R"({"a": tru})");

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, Errc::corrupt_data);
  EXPECT_THAT(parsed.error().message, HasSubstr("byte"));
}

TEST(JsonGuard, DumpsBytesThatAreNotUtf8) {
  const nlohmann::json value = std::string("a\xff");

  EXPECT_THAT(codec::dump_json(value), HasSubstr("a"));
}

LaunchPlan plan_of(const char* text) {
  auto plan = codec::from_json<LaunchPlan>(codec::parse_json(text).value(), "launch plan");
  EXPECT_TRUE(plan) << plan.error().message;
  return plan.value_or(LaunchPlan{});
}

std::string complaint_about(const char* text) {
  const auto plan = codec::from_json<LaunchPlan>(codec::parse_json(text).value(), "launch plan");
  EXPECT_FALSE(plan) << text;
  return plan ? "" : plan.error().message;
}

/// As in a task.toml: one to three extents, and numbers stand for themselves.
TEST(ModelJson, APlanIsWrittenAsInATask) {
  const auto plan = plan_of(R"({"scratch":[{"name":"s","dtype":"f32","elements":64}],
    "launches":[{"kernel":"k","grid":["rows"],"block":[256,2],"shared_bytes":1024}]})");
  ASSERT_EQ(plan.launches.size(), 1U);
  EXPECT_EQ(plan.launches[0].grid, (std::array<std::string, 3>{"rows", "1", "1"}));
  EXPECT_EQ(plan.launches[0].block, (std::array<std::string, 3>{"256", "2", "1"}));
  EXPECT_EQ(plan.launches[0].shared_bytes, "1024");
  EXPECT_EQ(plan.scratch.at(0).elements, "64");
}

TEST(ModelJson, WhatDoesNotFitIsNamedInPlainWords) {
  EXPECT_EQ(complaint_about(R"({"launches":[{"grid":[]}]})"),
            "not a valid launch plan: 'launches.grid' must be a list of one to three extents, such "
            "as [\"rows\"]");
  EXPECT_THAT(complaint_about(R"({"launches":[{"grid":["1","1","1","1"]}]})"),
              HasSubstr("one to three"));
  EXPECT_EQ(complaint_about(R"({"launches":[{"kernel":7}]})"),
            "not a valid launch plan: 'launches.kernel' must be a string, not number");
  EXPECT_EQ(complaint_about(R"({"launches":[{"block":[null]}]})"),
            "not a valid launch plan: 'launches.block' must be a string, not null");
  EXPECT_EQ(complaint_about(R"({"launches":7})"),
            "not a valid launch plan: 'launches' must be an array, not number");
  EXPECT_EQ(complaint_about(R"({"launches":["k"]})"),
            "not a valid launch plan: 'launches' must be an object, not string");
  EXPECT_THAT(complaint_about(R"({"scratch":[{"dtype":"f31"}]})"),
              HasSubstr("'scratch.dtype': 'f31' is none of "));
  EXPECT_THAT(complaint_about(R"({"constants":{"n":"x"}})"), HasSubstr("'constants' must be"));
}

TEST(ModelJson, OnlyACooperativeLaunchSaysSo) {
  Kernel kernel;
  kernel.plan.launches.emplace_back().kernel = "k";
  const KernelId before = id_of(kernel);
  EXPECT_FALSE(nlohmann::json(kernel.plan.launches[0]).contains("cooperative"))
      << "identities of stored kernels would change";
  kernel.plan.launches[0].cooperative = true;
  EXPECT_NE(id_of(kernel), before);
  EXPECT_TRUE(nlohmann::json(kernel).get<Kernel>().plan.launches[0].cooperative);
  EXPECT_EQ(complaint_about(R"({"launches":[{"cooperative":"yes"}]})"),
            "not a valid launch plan: 'launches.cooperative' must be a boolean, not string");
}

/// Whatever the library throws, its own text is for programmers.
TEST(ModelJson, NoTextOfTheLibraryIsPassedOn) {
  for (const char* text :
       {R"({"launches":[{"grid":[["1"]]}]})", R"({"constants":[1,2]})", R"({"launches":{"a":1}})",
        R"({"scratch":[{"zeroed":"yes"}]})", R"({"scratch":[[]]})", "[]", "7"}) {
    EXPECT_THAT(complaint_about(text), testing::Not(HasSubstr("json.exception"))) << text;
  }
}

Job full_job() {
  Job job;
  job.id = JobId("j-0000000001");
  job.state = JobState::done;
  job.request.device = "a100_80";
  job.request.provider_automatic = true;
  job.request.task.name = "row_softmax";
  job.request.task.arguments = {{"x", ArgumentKind::in, Dtype::f16, {"rows", "4"}, "", {}, 0, 0}};
  job.request.task.workloads = {{"tiny", {{"rows", 3}}, true}};
  job.request.task.kernel.plan.launches = {{"k", {"1", "1", "1"}, {"32", "1", "1"}, "0", {"x"}}};
  Episode episode;
  episode.id = EpisodeId("e-0000000001");
  Step step;
  step.verdict.outcome = Outcome::improved;
  step.verdict.measurement = Measurement{};
  step.verdict.measurement->median_ns = 123.25;
  step.verdict.comparison = Comparison{1.5, 1.4, 1.6, 0.99, 7, 70};
  step.verdict.profile =
      Profile{ProfileTier::t2, "tiny", {{"k", 1, {{"m", 2.5, "ratio"}}}}, {"x"}, "n"};
  step.verdict.profile->kernels[0].metrics[0].origin = MetricOrigin::exact;
  step.verdict.profile->lines = {{"k", 12, {{"warpmind__line_executions", 4, "count"}}}};
  step.verdict.findings = {{"shared race", true, "k", 12, "block (0,0,0), thread (1,0,0)", 3}};
  step.verdict.measurement->bound = "dram";
  step.verdict.measurement->confidence = "high";
  step.before.primary = BottleneckClass::low_parallelism;
  step.before.causes = {{BottleneckClass::wave_tail,
                         "k",
                         1200,
                         0.25,
                         0.8,
                         "a tail",
                         {{"warpmind__waves", 1.1, 1, "ratio"}}}};
  episode.steps = {step};
  job.episode = episode;
  return job;
}

TEST(ModelJson, AJobOfAnOlderStoreIsReadAndWrittenAsItWas) {
  // As written before a job's options described themselves.
  const std::string record =
      R"({"budget":{"evaluations":3,"gpu_seconds":0.0,"micro_usd":5,"seconds":60.0,"tokens":7},)"
      R"("device":"a100_80","effort":"strict","fixture_directory":"/f","model":"rules:r",)"
      R"("policy":"mcgs","proposer":"llm","provider":"sim","provider_automatic":true,)"
      R"("replay_file":"/r","seed":11,"task":{},"terms":{"user":"ada"},"workers":4})";
  const auto request = nlohmann::json::parse(record).get<JobRequest>();
  EXPECT_EQ(request.budget, (Budget{3, 60, 7, 5, 0}));
  EXPECT_EQ(request.provider, Provider::sim);
  EXPECT_TRUE(request.provider_automatic);
  EXPECT_EQ(request.device, "a100_80");
  EXPECT_EQ(request.fixture_directory, "/f");
  EXPECT_EQ(request.replay_file, "/r");
  EXPECT_EQ(request.proposer, "llm");
  EXPECT_EQ(request.model, "rules:r");
  EXPECT_EQ(request.policy, "mcgs");
  EXPECT_EQ(request.workers, 4);
  EXPECT_EQ(request.seed, 11);
  EXPECT_EQ(request.effort, Effort::strict);
  EXPECT_EQ(request.terms.user, "ada");

  const auto before = nlohmann::json::parse(record);
  const nlohmann::json after = request;
  for (const auto& [name, value] : before.items()) {
    if (name == "task" || name == "terms") continue;
    EXPECT_EQ(after.at(name), value) << name;
  }
}

TEST(ModelJson, WhatAnOlderJobDoesNotSayKeepsItsDefault) {
  const auto request = nlohmann::json::parse(R"({"task":{},"provider":"gpu"})").get<JobRequest>();
  EXPECT_EQ(request, JobRequest());
  EXPECT_EQ(request.proposer, "builtin");
  EXPECT_EQ(request.policy, "greedy");
  EXPECT_EQ(request.workers, 1);
  EXPECT_EQ(request.seed, 0);
}

TEST(ModelJson, ADecidingMetricOfAnOlderRecordLosesItsThreshold) {
  const auto old = codec::parse_json(
      R"({"name": "warpmind__sectors", "value": 32, "threshold": 16.5, "unit": "ratio"})");
  const auto read = codec::from_json<DecidingMetric>(old.value(), "decider");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (DecidingMetric{"warpmind__sectors", 32, std::nullopt, "ratio"}));
}

TEST(ModelJson, JobSurvivesARoundTrip) {
  const Job job = full_job();

  const auto text = codec::dump_json(nlohmann::json(job));
  const auto back = codec::from_json<Job>(codec::parse_json(text).value(), "job");

  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, job);
}

TEST(ModelJson, MissingMembersKeepTheirDefaults) {
  const auto budget = codec::from_json<Budget>(codec::parse_json("{}").value(), "budget");

  ASSERT_TRUE(budget.has_value());
  EXPECT_EQ(*budget, Budget{});
}

TEST(ModelJson, APredictionOfLowConfidenceHasNullForBounds) {
  Comparison comparison{.ratio = 31, .low = 0, .high = 0, .confidence = 0.8};
  nlohmann::json json = comparison;
  EXPECT_TRUE(json.at("low").is_null());
  EXPECT_TRUE(json.at("high").is_null());
  EXPECT_EQ(json.get<Comparison>(), comparison);

  comparison.low = 20;
  comparison.high = 50;
  json = comparison;
  EXPECT_EQ(json.at("low"), 20);
  EXPECT_EQ(json.get<Comparison>(), comparison);

  Measurement measurement;
  measurement.median_ns = 7000;
  json = measurement;
  EXPECT_TRUE(json.at("low_ns").is_null());
  EXPECT_EQ(json.get<Measurement>(), measurement);
  json.at("high_ns") = "much";
  EXPECT_ANY_THROW((void)json.get<Measurement>());
}

TEST(ModelJson, UnknownEnumeratorListsTheKnownOnes) {
  const auto job = codec::from_json<Job>(codec::parse_json(R"({"state":"asleep"})").value(), "job");

  ASSERT_FALSE(job.has_value());
  EXPECT_THAT(job.error().message, HasSubstr("'asleep' is none of queued, running"));
}

TEST(ModelJson, WrongTypeIsAnErrorNotACrash) {
  EXPECT_FALSE(codec::from_json<Job>(codec::parse_json("[1]").value(), "job").has_value());
  EXPECT_FALSE(
      codec::from_json<Job>(codec::parse_json(R"({"attempts":"x"})").value(), "job").has_value());
}

}  // namespace
}  // namespace warpmind
