#pragma once
/// \file
/// A sandbox as the lab makes it, a job folder, and ways to count what a job leaves behind.

#include "profilers/process/child_process.h"
#include "profilers/sandbox/sandbox.h"
#include "tests/unit/profilers/lab_places.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::profilers {

class SandboxFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(job() / "out");
    auto sandbox = Sandbox::create(config::LabSettings{});
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(std::move(*sandbox));
    if (!sandbox_->enabled()) GTEST_SKIP() << "no sandbox on this machine";
  }

  [[nodiscard]] std::filesystem::path job() const { return places_.path() / "job"; }

  [[nodiscard]] static std::filesystem::path program(const char* name) {
    return std::filesystem::path(WARPMIND_BINARY_DIR) / name;
  }

  /// The program with its arguments, as the lab would run it in `role`.
  [[nodiscard]] SandboxedCommand command(const char* name,
                                         std::vector<std::string> arguments) const {
    SandboxedCommand made;
    made.command = {program(name).string()};
    made.command.insert(made.command.end(), arguments.begin(), arguments.end());
    made.job_directory = job();
    made.read_only = {program(name)};
    return made;
  }

  ProcessOutcome run(SandboxRole role, SandboxedCommand made, std::chrono::milliseconds time) {
    if (role == SandboxRole::runner) made.writable = {job() / "out"};
    auto order = sandbox_->wrap(role, std::move(made));
    EXPECT_TRUE(order) << order.error().message;
    if (!order) return {};
    RunLimits limits;
    limits.deadline = std::chrono::steady_clock::now() + time;
    auto outcome = run_process(std::move(*order), limits, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(ProcessOutcome{});
  }

  LabPlaces places_;
  std::optional<Sandbox> sandbox_;
};

inline std::size_t count_mounts() {
  std::ifstream file("/proc/self/mountinfo");
  std::string line;
  std::size_t count = 0;
  while (std::getline(file, line)) ++count;
  return count;
}

/// Control groups of jobs of this process.
inline std::size_t count_groups() {
  const std::string prefix = "warpmind-" + std::to_string(::getpid()) + "-";
  std::size_t count = 0;
  std::error_code ec;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (auto it = std::filesystem::recursive_directory_iterator("/sys/fs/cgroup", options, ec);
       !ec && it != std::filesystem::recursive_directory_iterator(); it.increment(ec)) {
    if (it->path().filename().string().starts_with(prefix)) ++count;
  }
  return count;
}

}  // namespace warpmind::profilers
