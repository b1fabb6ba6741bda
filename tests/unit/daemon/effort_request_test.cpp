// The effort and the note of a job, and what of its task a client may see.
#include "base/clock.h"
#include "base/file.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/queue_handlers.h"
#include "daemon/handlers/task_handlers.h"
#include "daemon/protocol/message_codec.h"
#include "knowledge_base/knowledge_base.h"

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

using testing::HasSubstr;

constexpr const char* kTask = WARPMIND_SOURCE_DIR "/tasks/dot";

protocol::JobOptions params_with(const std::string& effort) {
  protocol::JobOptions params;
  params.effort = effort;
  return params;
}

const MachineView kNoGpu = [] { return DeviceView{"sim", "", ""}; };

TEST(EffortRequest, TheSettingIsTheDefault) {
  config::Settings settings;
  EXPECT_EQ(job_request_of(kTask, params_with(""), settings, kNoGpu)->effort, Effort::normal);
  settings.lab.effort = "strict";
  EXPECT_EQ(job_request_of(kTask, params_with(""), settings, kNoGpu)->effort, Effort::strict);
  EXPECT_EQ(job_request_of(kTask, params_with("quick"), settings, kNoGpu)->effort, Effort::quick);
  const auto refused = job_request_of(kTask, params_with("lazy"), settings, kNoGpu);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("'effort' must be one of quick, normal, strict, not 'lazy'"));
}

TEST(EffortRequest, AJobKeepsItsHiddenRangesAndTellsNoClient) {
  const auto folder = ScratchDirectory::create(std::filesystem::temp_directory_path(), "effort");
  ASSERT_TRUE(folder);
  SystemClock clock;
  auto base = knowledge_base::KnowledgeBase::open(
      {.directory = folder->path() / "base", .reserve_bytes = 0, .clock = clock});
  ASSERT_TRUE(base) << base.error().message;
  const auto request = job_request_of(kTask, params_with("strict"), config::Settings{}, kNoGpu);
  ASSERT_TRUE(request) << request.error().message;
  ASSERT_FALSE(request->task.hidden.empty()) << "tasks/dot has hidden ranges";
  const auto job = (*base)->store().add_job(*request, UnixMillis{1});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ((*base)->store().find_job(job->id).value()->request, *request);

  RequestContext context;
  const auto told = task_result((*base)->store())({job->id.str()}, context);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->job.request.effort, Effort::strict);
  EXPECT_TRUE(told->job.request.task.hidden.empty());
  EXPECT_THAT(protocol::encode(*told), HasSubstr("\"hidden\":[]"));
}

TEST(NoteRequest, ANoteIsStoredWithTheJobAndReported) {
  const auto folder = ScratchDirectory::create(std::filesystem::temp_directory_path(), "note");
  ASSERT_TRUE(folder);
  SystemClock clock;
  auto base = knowledge_base::KnowledgeBase::open(
      {.directory = folder->path() / "base", .reserve_bytes = 0, .clock = clock});
  ASSERT_TRUE(base) << base.error().message;
  const auto asked = protocol::Document::parse(R"({"note":"before tiling"})");
  const auto options = protocol::decode<protocol::TaskSubmitParams>(*asked);
  const auto request = job_request_of(kTask, *options, config::Settings{}, kNoGpu);
  ASSERT_TRUE(request) << request.error().message;
  const auto job = (*base)->store().add_job(*request, UnixMillis{1});
  ASSERT_TRUE(job) << job.error().message;

  EXPECT_EQ((*base)->store().find_job(job->id).value()->request.note, "before tiling");
  RequestContext context;
  EXPECT_THAT(protocol::encode(*task_result((*base)->store())({job->id.str()}, context)),
              HasSubstr(R"("note":"before tiling")"));
  const auto report = queue_report(**base, {"", {job->id.str()}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->jobs.at(0).options.at("note"), "before tiling");
}

TEST(NoteRequest, ANoteThatIsNoShortLineIsRefused) {
  protocol::JobOptions options;
  options.note = std::string(201, 'x');
  const auto refused = job_request_of(kTask, options, config::Settings{}, kNoGpu);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  EXPECT_EQ(refused.error().message, "'note' must be one line of at most 200 characters, not 201");
}

}  // namespace
}  // namespace warpmind::daemon
