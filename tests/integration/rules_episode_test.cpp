/// \file
/// A scripted language model drives a whole episode on a real task, on the simulator and a real
/// base: a compile error that is repaired, a wrong kernel, a cheat, a gain, and a critique with one
/// claim that its evidence supports and one that it contradicts.

#include "agents/episode_service.h"
#include "agents/gradient/builtin_critic.h"
#include "agents/llm/budgeted_model.h"
#include "agents/llm/episode_ledger.h"
#include "agents/llm/make_model.h"
#include "agents/llm/scripted/recording_model.h"
#include "agents/llm/scripted/replay_model.h"
#include "agents/llm/scripted/rules_model.h"
#include "agents/writing/model_critic.h"
#include "agents/writing/model_proposer.h"
#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "config/device_table.h"
#include "config/prompt_library.h"
#include "config/task_file.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/packs/seed.h"
#include "profilers/simulated_kernel_lab.h"
#include "tests/fakes/llm_server.h"
#include "tests/unit/profilers/lab_places.h"

#include <filesystem>
#include <map>

#include <gmock/gmock.h>

namespace warpmind {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kBudget = 5;  // candidates; the answer that the rules refuse is none

class StillClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {1'700'000'000'000}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override { return {}; }
};

/// Asks the simulator about each kernel once: how long its stages took is no two times the same.
class RememberingLab final : public profilers::KernelLab {
 public:
  explicit RememberingLab(std::unique_ptr<profilers::KernelLab> lab) : lab_(std::move(lab)) {}

  [[nodiscard]] Provider provider() const override { return lab_->provider(); }
  [[nodiscard]] Result<DeviceIdentity> device() override { return lab_->device(); }
  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override {
    const auto known = verdicts_.find(key_of(order));
    if (known != verdicts_.end()) return known->second;
    ++asked;
    WARPMIND_TRY(auto verdict, lab_->judge(order, std::move(stop)));
    return verdicts_[key_of(order)] = std::move(verdict);
  }
  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token stop) override {
    return lab_->compare(order, std::move(stop));
  }

  int asked = 0;

 private:
  static std::string key_of(const profilers::JudgeOrder& order) {
    return id_of(order.kernel).str() + (order.incumbent ? id_of(*order.incumbent).str() : "");
  }

  std::unique_ptr<profilers::KernelLab> lab_;
  std::map<std::string, Verdict> verdicts_;
};

class RulesEpisode : public ::testing::Test {
 protected:
  void SetUp() override {
    config::Settings settings;
    profilers::use_own_programs(settings);
    settings.lab.scratch_directory = scratch_.path();
    settings.toolchain.cache_directory = scratch_.path() / "cache";
    auto lab = profilers::SimulatedKernelLab::create(settings, devices_, "h200");
    if (!lab) GTEST_SKIP() << lab.error().message;
    lab_ = std::make_shared<RememberingLab>(std::move(*lab));
  }

  agents::Writers writers(agents::llm::LanguageModel& model) {
    agents::Writers writers;
    writers.proposer = std::make_unique<agents::writing::ModelProposer>(
        model, prompts_, knowledge_base::embedded_seed().value().techniques);
    writers.critic = std::make_unique<agents::writing::ModelCritic>(model, prompts_, steps_);
    return writers;
  }

