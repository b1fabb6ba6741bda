#include "profilers/worker_session.h"

#include "lab_places.h"
#include "profilers/runner_pool.h"

#include <csignal>
#include <ostream>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

enum class Walls { sandbox, none };
std::ostream& operator<<(std::ostream& out, Walls walls) {
  return out << (walls == Walls::sandbox ? "sandbox" : "bare");
}

/// Every bad end is tried inside the sandbox and bare: behaviour must not depend on the walls.
class WorkerSessionTest : public ::testing::TestWithParam<Walls> {
 protected:
  void SetUp() override {
    config::LabSettings settings;
    settings.unsafe_no_sandbox = GetParam() == Walls::none;
    auto sandbox = Sandbox::create(settings);
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(std::move(*sandbox));
  }

  RunnerPlace place(const std::string& behaviour) {
    return {places_.runner(behaviour), places_.path() / "scratch", {}, 0};
  }

  WorkerSession start(const std::string& behaviour) {
    auto session = WorkerSession::start(*sandbox_, place(behaviour));
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
  }

  RunnerAnswer ask(const std::string& behaviour, double seconds = 60) {
    auto session = start(behaviour);
    auto answer = session.run_job(RunnerJob{}, seconds, {});
    EXPECT_TRUE(answer) << answer.error().message;
    return answer.value_or(RunnerAnswer{});
  }

  void TearDown() override { EXPECT_TRUE(places_.all_processes_gone()); }

  LabPlaces places_;
  std::optional<Sandbox> sandbox_;
};
INSTANTIATE_TEST_SUITE_P(Walls, WorkerSessionTest, ::testing::Values(Walls::sandbox, Walls::none),
                         [](const auto& walls) {
                           return walls.param == Walls::sandbox ? "Sandbox" : "Bare";
                         });

struct BadEnd {
  const char* behaviour;
  const char* reason;
};

TEST_P(WorkerSessionTest, EveryBadEndIsACrashWithItsReason) {
  const BadEnd ends[] = {
      {"garbage", "the runner's report cannot be read: "},
      {"half_line", "the runner exited with code 0"},
      {"endless_line", "wrote what is no report"},
      {"abort", "was killed by signal 6 (Aborted)"},
      {"segfault", "was killed by signal 11 (Segmentation fault)"},
      {"exit3", "the runner exited with code 3"},
      {"complains", "the runner exited with code 4: cannot find the moon"},
  };
  for (const auto& end : ends) {
    const auto answer = ask(end.behaviour);
    EXPECT_FALSE(answer.report) << end.behaviour;
    EXPECT_EQ(answer.outcome, Outcome::crashed) << end.behaviour;
    EXPECT_THAT(answer.reason, HasSubstr(end.reason)) << end.behaviour;
  }
}

TEST_P(WorkerSessionTest, AHangIsATimeOut) {
  const auto answer = ask("hang", 0.3);

  EXPECT_FALSE(answer.report);
  EXPECT_EQ(answer.outcome, Outcome::timed_out);
  EXPECT_THAT(answer.reason, HasSubstr("did not finish within its time"));
}

TEST_P(WorkerSessionTest, AGigabyteOfTextDoesNotMatter) {
  const auto answer = ask("gigabyte_of_text");

  ASSERT_TRUE(answer.report) << answer.reason;
  EXPECT_EQ(answer.report->device.name, "gigabyte_of_text");
}

TEST_P(WorkerSessionTest, AForkLeavesNothingBehind) {
  const auto answer = ask("fork");

  ASSERT_TRUE(answer.report) << answer.reason;
  EXPECT_EQ(answer.report->device.driver, GetParam() == Walls::sandbox ? "refused" : "forked");
}

TEST_P(WorkerSessionTest, AStopIsCancelled) {
  auto session = start("hang");
  std::stop_source source;
  std::jthread stopper([&source] { source.request_stop(); });

  const auto answer = session.run_job(RunnerJob{}, 60, source.get_token());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::cancelled);
  EXPECT_FALSE(session.alive());
}

