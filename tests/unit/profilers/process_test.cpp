#include "lab_places.h"
#include "profilers/process/child_process.h"
#include "profilers/process/line_session.h"
#include "profilers/process/owner_mark.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <stop_token>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Deadline in_seconds(int seconds) {
  return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

ProcessOrder shell(const std::string& script, const std::string& mark = "sh") {
  ProcessOrder order;
  order.command = {"/bin/sh", "-c", script, mark};
  order.environment = {"PATH=/usr/bin:/bin"};
  return order;
}

ProcessOutcome run(ProcessOrder order, RunLimits limits = {}, std::string_view input = {}) {
  if (!limits.deadline) limits.deadline = in_seconds(60);
  auto outcome = run_process(std::move(order), limits, {}, input);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome.value_or(ProcessOutcome{});
}

TEST(RunProcess, GivesOutputDiagnosticsReportAndExitCode) {
  const auto outcome = run(shell("echo out; echo err >&2; echo rep >&3; exit 7"));

  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.diagnostics, "err\n");
  EXPECT_EQ(outcome.report, "rep\n");
  EXPECT_EQ(outcome.end, (ProcessEnd{EndKind::exited, 7}));
}

TEST(RunProcess, FeedsInputLargerThanAPipe) {
  const std::string input(300'000, 'a');

  const auto outcome = run(shell("wc -c"), {}, input);

  EXPECT_THAT(outcome.output, HasSubstr("300000"));
}

TEST(RunProcess, SurvivesAChildThatDoesNotReadItsInput) {
  const std::string input(3'000'000, 'a');

  const auto outcome = run(shell("exec <&-; exit 2"), {}, input);

  EXPECT_EQ(outcome.end.code, 2);
}

TEST(RunProcess, PassesNoOtherEnvironment) {
  ::setenv("WARPMIND_TEST_SECRET", "s3cret", 1);

  const auto outcome = run(shell("env"));

  EXPECT_THAT(outcome.output, HasSubstr("PATH=/usr/bin:/bin"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("s3cret")));
}

TEST(RunProcess, PassesNoOtherDescriptor) {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // on purpose without O_CLOEXEC
  ASSERT_TRUE(leaky);

  // 0-3 are ours; the last one is ls reading the folder.
  const auto outcome = run(shell("ls /proc/self/fd"));

  EXPECT_EQ(outcome.output, "0\n1\n2\n3\n4\n");
}

TEST(RunProcess, HandsNamedDescriptorsOverFromFour) {
  LabPlaces places;
  const auto file = places.write("handed", "handed over");
  auto order = shell("cat <&4");
  order.inherited.emplace_back(::open(file.c_str(), O_RDONLY | O_CLOEXEC));

  EXPECT_EQ(run(std::move(order)).output, "handed over");
}

TEST(RunProcess, NamesTheSignal) {
  const auto outcome = run(shell("kill -SEGV $$"));

  EXPECT_EQ(outcome.end, (ProcessEnd{EndKind::signalled, SIGSEGV}));
  EXPECT_EQ(describe(outcome.end), "was killed by signal 11 (Segmentation fault)");
}

TEST(RunProcess, CutsAGigabyteOfOutputWithoutBlockingOrKeepingIt) {
  RunLimits limits;
  limits.output_bytes = 1000;

  const auto outcome = run(shell("head -c 1073741824 /dev/zero; echo done >&2"), limits);

  EXPECT_TRUE(outcome.end.success());
  EXPECT_EQ(outcome.output.size(), 1000U);
  EXPECT_TRUE(outcome.cut);
  EXPECT_EQ(outcome.diagnostics, "done\n");
}

TEST(RunProcess, EndsAChildOverItsOutputLimitWhenAsked) {
  RunLimits limits;
  limits.output_bytes = 1000;
  limits.end_on_output_limit = true;

  const auto outcome = run(shell("cat /dev/zero"), limits);

  EXPECT_EQ(outcome.end.kind, EndKind::output_limit);
}

TEST(RunProcess, EndsAtTheDeadlineWithItsWholeTree) {
  LabPlaces places;
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);

  // The inner shells carry the mark in their command lines.
  const auto outcome = run(shell("sh -c 'sleep 600 & wait' " + places.path().string() + " & wait",
                                 places.path().string()),
                           limits);

  EXPECT_EQ(outcome.end.kind, EndKind::deadline);
  EXPECT_TRUE(places.all_processes_gone());
}

