#include "agents/analysis/kernel_analyst.h"
#include "base/clock.h"
#include "base/codec/json_guard.h"
#include "base/file.h"
#include "daemon/handlers/analysis_handlers.h"
#include "daemon/protocol/method_table.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

using nlohmann::json;

Profile profile_of(std::vector<KernelProfile> launches) {
  Profile profile;
  profile.tier = ProfileTier::t2;
  profile.workload = "large";
  profile.kernels = std::move(launches);
  return profile;
}

KernelProfile launch(const std::string& kernel, double share, double ns) {
  return {kernel, share, {{"gpu__time_duration.sum", ns, "ns"}}};
}

/// Says of every kernel that it is right and launches `pack` and `fused`.
class ProfilingLab final : public profilers::KernelLab {
 public:
  Provider provider() const override { return Provider::sim; }
  Result<DeviceIdentity> device() override { return DeviceIdentity{}; }
  Result<Verdict> judge(const profilers::JudgeOrder& order, std::stop_token) override {
    judged.push_back(order.kernel.source);
    EXPECT_EQ(order.incumbent, nullptr);
    Verdict verdict;
    verdict.outcome = Outcome::same;
    verdict.profile = profile_of({launch("pack", 0.1, 100), launch("fused", 0.9, 900)});
    return verdict;
  }
  Result<Comparison> compare(const profilers::JudgeOrder&, std::stop_token) override {
    return Comparison{};
  }
  std::vector<std::string> judged;
};

/// A base with one episode: given kernel profiled, step 1 timed without a profile, step 2 wrong.
class EpisodeProfile : public testing::Test {
 protected:
  EpisodeProfile()
      : folder_(*ScratchDirectory::create(std::filesystem::temp_directory_path(), "profiles")),
        base_(*knowledge_base::KnowledgeBase::open(
            {.directory = folder_.path() / "base", .reserve_bytes = 0, .clock = clock_})),
        lab_(std::make_shared<ProfilingLab>()),
        analyst_(settings_,
                 [this](const JobRequest& request) {
                   asked_ = request;
                   return Result<std::shared_ptr<profilers::KernelLab>>(lab_);
                 },
                 {}) {
    add_analysis_methods(dispatcher_, {&analyst_, settings_, base_->store()});
    JobRequest request;
    request.task.name = "conv";
    request.task.id = id_of(request.task);
    request.device = "h100";
    auto job = base_->store().add_job(request, UnixMillis{1});
    EXPECT_TRUE(job);
    Episode episode;
    episode.id = EpisodeId("e-" + job->id.str().substr(2));
    episode.task = request.task.id;
    episode.provider = Provider::sim;
    for (std::int64_t i = 0; i < 3; ++i) {
      Step step;
      step.index = i;
      step.edited = i == 0 ? -1 : 0;
      step.candidate.kernel.source = "kernel " + std::to_string(i);
      step.verdict.outcome = i == 2 ? Outcome::wrong : Outcome::same;
      episode.steps.push_back(std::move(step));
    }
    episode.steps[0].verdict.profile = profile_of({launch("conv", 1, 2000)});
    job->state = JobState::done;
    EXPECT_TRUE(base_->store().commit(episode, *job));
  }

  Result<json> call(const json& params) {
    const auto document = protocol::Document::parse(codec::dump_json(params));
    WARPMIND_CHECK(protocol::check_params(*protocol::find_method("episode.profile"), *document));
    RequestContext context;
    WARPMIND_TRY(const std::string text,
                 dispatcher_.find("episode.profile")->call(*document, context));
    return codec::parse_json(text);
  }

  SystemClock clock_;
  ScratchDirectory folder_;
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  config::Settings settings_;
  std::shared_ptr<ProfilingLab> lab_;
  std::optional<JobRequest> asked_;
  agents::KernelAnalyst analyst_;
  Dispatcher dispatcher_;
};

TEST_F(EpisodeProfile, OfAProfiledStepIsTheStoredOne) {
  const auto reply = call({{"id", "1"}, {"step", 0}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)["made_now"], false);
  EXPECT_TRUE((*reply)["against"].is_null());
  EXPECT_EQ((*reply)["launches"][0]["after"]["time_ns"], 2000);
  EXPECT_TRUE((*reply)["launches"][0]["before"].is_null());
  EXPECT_TRUE(lab_->judged.empty());
}

TEST_F(EpisodeProfile, OfAStepWithoutOneIsMadeNowAndPairedWithTheEditedKernel) {
  const auto reply = call({{"id", "1"}, {"step", 1}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)["made_now"], true);
  EXPECT_EQ((*reply)["against"], 0);
  EXPECT_EQ(asked_->provider, Provider::sim);
  EXPECT_EQ(asked_->device, "h100");
  const json& launches = (*reply)["launches"];
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0]["before"]["kernel"], "conv");
  EXPECT_EQ(launches[0]["after"]["kernel"], "fused") << "not the helper that is launched first";
  EXPECT_EQ(launches[0]["paired_by"], "time_share");
  EXPECT_EQ(launches[1]["after"]["kernel"], "pack");
  EXPECT_TRUE(launches[1]["before"].is_null());

  ASSERT_TRUE(call({{"id", "1"}, {"step", 1}}));
  EXPECT_EQ(lab_->judged, std::vector<std::string>{"kernel 1"}) << "asked twice, judged once";
}

TEST_F(EpisodeProfile, AnyTwoStepsCanBeHeldAgainstEachOther) {
  const auto reply = call({{"id", "1"}, {"step", 0}, {"against", 1}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)["against"], 1);
  EXPECT_EQ((*reply)["launches"][0]["before"]["kernel"], "fused");
}

TEST_F(EpisodeProfile, AWrongKernelHasNone) {
  const auto reply = call({{"id", "1"}, {"step", 2}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::conflict);
  EXPECT_EQ(reply.error().message,
            "step 2 was judged wrong: it was never timed, and there is no profile of it");
  const auto missing = call({{"id", "1"}, {"step", 77}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_NE(missing.error().message.find("no step 77"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::daemon
