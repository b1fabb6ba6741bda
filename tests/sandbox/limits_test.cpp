#include "tests/sandbox/sandbox_fixture.h"

#include <cstdlib>
#include <iostream>
#include <ostream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kLong = milliseconds(120'000);  // for what ends by itself
constexpr auto kShort = milliseconds(400);     // for what never does
constexpr std::uint64_t kMemory = std::uint64_t{256} * 1024 * 1024;

long number_of(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

/// T-LIM: every job ends, and nothing of it is left. LIMIT_ROUNDS and LIMIT_FILES make it longer.
class LimitsTest : public SandboxFixture, public ::testing::WithParamInterface<SandboxRole> {
 protected:
  void SetUp() override {
    SandboxFixture::SetUp();
    mounts_ = count_mounts();
  }

  ProcessOutcome attack(const char* name, milliseconds time) {
    SandboxedCommand made =
        command("limit_attacks", {name, std::to_string(number_of("LIMIT_FILES", 20'000)), mark()});
    made.memory_bytes = kMemory;
    made.limits.file_bytes = std::uint64_t{512} * 1024 * 1024;
    auto outcome = run(GetParam(), std::move(made), time);
    EXPECT_EQ(outcome.stuck, nullptr) << name;
    expect_nothing_left(name);
    return outcome;
  }

  [[nodiscard]] std::string mark() const { return places_.path().string(); }

  /// No waiting here: the end of the job is the end of all that it started.
  void expect_nothing_left(const char* name) {
    EXPECT_THAT(places_.processes(), ::testing::IsEmpty()) << name;
    EXPECT_EQ(count_mounts(), mounts_) << name;
    EXPECT_EQ(count_groups(), 0U) << name;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(job())) {
      EXPECT_TRUE(entry.path().filename() == "out" || entry.path().filename() == "much")
          << name << " left " << entry.path();
    }
  }

  [[nodiscard]] bool may_fork() const { return GetParam() != SandboxRole::runner; }

  void attack_all() {
    const auto bomb = attack("fork_bomb", kShort);
    EXPECT_EQ(bomb.end.kind, EndKind::deadline);
    EXPECT_THAT(bomb.output, Not(HasSubstr("unbounded")));

    EXPECT_EQ(attack("write_much", kLong).output, "held\n");

    const auto memory =
        attack("allocate_much", sandbox_->layers().active("memory") ? kLong : kShort);
    EXPECT_THAT(memory.output, Not(HasSubstr("unbounded")));
    if (sandbox_->layers().active("memory")) {
      EXPECT_EQ(memory.end.signal(), SIGKILL);
    }

    const auto flood = attack("flood", kLong);
    EXPECT_TRUE(flood.end.success()) << describe(flood.end);
    EXPECT_TRUE(flood.cut);
    EXPECT_EQ(flood.output.size(), RunLimits{}.output_bytes);
    EXPECT_EQ(flood.diagnostics.size(), RunLimits{}.output_bytes);

    EXPECT_NE(attack("many_files", kLong).end.kind, EndKind::deadline);
    for (const char* name : {"spin", "ignore_signals", "close_pipes"}) {
      EXPECT_EQ(attack(name, kShort).end.kind, EndKind::deadline) << name;
    }
    const auto orphan = attack("fork_twice", kLong);
    EXPECT_TRUE(orphan.end.success()) << describe(orphan.end);
    EXPECT_EQ(orphan.output.starts_with("held"), !may_fork()) << orphan.output;
    EXPECT_THAT(attack("become_daemon", kLong).output, HasSubstr(may_fork() ? "daemon" : "held"));
  }

  std::size_t mounts_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Roles, LimitsTest,
                         ::testing::Values(SandboxRole::compiler, SandboxRole::runner),
                         [](const auto& role) {
                           return role.param == SandboxRole::runner ? "Runner" : "Compiler";
                         });

TEST_P(LimitsTest, EveryJobEndsAndLeavesNothing) {
  const long rounds = number_of("LIMIT_ROUNDS", 1);
  for (long i = 0; i < rounds && !HasFailure(); ++i) attack_all();
  std::cout << "10 attacks x " << rounds << ", layers: " << sandbox_->layers().standing()
            << "; missing: " << sandbox_->layers().missing() << '\n';
}

}  // namespace
}  // namespace warpmind::profilers
