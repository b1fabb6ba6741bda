#include "profilers/process/line_session.h"
#include "tests/sandbox/outside.h"
#include "tests/sandbox/sandbox_fixture.h"

#include <iostream>
#include <sstream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

constexpr auto kTime = std::chrono::minutes(2);
/// With all rights of the machine; the rest depends on how its kernel was configured.
constexpr std::size_t kOpenForRoot = 50;
constexpr std::size_t kOpenForAnyone = 30;

struct ListedAttempt {
  std::string name;
  bool needs_root = false;
};

/// T-ESC: ways out of the sandbox, each tried for real, inside and outside.
class EscapeTest : public SandboxFixture {
 protected:
  void SetUp() override {
    SandboxFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    outside_.emplace(places_.path() / "home", program("escape_attempts"));
    std::istringstream lines(bare({"list"}).output);
    std::string right;
    for (ListedAttempt one; lines >> one.name >> right;) {
      one.needs_root = right == "root";
      attempts_.push_back(one);
    }
    ASSERT_GE(attempts_.size(), 60U);
  }

  ProcessOutcome bare(const std::vector<std::string>& arguments) {
    ProcessOrder order;
    order.command = {program("escape_attempts").string()};
    order.command.insert(order.command.end(), arguments.begin(), arguments.end());
    order.environment = {"WARPMIND_TEST_SECRET=" + Outside::secret()};
    order.working_directory = job() / "out";
    RunLimits limits;
    limits.deadline = std::chrono::steady_clock::now() + kTime;
    auto outcome = run_process(std::move(order), limits, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(ProcessOutcome{});
  }

  std::vector<std::string> arguments_of(const ListedAttempt& attempt) {
    outside_->restore();
    std::vector<std::string> arguments = outside_->arguments();
    arguments.insert(arguments.begin(), attempt.name);
    return arguments;
  }

  std::optional<Outside> outside_;
  std::vector<ListedAttempt> attempts_;
};

TEST_F(EscapeTest, NoneSucceedsInside) {
  ::setenv("WARPMIND_TEST_SECRET", Outside::secret().c_str(), 1);
  for (const auto role : {SandboxRole::compiler, SandboxRole::runner}) {
    std::size_t held = 0;
    for (const auto& attempt : attempts_) {
      const auto outcome = run(role, command("escape_attempts", arguments_of(attempt)), kTime);
      EXPECT_TRUE(outcome.output.starts_with("held " + attempt.name))
          << outcome.output << outcome.diagnostics << describe(outcome.end);
      if (outcome.output.starts_with("held ")) ++held;
    }
    std::cout << (role == SandboxRole::runner ? "runner" : "compiler") << ": "
              << attempts_.size() - held << " of " << attempts_.size() << " attempts succeed\n";
  }
  std::cout << "layers: " << sandbox_->layers().standing()
            << "; missing: " << sandbox_->layers().missing() << '\n';
  ::unsetenv("WARPMIND_TEST_SECRET");
}

/// Attempts that cannot succeed anywhere would prove nothing.
TEST_F(EscapeTest, MostSucceedOutside) {
  const bool root = ::getuid() == 0;
  std::size_t tried = 0;
  std::size_t escaped = 0;
  std::string held;
  for (const auto& attempt : attempts_) {
    if (attempt.needs_root && !root) continue;
    ++tried;
    const auto outcome = bare(arguments_of(attempt));
    if (outcome.output.starts_with("escaped ")) {
      ++escaped;
    } else {
      held += "  " + outcome.output;
    }
  }
  std::cout << "outside, as " << (root ? "root" : "an ordinary user") << ": " << escaped << " of "
            << tried << " attempts succeed; the others:\n"
            << held;
  EXPECT_GE(escaped, root ? kOpenForRoot : kOpenForAnyone);
}

}  // namespace
}  // namespace warpmind::profilers