TEST_P(WorkerSessionTest, RunsInItsOwnJobDirectory) {
  auto session = start("looks_around");
  const auto binary = places_.write("some.cubin", "cubin");
  ASSERT_EQ(session.add_binary(binary, "candidate").value(), "bin/candidate");
  std::ofstream(session.directory() / "in" / "x") << "input";

  const auto answer = session.run_job(RunnerJob{}, 60, {});

  ASSERT_TRUE(answer && answer->report);
  const auto& seen = answer->report->device;
  EXPECT_THAT(seen.uuid, AllOf(HasSubstr("./bin/candidate;"), HasSubstr("./in/x;")));
  EXPECT_TRUE(std::filesystem::exists(session.directory() / "out" / "written"));
  if (GetParam() == Walls::sandbox) {
    EXPECT_EQ(seen.driver, "/job");
    EXPECT_EQ(seen.runtime, "in read-only");
  }
}

TEST_P(WorkerSessionTest, ItsFilesGoWithIt) {
  std::filesystem::path directory;
  {
    auto session = start("stand_in");
    directory = session.directory();
    EXPECT_TRUE(std::filesystem::exists(directory));
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_P(WorkerSessionTest, PoolHandsOutFreshRunners) {
  RunnerPool pool(*sandbox_, place("stand_in"));

  auto first = pool.take({});
  pool.refill();
  pool.settle({});
  auto second = pool.take({});

  ASSERT_TRUE(first && second);
  EXPECT_NE(first->pid(), second->pid());
  EXPECT_NE(first->directory(), second->directory());
  EXPECT_EQ(pool.device({}).value().name, "NVIDIA H200");
}

TEST_P(WorkerSessionTest, PoolReplacesASpareThatDied) {
  RunnerPool pool(*sandbox_, place("stand_in"));
  pool.refill();
  pool.settle({});
  for (const auto& line : places_.processes()) ::kill(std::stoi(line), SIGKILL);
  ASSERT_TRUE(places_.all_processes_gone());

  auto session = pool.take({});

  ASSERT_TRUE(session) << session.error().message;
  EXPECT_TRUE(session->alive());
}

TEST_P(WorkerSessionTest, PoolReportsRunnersThatDoNotStart) {
  RunnerPool pool(*sandbox_, place("complains"));

  const auto session = pool.take({});

  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Errc::external_failure);
  EXPECT_THAT(session.error().message, HasSubstr("cannot find the moon"));
}

TEST_P(WorkerSessionTest, PoolAsksAMachineWithoutDeviceOnce) {
  const auto program = place("no_device");
  RunnerPool pool(*sandbox_, program);

  const auto first = pool.take({});
  std::filesystem::remove(program.program);  // another start would fail with another error
  const auto second = pool.take({});

  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Errc::unavailable);
  EXPECT_THAT(first.error().message, StartsWith("no CUDA device"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), first.error());
}

TEST_P(WorkerSessionTest, PoolStopsWaitingWhenAsked) {
  RunnerPool pool(*sandbox_, place("hang"));
  std::stop_source source;
  std::jthread stopper([&source] { source.request_stop(); });

  const auto session = pool.take(source.get_token());

  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Errc::cancelled);
}

TEST(VisibleDevice, PicksAmongThoseOfTheDaemon) {
  EXPECT_EQ(visible_device(0, ""), "0");
  EXPECT_EQ(visible_device(3, ""), "3");
  EXPECT_EQ(visible_device(1, "4,7,2"), "7");
  EXPECT_EQ(visible_device(2, "4,7,2"), "2");
  EXPECT_EQ(visible_device(3, "4,7,2"), "-1");
  EXPECT_EQ(visible_device(0, "GPU-abc,GPU-def"), "GPU-abc");
}

}  // namespace
}  // namespace warpmind::profilers