  /// On an empty base of this name.
  Episode run(agents::llm::LanguageModel& model, const std::string& name) {
    auto base =
        knowledge_base::KnowledgeBase::open({.directory = scratch_.path() / name, .clock = clock_});
    EXPECT_TRUE(base) << (base ? "" : base.error().message);
    if (!base) return {};
    auto& store = (*base)->store();
    JobRequest request;
    request.task =
        config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR) / "tasks/row_softmax_f16")
            .value()
            .task;
    request.task.directory.clear();
    request.budget.evaluations = kBudget;
    request.provider = Provider::sim;
    request.proposer = "llm";
    request.policy = "greedy";
    request.seed = 7;
    auto job = store.add_job(request, clock_.wall());
    EXPECT_TRUE(job);
    job->state = JobState::running;
    agents::EpisodeService service(
        store, devices_, [this](const JobRequest&) { return lab_; }, clock_, {},
        [&](const JobRequest&) { return Result<agents::Writers>(writers(model)); });
    agents::RunControl control;
    control.progress = [](const JobProgress& news) { std::printf("  %s\n", news.line.c_str()); };
    const auto ran = service.run_job(*job, control);
    EXPECT_TRUE(ran) << (ran ? "" : ran.error().message);
    const auto ended = store.find_job(job->id);
    EXPECT_TRUE(ended && *ended && (*ended)->episode) << (*ended)->error;
    Episode episode = (*ended)->episode.value_or(Episode{});
    lessons_ = (*ended)->receipt.value_or(WriteBackReceipt{}).lessons;
    // The traffic is kept apart from the episode.
    for (std::size_t i = 0; i < episode.steps.size(); ++i) {
      episode.steps[i].exchanges = store.find_exchanges(episode.id, i).value();
    }
    episode.critique = store.find_exchanges(episode.id, episode.steps.size()).value();
    return episode;
  }

  std::unique_ptr<agents::llm::RulesModel> rules() const {
    return agents::llm::RulesModel::open(std::filesystem::path(WARPMIND_TEST_DATA) /
                                         "rules/row_softmax_f16.json")
        .value();
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-rules").value();
  StillClock clock_;
  config::DeviceTable devices_ = config::DeviceTable::load().value();
  config::PromptLibrary prompts_ = config::PromptLibrary::load().value();
  agents::BuiltinCritic steps_;
  std::shared_ptr<RememberingLab> lab_;
  std::vector<std::string> lessons_;  // of the newest episode's write-back
};

/// Hands requests on and keeps what was answered.
class ListeningModel final : public agents::llm::LanguageModel {
 public:
  explicit ListeningModel(agents::llm::LanguageModel& model) : model_(model) {}
  [[nodiscard]] std::string name() const override { return model_.name(); }
  [[nodiscard]] Result<agents::llm::ModelReply> complete(const agents::llm::ModelRequest& request,
                                                         std::stop_token stop) override {
    auto reply = model_.complete(request, std::move(stop));
    if (reply) answers.push_back(*reply);
    return reply;
  }

  std::vector<agents::llm::ModelReply> answers;

 private:
  agents::llm::LanguageModel& model_;
};

/// Each answer after a mishap of `mishaps`, in turn.
std::vector<fakes::LlmReply> with_mishaps(const std::vector<agents::llm::ModelReply>& answers,
                                          const std::vector<fakes::LlmReply>& mishaps) {
  std::vector<fakes::LlmReply> script;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    script.push_back(mishaps[i % mishaps.size()]);
    fakes::LlmReply answer;
    answer.text = answers[i].text;
    const bool refused = answers[i].stop == agents::llm::StopReason::refusal;
    if (refused) answer.end = fakes::LlmEnd::refusal;
    script.push_back(std::move(answer));
  }
  return script;
}

void expect_the_story(const Episode& episode) {
  ASSERT_EQ(episode.steps.size(), 6U);
  const auto& steps = episode.steps;
  EXPECT_EQ(steps[1].verdict.outcome, Outcome::build_failed) << steps[1].verdict.reason;
  EXPECT_EQ(steps[2].verdict.outcome, Outcome::improved) << steps[2].verdict.reason;
  ASSERT_EQ(steps[2].exchanges.size(), 1U);
  EXPECT_EQ(steps[2].exchanges[0].purpose, "repair");
  EXPECT_THAT(steps[2].exchanges[0].prompt, HasSubstr("identifier \"lane\" is undefined"));
  EXPECT_TRUE(steps[2].accepted);
  EXPECT_EQ(steps[3].verdict.outcome, Outcome::wrong) << steps[3].verdict.reason;
  EXPECT_EQ(steps[4].verdict.outcome, Outcome::cheating) << steps[4].verdict.reason;
  EXPECT_THAT(steps[4].verdict.reason, HasSubstr("cudaStreamCreate"));
  EXPECT_EQ(steps[5].verdict.outcome, Outcome::improved) << steps[5].verdict.reason;
  EXPECT_EQ(episode.outcome, Outcome::improved);
  EXPECT_EQ(episode.best_step, 5);
  EXPECT_NE(steps[1].candidate.model, "");

  ASSERT_EQ(episode.critique.size(), 2U);
  EXPECT_EQ(episode.critique[0].answer, "I cannot repair this one.");
  EXPECT_EQ(episode.critique[1].purpose, "critique");
  ASSERT_EQ(episode.claims.size(), 2U);
  EXPECT_EQ(episode.claims[0].refused, "");
  EXPECT_THAT(episode.claims[1].refused, HasSubstr("the claim says that it does not help"));
  ASSERT_EQ(episode.deltas.size(), 2U);
  EXPECT_EQ(episode.deltas[0].refused, "");
  EXPECT_NE(episode.deltas[1].refused, "");
}

