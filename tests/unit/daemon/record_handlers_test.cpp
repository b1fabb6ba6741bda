#include "base/clock.h"
#include "base/codec/json_guard.h"
#include "base/file.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/method_table.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/store_location.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

using nlohmann::json;

constexpr double kGivenNs = 100'000;

Measurement taken(double median_ns) {
  Measurement m;
  m.device.name = "NVIDIA H200";
  m.device.compute_major = 9;
  m.toolkit = "13.0";
  m.workload = "large";
  m.median_ns = median_ns;
  m.low_ns = median_ns * 0.99;
  m.high_ns = median_ns * 1.01;
  m.harness = "1";
  return m;
}

Step written(const std::string& name, std::int64_t index, double speedup) {
  Step step;
  step.index = index;
  step.edited = index == 0 ? -1 : 0;
  step.candidate.kernel.source = "__global__ void " + name + std::to_string(index) + "(float* x);";
  step.candidate.proposer = index == 0 ? "task" : "llm";
  step.candidate.technique = index == 0 ? "" : "vectorized_loads";
  step.verdict.outcome = index == 0 ? Outcome::same : Outcome::improved;
  step.verdict.measurement = taken(kGivenNs / speedup);
  step.accepted = index == 0;
  if (index == 0) return step;
  step.before.primary = BottleneckClass::wave_tail;
  step.exchanges.push_back({.purpose = "proposal",
                            .model = "writer-1",
                            .prompt_hash = "0",
                            .prompt = "Make it faster.",
                            .reasoning = std::string(static_cast<std::size_t>(index) * 60, 'w'),
                            .answer = "…"});
  return step;
}

/// The handlers on a base with two episodes of a training task and one of a held-out task.
class RecordHandlers : public testing::Test {
 protected:
  RecordHandlers()
      : folder_(*ScratchDirectory::create(std::filesystem::temp_directory_path(), "records")),
        base_(*knowledge_base::KnowledgeBase::open(
            {.directory = folder_.path() / "base", .reserve_bytes = 0, .clock = clock_})) {
    add_knowledge_methods(dispatcher_, {*base_, health_, [] { return false; }, "alice"});
    commit("softmax", Split::train, {2.0, 1.2, 1.1});
    commit("transpose", Split::heldout, {3.0, 1.2, 1.1});
    commit("softmax", Split::train, {1.4});
  }

  void commit(const std::string& name, Split split, const std::vector<double>& speedups) {
    JobRequest request;
    request.task.name = name;
    request.task.split = split;
    request.task.reference = name;
    request.task.id = id_of(request.task);
    auto job = base_->store().add_job(request, UnixMillis{1});
    ASSERT_TRUE(job) << job.error().message;
    Episode e;
    e.id = EpisodeId("e-" + job->id.str().substr(2));
    e.task = request.task.id;
    e.task_name = name;
    e.operator_family = "softmax";
    e.split = split;
    e.policy = "mcgs";
    e.steps.push_back(written(name, 0, 1));
    for (const double speedup : speedups) {
      e.steps.push_back(written(name + job->id.str().back(), std::ssize(e.steps), speedup));
    }
    e.steps[1].exposures = {{InsightId("i-0000000000000000"), 0.9, true}};
    job->state = JobState::done;
    const auto receipt = base_->store().commit(e, *job);
    ASSERT_TRUE(receipt) << receipt.error().message;
  }

  Result<json> call(const std::string& method, const json& params) {
    const auto document = protocol::Document::parse(codec::dump_json(params));
    WARPMIND_CHECK(protocol::check_params(*protocol::find_method(method), *document));
    RequestContext context;
    WARPMIND_TRY(const std::string text, dispatcher_.find(method)->call(*document, context));
    return codec::parse_json(text);
  }
  json works(const std::string& method, const json& params) {
    const auto reply = call(method, params);
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? *reply : json();
  }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }

  SystemClock clock_;
  ScratchDirectory folder_;
  HealthBoard health_;
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  Dispatcher dispatcher_;
};

/// An agent looks at a step of its own before it closes the episode.
TEST_F(RecordHandlers, AJobThatGoesOnIsExplainedWithItsStepsSoFar) {
  JobRequest request;
  request.task.name = "softmax";
  request.task.id = id_of(request.task);
  auto job = base_->store().add_job(request, UnixMillis{1});
  ASSERT_TRUE(job) << job.error().message;
  const auto before = call("episode.explain", {{"id", job->id.str()}});
  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().code, Errc::conflict);
  EXPECT_EQ(before.error().message,
            job->id.str() + " has not judged its given kernel yet; it has no episode");

  job->state = JobState::running;
  ASSERT_TRUE(base_->store().update_job(*job));
  Draft draft;
  draft.episode.id = EpisodeId("e-" + job->id.str().substr(2));
  draft.episode.task = request.task.id;
  draft.episode.steps = {written("softmax", 0, 1), written("softmax", 1, 2)};
  draft.epoch = job->epoch;
  const auto kept = base_->store().save_draft(draft);
  ASSERT_TRUE(kept) << kept.error().message;
  const json reply = works("episode.explain", {{"id", job->id.str()}});
  EXPECT_EQ(reply["state"], "running");
  EXPECT_EQ(reply["episode"]["steps"].size(), 2U);
  EXPECT_EQ(works("episode.explain", {{"id", "last"}})["episode"]["id"], "e-0000000003")
      << "the last one is the last that has ended";
}