TEST(RunProcess, KillsWhatAFinishedChildLeftBehind) {
  LabPlaces places;

  const auto outcome =
      run(shell("sh -c 'while :; do sleep 1; done' " + places.path().string() + " & exit 0"));

  EXPECT_TRUE(outcome.end.success());
  EXPECT_TRUE(places.all_processes_gone());
}

TEST(RunProcess, EndsWhenAskedToStop) {
  std::stop_source source;
  RunLimits limits;
  limits.deadline = in_seconds(60);
  std::jthread stopper([&source] { source.request_stop(); });

  const auto outcome = run_process(shell("sleep 600"), limits, source.get_token());

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end.kind, EndKind::cancelled);
}

TEST(RunProcess, ReportsAProgramThatIsNotThere) {
  ProcessOrder order;
  order.command = {"/nonexistent/program"};

  const auto outcome = run_process(std::move(order), {}, {});

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::not_found);
  EXPECT_THAT(outcome.error().message, HasSubstr("/nonexistent/program"));
}

TEST(RunProcess, HoldsTheChildToItsLimits) {
  LabPlaces places;
  auto order = shell("ulimit -c; head -c 5000 /dev/zero > big");
  order.working_directory = places.path();
  order.limits.file_bytes = 1000;

  const auto outcome = run(std::move(order));

  EXPECT_THAT(outcome.output, StartsWith("0\n"));  // no core files
  EXPECT_FALSE(outcome.end.success());
  EXPECT_LE(std::filesystem::file_size(places.path() / "big"), 1000U);
}

LineSession start(const std::string& script, std::size_t line_bytes = 1 << 20) {
  SessionLimits limits;
  limits.line_bytes = line_bytes;
  auto session = LineSession::start(shell(script), limits);
  EXPECT_TRUE(session) << session.error().message;
  return std::move(*session);
}

TEST(RunProcess, LetsOthersGoFirstWhenAsked) {
  ProcessOrder order = shell("nice");
  order.limits.niceness = 7;
  EXPECT_EQ(run(std::move(order)).output, "7\n");
}

