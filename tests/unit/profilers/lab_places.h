#pragma once
/// \file
/// Fresh folders, settings and process look-ups for the tests of profilers/.

#include "base/file.h"
#include "config/settings.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::profilers {

/// Worker, judge and simulator of this build in the places of those that are installed.
inline void use_own_programs(config::Settings& settings) {
  const std::filesystem::path binaries(WARPMIND_BINARY_DIR);
  settings.lab.worker = binaries / "warpmind-worker";
  settings.lab.judge = binaries / "warpmind-judge";
  settings.lab.simulator = binaries.parent_path() / "lib" / "simulator";
}

/// A fresh folder a test. Its path marks the processes that the test starts.
class LabPlaces {
 public:
  LabPlaces()
      : directory_(
            ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-test").value()) {}

  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }

  [[nodiscard]] config::Settings settings() const {
    config::Settings settings;
    settings.toolchain.cache_directory = path() / "cache";
    settings.lab.scratch_directory = path() / "scratch";
    settings.daemon.state_directory = path() / "state";
    std::filesystem::create_directories(settings.daemon.state_directory);
    settings.lab.prefilter = false;  // the stand-in for a GPU is no runner for the simulator
    return settings;
  }

  /// Of the lab with the real judge and the fake runner of that behaviour in the GPU's place.
  [[nodiscard]] config::Settings settings(const std::string& behaviour) const {
    config::Settings made = settings();
    use_own_programs(made);
    made.lab.worker = runner(behaviour);
    return made;
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name, std::ios::binary) << text;
    return path() / name;
  }

  /// A copy of the fake runner; its file name says how it behaves (fake_runner.cpp).
  [[nodiscard]] std::filesystem::path runner(const std::string& behaviour) const {
    const auto program = path() / behaviour;
    std::filesystem::copy_file(std::filesystem::path(WARPMIND_BINARY_DIR) / "fake_runner", program,
                               std::filesystem::copy_options::overwrite_existing);
    return program;
  }

  /// Living processes (not zombies) whose command line names this folder.
  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> found;
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ec)) {
      const std::string pid = entry.path().filename().string();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      // A process that ends meanwhile has no command line: reading it fails.
      const auto line = read_file(entry.path() / "cmdline", 1U << 20U);
      if (line && line->find(path().string()) != std::string::npos) {
        found.push_back(pid + " " + *line);
      }
    }
    return found;
  }

  /// Waits for the kernel to tear a killed namespace down; false after 20 s.
  [[nodiscard]] bool all_processes_gone() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!processes().empty()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

 private:
  ScratchDirectory directory_;
};

}  // namespace warpmind::profilers