TEST_F(RecordHandlers, AnEpisodeIsFoundByEachOfItsNames) {
  for (const char* id : {"3", "j-0000000003", "e-0000000003", "last"}) {
    const json reply = works("episode.explain", {{"id", id}});
    EXPECT_EQ(reply["episode"]["id"], "e-0000000003") << id;
    EXPECT_EQ(reply["job_id"], "j-0000000003");
    EXPECT_EQ(reply["episode"]["policy"], "mcgs");
  }
}

TEST_F(RecordHandlers, AnInsightThatIsGoneIsSaidToBe) {
  const json reply = works("episode.explain", {{"id", "1"}, {"step", 1}});

  ASSERT_EQ(reply["insights"].size(), 1U);
  EXPECT_EQ(reply["insights"][0]["known"], false);
  EXPECT_EQ(reply["insights"][0]["id"], "i-0000000000000000");
}

TEST_F(RecordHandlers, AStepComesWithWhatToDoFirstAboutTheKernelThatItEdited) {
  for (const int step : {0, 1}) {
    const json advice = works("episode.explain", {{"id", "1"}, {"step", step}})["advice"];
    EXPECT_EQ(advice["against"], "wave_tail");
    EXPECT_NE(advice["text"].get<std::string>().find("whole waves"), std::string::npos);
    EXPECT_EQ(advice["technique"], "whole_waves");
  }
  EXPECT_TRUE(works("episode.explain", {{"id", "1"}})["advice"].is_null());
}

TEST_F(RecordHandlers, AJobWithoutAnEpisodeIsNone) {
  JobRequest request;
  request.task.name = "waiting";
  ASSERT_TRUE(base_->store().add_job(request, UnixMillis{1}));

  const auto reply = call("episode.explain", {{"id", "4"}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::conflict);
  EXPECT_EQ(works("episode.explain", {{"id", "last"}})["job_id"], "j-0000000003");
}

TEST_F(RecordHandlers, ExportsTwiceTheSameAndVerifies) {
  const json first = works("export.write", {{"kind", "trajectories"}, {"file", path("a.jsonl")}});
  const json second = works("export.write", {{"kind", "trajectories"}, {"file", path("b.jsonl")}});

  EXPECT_EQ(first["lines"], 4);
  EXPECT_EQ(first["episodes"], 2);
  EXPECT_EQ(first["heldout"], 3);
  EXPECT_EQ(first["sha256"], second["sha256"]);
  EXPECT_EQ(*read_file(path("a.jsonl"), 1U << 20U), *read_file(path("b.jsonl"), 1U << 20U));
  EXPECT_EQ(works("export.verify", {{"file", path("a.jsonl")}})["problems"], 0);
}

TEST_F(RecordHandlers, TracesComeFromTheStoredConversations) {
  const json traces = works("export.write", {{"kind", "concur"}, {"file", path("c.jsonl")}});

  EXPECT_EQ(traces["lines"], 1);
  const auto text = read_file(path("c.jsonl"), 1U << 20U);
  ASSERT_TRUE(text);
  const json line = json::parse(*text);
  EXPECT_EQ(line["len_tokens"], 10);
  EXPECT_EQ(line["criteria"], json({"a", "b"}));
  EXPECT_EQ(line["provenance"]["base"].get<std::string>().size(), 16U);
  EXPECT_EQ(works("export.verify", {{"file", path("c.jsonl")}})["problems"], 0);
}

TEST_F(RecordHandlers, VerifyFindsAChangeAndKernelsThatAreHeldOutHere) {
  ASSERT_FALSE(
      works("export.write", {{"kind", "trajectories"}, {"file", path("a.jsonl")}}).empty());
  std::string text = *read_file(path("a.jsonl"), 1U << 20U);
  const std::size_t at = text.find("improved");
  text.replace(at, 8, "regressed");
  ASSERT_TRUE(write_file_atomic(path("changed.jsonl"), text));

  const json changed = works("export.verify", {{"file", path("changed.jsonl")}});
  EXPECT_EQ(changed["problems"], 1);
  EXPECT_NE(changed["notes"][0].get<std::string>().find("line 1"), std::string::npos);
}

TEST_F(RecordHandlers, SinceStartsLater) {
  const json later =
      works("export.write", {{"kind", "trajectories"}, {"file", path("s.jsonl")}, {"since", 3}});

  EXPECT_EQ(later["lines"], 1);
}

TEST_F(RecordHandlers, RefusesWhatCannotBe) {
  const auto refused = [this](const json& params) {
    const auto reply = call("export.write", params);
    return reply ? std::string("accepted") : reply.error().message;
  };
  const std::string file = path("x.jsonl");
  EXPECT_NE(refused({{"kind", "turns"}, {"file", file}}).find("'kind'"), std::string::npos);
  EXPECT_NE(refused({{"kind", "concur"}, {"file", file}, {"threshold", -1}}).find("'threshold'"),
            std::string::npos);
  EXPECT_NE(refused({{"kind", "trajectories"}, {"file", file}, {"balance", 1}}).find("concur"),
            std::string::npos);
  EXPECT_NE(refused({{"kind", "trajectories"}, {"file", file}, {"provider", "moon"}}), "accepted");
  EXPECT_NE(refused({{"kind", "trajectories"}, {"file", file}, {"since", 0}}), "accepted");
  EXPECT_NE(refused({{"kind", "trajectories"}, {"file", path("no/x.jsonl")}}), "accepted");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(call("export.verify", {{"file", path("none.jsonl")}}));
}

}  // namespace
}  // namespace warpmind::daemon