/// A process that bears the mark of another and outlives it, as bubblewrap's child can.
class MarkedProcess {
 public:
  /// `elsewhere`: its mark is of another PID namespace.
  explicit MarkedProcess(bool elsewhere = false) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd read_end(ends[0]);
    const UniqueFd write_end(ends[1]);
    owner_ = ::fork();
    if (owner_ == 0) be_owner(write_end.get(), elsewhere);
    pid_t pid = -1;
    EXPECT_EQ(::read(read_end.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    process_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  MarkedProcess(const MarkedProcess&) = delete;
  MarkedProcess& operator=(const MarkedProcess&) = delete;
  ~MarkedProcess() {
    kill_owner();
    ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  }

  void kill_owner() {
    if (owner_ <= 0) return;
    ::kill(owner_, SIGKILL);
    ::waitpid(std::exchange(owner_, -1), nullptr, 0);
  }
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const {
    return has_ended(process_, static_cast<int>(time.count()));
  }

 private:
  [[noreturn]] static void be_owner(int pid_out, bool elsewhere) {
    std::string mark = owner_mark();
    if (elsewhere) {
      const auto number = mark.find('[') + 1;
      mark.replace(number, mark.find(']') - number, "1");
    }
    if (const pid_t pid = ::fork(); pid != 0) {
      if (::write(pid_out, &pid, sizeof pid) < 0) ::_exit(1);
      while (true) ::pause();
    }
    std::array<char*, 2> environment{mark.data(), nullptr};
    ::execle("/bin/sleep", "sleep", "1000", nullptr, environment.data());
    ::_exit(127);
  }

  pid_t owner_ = -1;
  UniqueFd process_;
};

TEST(OwnerMark, WhatAKilledProcessLeftIsEndedAndWhatALivingOneHasIsNot) {
  MarkedProcess of_the_living;
  MarkedProcess of_the_dead;
  of_the_dead.kill_owner();
  EXPECT_FALSE(of_the_dead.ends_within(std::chrono::milliseconds(0)));

  end_orphans();

  EXPECT_TRUE(of_the_dead.ends_within(std::chrono::minutes(1)));
  EXPECT_FALSE(of_the_living.ends_within(std::chrono::milliseconds(0)));
}

/// A daemon outside of a container sees the container's processes, under other numbers.
TEST(OwnerMark, WhatBelongsToAnotherNamespaceIsLeftAlone) {
  MarkedProcess of_a_container(true);
  MarkedProcess of_the_dead;
  of_a_container.kill_owner();
  of_the_dead.kill_owner();

  end_orphans();

  EXPECT_TRUE(of_the_dead.ends_within(std::chrono::minutes(1)));
  EXPECT_FALSE(of_a_container.ends_within(std::chrono::milliseconds(0)));
}

TEST(LineSession, ExchangesSeveralLines) {
  auto session = start("while read l; do echo \"got $l\" >&3; done");

  EXPECT_EQ(session.exchange("one", in_seconds(60), {}).line, "got one");
  EXPECT_EQ(session.exchange("two", in_seconds(60), {}).line, "got two");
  EXPECT_TRUE(session.alive());
  EXPECT_TRUE(session.close(in_seconds(60)).success());
  EXPECT_FALSE(session.alive());
}

TEST(LineSession, KeepsChatterApartFromAnswers) {
  auto session = start("read l; echo chatter; echo '{}' >&3; echo more >&2");

  EXPECT_EQ(session.exchange("x", in_seconds(60), {}).line, "{}");
  session.close(in_seconds(60));
  EXPECT_EQ(session.captured_output(), "chatter\n");
  EXPECT_EQ(session.captured_diagnostics(), "more\n");
}

TEST(LineSession, TakesNoAnswerBeforeTheQuestion) {
  LabPlaces places;
  const auto marker = places.path() / "forged";
  auto session = start("echo forged >&3; touch '" + marker.string() + "'; read l; echo real >&3");
  while (!std::filesystem::exists(marker)) std::this_thread::yield();

  const auto answer = session.exchange("x", in_seconds(60), {});

  EXPECT_FALSE(answer.line);
  EXPECT_FALSE(session.alive());
}

TEST(LineSession, EndsOnALineOverTheLimit) {
  auto session = start("read l; cat /dev/zero >&3", 1000);

  const auto answer = session.exchange("x", in_seconds(60), {});

  EXPECT_FALSE(answer.line);
  EXPECT_EQ(answer.end.kind, EndKind::output_limit);
  EXPECT_FALSE(session.alive());
}

TEST(LineSession, TakesAnAnswerWrittenJustBeforeTheEnd) {
  auto session = start("read l; echo bye >&3; exit 0");

  EXPECT_EQ(session.exchange("x", in_seconds(60), {}).line, "bye");
}

TEST(LineSession, ReportsHalfALineAsTheEnd) {
  auto session = start("read l; printf half >&3; exit 6");

  const auto answer = session.exchange("x", in_seconds(60), {});

  EXPECT_FALSE(answer.line);
  EXPECT_EQ(answer.end, (ProcessEnd{EndKind::exited, 6}));
}

TEST(LineSession, EndsWhenAskedToStop) {
  auto session = start("read l; sleep 600");
  std::stop_source source;
  std::jthread stopper([&source] { source.request_stop(); });

  EXPECT_EQ(session.exchange("x", in_seconds(60), source.get_token()).end.kind, EndKind::cancelled);
}

}  // namespace
}  // namespace warpmind::profilers