TEST_F(RulesEpisode, RepairsRejectsAndLearnsAndReplaysToTheSameBytes) {
  const auto model = rules();
  const auto recording = scratch_.path() / "calls.jsonl";
  Episode first;
  {
    const auto recorder = agents::llm::RecordingModel::open(*model, recording).value();
    first = run(*recorder, "first");
  }
  expect_the_story(first);
  EXPECT_THAT(lessons_, Contains(AllOf(HasSubstr("critic: "), HasSubstr("a warp a row"))));
  EXPECT_THAT(lessons_, Each(Not(HasSubstr("makes a softmax slower"))));
  // Four proposals and a repair became candidates; the repair of the wrong kernel was refused.
  EXPECT_EQ(first.spending.calls, 7);
  const int judged = lab_->asked;

  const auto replay = agents::llm::ReplayModel::open(recording).value();
  const Episode second = run(*replay, "second");

  EXPECT_EQ(replay->left(), 0U);
  EXPECT_EQ(lab_->asked, judged) << "every kernel of the replay is one of the first episode";
  EXPECT_EQ(codec::dump_json(nlohmann::json(first)), codec::dump_json(nlohmann::json(second)));
}

/// The same story over real sockets, each answer after a mishap that the server survives.
TEST_F(RulesEpisode, IsTheSameOverHttpInEveryDialectWithMishapsAndCountsTokensOnce) {
  using fakes::LlmFault;
  const auto rules_model = rules();
  ListeningModel listening(*rules_model);
  expect_the_story(run(listening, "rules"));
  ASSERT_EQ(listening.answers.size(), 7U);
  const std::vector<fakes::LlmReply> unbilled{{.status = 429, .headers = {"Retry-After: 1"}},
                                              {.status = 500},
                                              {.fault = LlmFault::reset},
                                              {.status = 529}};
  const std::vector<fakes::LlmReply> billed{
      {.fault = LlmFault::cut}, {.fault = LlmFault::no_end}, {.fault = LlmFault::error_event}};
  for (const auto dialect : {agents::llm::Dialect::chat, agents::llm::Dialect::responses,
                             agents::llm::Dialect::messages}) {
    for (const auto* mishaps : {&unbilled, &billed}) {
      fakes::LlmServer server;
      server.script(with_mishaps(listening.answers, *mishaps));
      agents::llm::ModelOptions options;
      options.endpoint.url = server.url();
      options.endpoint.dialect = dialect;
      options.endpoint.model = "scripted";
      agents::llm::RetryHooks hooks;
      hooks.wait = [](std::chrono::milliseconds, const std::stop_token&) { return true; };
      auto http = agents::llm::make_http_model(options, hooks);
      ASSERT_TRUE(http) << http.error().message;
      agents::llm::EpisodeLedger ledger({.tokens = 1'000'000, .micro_usd = 0});
      agents::llm::BudgetedModel model(
          std::shared_ptr<agents::llm::LanguageModel>(std::move(*http)), {&ledger}, std::nullopt);
      const std::string name = "http-" + std::to_string(static_cast<int>(dialect)) +
                               (mishaps == &unbilled ? "-unbilled" : "-billed");
      SCOPED_TRACE(name);

      const Episode episode = run(model, name);

      expect_the_story(episode);
      EXPECT_EQ(server.calls().size(), 14U);
      EXPECT_EQ(episode.spending.calls, 7);
      const auto spent = ledger.spent();
      EXPECT_EQ(ledger.reserved(), agents::llm::SpendLimits{});
      EXPECT_EQ(episode.spending.output_tokens, spent.output_tokens);
      EXPECT_EQ(episode.spending.cached_tokens, spent.cached_tokens);
      // What each of the seven answers took (fakes::LlmTokens), whatever the dialect counts.
      if (mishaps == &unbilled) {
        EXPECT_EQ(spent.output_tokens, 7 * 20);
        EXPECT_EQ(spent.cached_tokens, 7 * 60);
        const std::int64_t input = spent.input_tokens + spent.cached_tokens + spent.written_tokens;
        EXPECT_EQ(input, 7 * 100);
      } else {
        EXPECT_GE(spent.output_tokens, 7 * 20);
        EXPECT_LE(spent.cached_tokens, 14 * 60);
      }
    }
  }
}

}  // namespace
}  // namespace warpmind
