// `warpmind queue …` against a scripted daemon: what is asked, what is shown, and the exit codes.
#include "base/file.h"
#include "clients/cli/command_line.h"
#include "clients/cli/console.h"
#include "clients/cli/program.h"
#include "clients/cli/queue_items.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/queue_messages.h"
#include "protocol_server.h"

#include <algorithm>
#include <mutex>
#include <sstream>

#include <gmock/gmock.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// Takes every order, and keeps it.
class QueueDaemon {
 public:
  QueueDaemon()
      : server_([this](ServedConnection& c) {
          c.greet();
          while (auto request = c.receive()) serve(c, *request);
        }) {}
  [[nodiscard]] const ProtocolServer& server() const { return server_; }
  [[nodiscard]] std::vector<protocol::QueueAddParams> added() {
    const std::scoped_lock lock(mutex_);
    return added_;
  }
  [[nodiscard]] std::vector<std::string> orders() {
    const std::scoped_lock lock(mutex_);
    return orders_;
  }
  [[nodiscard]] protocol::QueueRulesParams rules() {
    const std::scoped_lock lock(mutex_);
    return rules_;
  }

 private:
  void serve(ServedConnection& c, const protocol::Message& request) {
    const std::scoped_lock lock(mutex_);
    if (request.method == "queue.add") {
      added_.push_back(*protocol::decode<protocol::QueueAddParams>(request.params));
      const auto number = std::to_string(added_.size());
      c.answer(request, protocol::encode(protocol::QueueAddResult{"j-000000000" + number, 0}));
    } else if (request.method == "task.admit") {
      const auto params = protocol::decode<protocol::TaskSubmitParams>(request.params);
      if (params->device == "h20") {
        c.refuse(request, {Errc::invalid_argument, "there is no device 'h20' to predict for"});
      } else {
        c.answer(request, "{}");
      }
    } else if (request.method == "queue.rules") {
      rules_ = *protocol::decode<protocol::QueueRulesParams>(request.params);
      protocol::QueueRulesResult reply;
      reply.night = "2026-11-24";
      reply.quiet_hours = rules_.quiet_hours.value_or("");
      reply.night_limits = rules_.night;
      reply.night_spent = {{"gpu_seconds", 600}};
      c.answer(request, protocol::encode(reply));
    } else if (request.method == "queue.report") {
      c.answer(request, protocol::encode(a_night()));
    } else {
      const auto params = protocol::decode<protocol::QueueJobsParams>(request.params);
      orders_.push_back(request.method + (params->all ? " all" : ""));
      for (const auto& id : params->job_ids) orders_.push_back(id);
      c.answer(request, protocol::encode(protocol::QueueJobsResult{
                            {"j-0000000007"}, {"j-0000000008 has ended: done"}}));
    }
  }

  static protocol::QueueReportResult a_night() {
    protocol::QueueReportResult night;
    night.night = "2026-11-24";
    protocol::QueueReportJob good;
    good.job_id = "j-0000000001";
    good.task = "gemm<script>";
    good.confidence = 0.99;
    good.curve = {1, 2.5};
    good.predicted = 5;
    good.covered = 4;
    good.lessons = {"vector_width: 2.50x"};
    good.state = JobState::done;
    good.outcome = "improved";
    good.provider = "sim";
    good.ratio = 2.5;
    good.low = 2.25;
    good.high = 2.75;
    good.options = {{"note", "before\x1b[31m tiling"}};
    protocol::QueueReportJob bad;
    bad.job_id = "j-0000000002";
    bad.task = "softmax";
    bad.state = JobState::failed;
    bad.dead = true;
    bad.error = "the worker\x1b[31m died";
    bad.history = {{1, "lane 0", UnixMillis{1}, UnixMillis{2}, "out of memory"}};
    night.night_limits = {{"gpu_seconds", 100}, {"usd", 0}};
    night.jobs = {good, bad};
    night.spent = {14, 125, 40, 0, 0};
    night.charged = night.spent;
    night.outcomes = {{"failed", 1}, {"improved", 1}};
    return night;
  }

  std::mutex mutex_;
  std::vector<protocol::QueueAddParams> added_;
  std::vector<std::string> orders_;
  protocol::QueueRulesParams rules_;
  ProtocolServer server_;
};

struct QueueRan {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string err;
};

class QueueCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"b", "a", "c"}) make_task(scratch_.path() / "tasks" / name);
    fs::create_directories(scratch_.path() / "tasks" / "none");
  }
  static void make_task(const fs::path& folder) {
    fs::create_directories(folder);
    EXPECT_TRUE(write_file_atomic(folder / "task.toml", "name = \"x\"\n"));
  }
  QueueRan run(std::vector<std::string> words) {
    words.insert(words.begin(), "queue");
    return run_words(std::move(words));
  }
  QueueRan run_words(std::vector<std::string> words) {
    EXPECT_TRUE(write_file_atomic(scratch_.path() / "config.toml", ""));
    words.insert(words.begin(), {"warpmind", "--config", path("config.toml")});
    words.insert(words.end(), {"--no-start", "--socket", daemon_.server().socket().string()});
    std::vector<const char*> argv;
    for (const auto& word : words) argv.push_back(word.c_str());
    std::ostringstream out;
    std::ostringstream err;
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    Console console{.out = out, .err = err, .json = json, .paint = {}};
    const auto code = run_program(static_cast<int>(argv.size()), argv.data(), console);
    return {code, out.str(), err.str()};
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (scratch_.path() / name).string();
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& job : daemon_.added()) names.push_back(fs::path(job.directory).filename());
    return names;
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  QueueDaemon daemon_;
};

TEST_F(QueueCommand, AFolderOfTasksIsQueuedByName) {
  const auto ran = run({"add", path("tasks"), "--evaluations", "4", "--user", "ada", "--chain"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(daemon_.added()[2].evaluations, 4);
  EXPECT_EQ(daemon_.added()[2].user, "ada");
  EXPECT_THAT(daemon_.added()[0].after, ElementsAre());
  EXPECT_THAT(daemon_.added()[2].after, ElementsAre("j-0000000002"));
  EXPECT_THAT(ran.out, HasSubstr("3 jobs are queued"));
}

TEST_F(QueueCommand, ADeviceIsPredictedForUnlessItIsToMeasure) {
  ASSERT_EQ(run({"add", path("tasks/a"), "--device", "a100_80"}).code, ExitCode::ok);
  ASSERT_EQ(run({"add", path("tasks/b"), "--device", "sm_80", "--provider", "gpu"}).code,
            ExitCode::ok);

  EXPECT_EQ(daemon_.added()[0].provider, "sim");
  EXPECT_EQ(daemon_.added()[0].device, "a100_80");
  EXPECT_EQ(daemon_.added()[1].provider, "gpu");
  EXPECT_EQ(daemon_.added()[1].device, "sm_80");
}

TEST_F(QueueCommand, APatternTakesTheTasksThatItMatches) {
  const auto ran = run({"add", path("tasks/[bn]*")});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(QueueCommand, AManifestSaysMoreThanTheFlags) {
  ASSERT_TRUE(write_file_atomic(path("night.jsonl"),
                                "{\"directory\": \"tasks/c\", \"priority\": 7}\n\n"
                                "{\"directory\": \"tasks/a\", \"evaluations\": 2}\n"));

  const auto ran = run({"add", path("night.jsonl"), "--evaluations", "9", "--json"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_THAT(names(), ElementsAre("c", "a"));
  EXPECT_EQ(daemon_.added()[0].priority, 7);
  EXPECT_EQ(daemon_.added()[0].evaluations, 9);
  EXPECT_EQ(daemon_.added()[1].evaluations, 2);
  EXPECT_THAT(ran.out, HasSubstr("\"job_id\":\"j-0000000002\""));
}

TEST_F(QueueCommand, WhatTheDaemonWouldRefuseIsRefusedBeforeAnythingIsQueued) {
  ASSERT_TRUE(write_file_atomic(path("night.jsonl"),
                                "{\"directory\": \"tasks/c\"}\n"
                                "{\"directory\": \"tasks/a\", \"device\": \"h20\"}\n"));

  const auto ran = run({"add", path("night.jsonl")});

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_THAT(ran.err, HasSubstr("tasks/a"));
  EXPECT_THAT(ran.err, HasSubstr("there is no device 'h20' to predict for"));
  EXPECT_THAT(names(), testing::IsEmpty());
}

TEST_F(QueueCommand, ANoteGoesWithEachJobAndALineOfAManifestMayHaveItsOwn) {
  ASSERT_TRUE(write_file_atomic(path("night.jsonl"),
                                "{\"directory\": \"tasks/c\"}\n"
                                "{\"directory\": \"tasks/a\", \"note\": \"the smaller one\"}\n"));

  const auto ran = run({"add", path("night.jsonl"), "--note", "before tiling"});
  const auto two_lines = run({"add", path("night.jsonl"), "--note", "two\nlines"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  ASSERT_EQ(daemon_.added().size(), 2U);
  EXPECT_EQ(daemon_.added()[0].note, "before tiling");
  EXPECT_EQ(daemon_.added()[1].note, "the smaller one");
  EXPECT_EQ(two_lines.code, ExitCode::bad_input);
  EXPECT_THAT(two_lines.err, HasSubstr("--note must be one line of at most 200 characters"));
}

TEST_F(QueueCommand, WhatIsNoTaskIsRefusedBeforeAnythingIsQueued) {
  ASSERT_TRUE(write_file_atomic(
      path("bad.jsonl"), "{\"directory\": \"tasks/a\"}\n{\"directory\": \"b\", \"prio\": 1}\n"));
  const auto manifest = run({"add", path("bad.jsonl")});
  const auto missing = run({"add", path("tasks/a"), path("elsewhere")});
  const auto empty = run({"add", path("tasks/none")});
  const auto pattern = run({"add", path("tasks/x*")});
  const auto late = run({"add", path("tasks"), "--deadline", "25:00"});

  EXPECT_THAT(manifest.err, HasSubstr("line 2: queue.add has no parameter 'prio'"));
  EXPECT_THAT(missing.err, HasSubstr("there is no task folder"));
  EXPECT_THAT(empty.err, HasSubstr("holds no task.toml"));
  EXPECT_THAT(pattern.err, HasSubstr("no task folder is at"));
  EXPECT_THAT(late.err, HasSubstr("--deadline wants a time as 22:00, +90m or +2h, not '25:00'"));
  for (const auto& ran : {manifest, missing, empty, pattern, late}) {
    EXPECT_EQ(ran.code, ExitCode::bad_input);
  }
  EXPECT_TRUE(daemon_.added().empty());
}

TEST_F(QueueCommand, TimesAreOfTheLocalClock) {
  constexpr std::int64_t kNow = 1'795'521'600'000;  // on a full hour
  EXPECT_EQ(moment_of("--deadline", "+90m", {kNow}).value(), kNow + 90 * 60'000);
  EXPECT_EQ(moment_of("--deadline", "+2h", {kNow}).value(), kNow + 120 * 60'000);
  for (const char* hour : {"00:00", "07:30", "23:59"}) {
    const auto at = moment_of("--deadline", hour, {kNow}).value();
    EXPECT_GT(at, kNow) << hour;
    EXPECT_LE(at, kNow + 25LL * 3'600'000) << hour;
  }
  for (const char* wrong : {"", "+", "+m", "7:30", "24:00", "12-30", "+5d"}) {
    EXPECT_FALSE(moment_of("--deadline", wrong, {kNow})) << wrong;
  }
}

TEST_F(QueueCommand, OrdersGoToTheJobsAndRefusalsAreShown) {
  const auto some = run({"pause", "7", "j-0000000008"});
  const auto all = run({"resume", "--all"});
  const auto none = run({"cancel"});

  EXPECT_EQ(some.code, ExitCode::negative);
  EXPECT_THAT(some.out, HasSubstr("1 job\nnot done: j-0000000008 has ended: done\n"));
  EXPECT_EQ(none.code, ExitCode::bad_input);
  EXPECT_THAT(none.err, HasSubstr("queue cancel wants jobs, or --all"));
  EXPECT_THAT(daemon_.orders(),
              ElementsAre("queue.pause", "j-0000000007", "j-0000000008", "queue.resume all"));
  EXPECT_EQ(all.code, ExitCode::negative);
}

TEST_F(QueueCommand, RulesShowWhatIsLeft) {
  const auto ran = run({"rules", "--quiet", "08:00-19:00", "--night", "gpu_seconds=3600"});
  const auto wrong = run({"rules", "--user", "gpu_seconds"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_EQ(daemon_.rules().quiet_hours, "08:00-19:00");
  EXPECT_EQ(daemon_.rules().night.at("gpu_seconds"), 3600);
  EXPECT_THAT(ran.out, HasSubstr("left 50 min 0 s of device time"));
  EXPECT_THAT(wrong.err, HasSubstr("--user wants an amount as gpu_seconds=3600"));
}

TEST_F(QueueCommand, TheReportNamesGainsAndWhatWasGivenUp) {
  const auto ran = run({"report"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Night 2026-11-24: 2 jobs, 1 failed, 1 improved"));
  EXPECT_THAT(ran.out, HasSubstr("2.50× (2.25× to 2.75×)  predicted"));
  EXPECT_THAT(ran.out, HasSubstr("j-0000000002 was given up: the worker?[31m died"));
  EXPECT_THAT(ran.out, HasSubstr("\nj-0000000001 note: before?[31m tiling\n"));
}

TEST_F(QueueCommand, TheMorningReportIsOneFileThatLoadsNothing) {
  const auto ran = run_words(
      {"report", "--last-night", "--html", path("night.html"), "--markdown", path("night.md")});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_EQ(ran.out, "");
  const auto html = read_file(path("night.html"), 1U << 20U).value();
  EXPECT_THAT(html, HasSubstr("<polyline points=\"0,36.0 80.0,36.0 160.0,0.0\"/>"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
  for (const char* loads : {"<script", "http:", "https:", "src=", "@import", "url("}) {
    EXPECT_EQ(html.find(loads), std::string::npos) << loads;
  }
  const auto markdown = read_file(path("night.md"), 1U << 20U).value();
  EXPECT_THAT(markdown, HasSubstr("# Night 2026-11-24\n\n2 jobs, 1 improved.\n"));
  EXPECT_THAT(markdown, HasSubstr("| gemm\\<script\\> |"));
  EXPECT_THAT(markdown, HasSubstr("2.50× (2.25× to 2.75×, 99 %), predicted"));
  EXPECT_THAT(markdown, HasSubstr("4 of 5 candidates lay inside"));
  EXPECT_THAT(markdown, HasSubstr("- gpu\\_seconds: 40 of 100"));
  EXPECT_THAT(markdown, HasSubstr("given up: the worker?\\[31m died; start 1: out of memory"));
}

}  // namespace
}  // namespace warpmind::clients
