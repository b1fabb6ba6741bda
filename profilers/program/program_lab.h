#pragma once
/// \file
/// Says whether a user's program can be a task, and how long its kernels take.

#include "base/model/program_check.h"
#include "base/model/program_task.h"
#include "base/result.h"
#include "profilers/device_turn.h"
#include "profilers/lab/scratch_root.h"
#include "profilers/program/program_place.h"
#include "profilers/sandbox/sandbox.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace warpmind::profilers {

/// Fewest runs of a check: two must agree.
inline constexpr std::int64_t kLeastProgramRuns = 2;
inline constexpr std::int64_t kMostProgramRuns = 20;

/// Builds and runs copies of users' programs in the sandbox. Times come from the CUDA runtime or
/// driver (measured by CUPTI, predicted by the simulator), never from what a program prints.
///
/// Threads: any; `turn` is held while a program runs: alone for the first run, which is measured,
/// shared for those that only say passed or failed.
class ProgramLab {
 public:
  using Progress = std::function<void(const std::string& line)>;

  /// Errors: unavailable when the sandbox does not start or there is no room for files.
  [[nodiscard]] static Result<std::unique_ptr<ProgramLab>> create(const config::Settings& settings,
                                                                  ProgramPlace place,
                                                                  std::shared_ptr<DeviceTurn> turn);

  [[nodiscard]] const ProgramPlace& place() const { return place_; }

  /// The controls of base/model/program_check.h, in order, stopping at the first that refuses. A
  /// program that is refused is a value. Errors: cancelled; invalid_argument for the folder;
  /// external_failure.
  [[nodiscard]] Result<ProgramCheck> check(const ProgramTask& task,
                                           const std::filesystem::path& folder, std::int64_t runs,
                                           const std::stop_token& stop,
                                           const Progress& progress = {}) const;

 private:
  ProgramLab(std::unique_ptr<Sandbox> sandbox, ScratchRoot scratch, ProgramPlace place,
             std::shared_ptr<DeviceTurn> turn)
      : sandbox_(std::move(sandbox)),
        scratch_(std::move(scratch)),
        place_(std::move(place)),
        turn_(std::move(turn)) {}

  std::unique_ptr<Sandbox> sandbox_;
  ScratchRoot scratch_;
  ProgramPlace place_;
  std::shared_ptr<DeviceTurn> turn_;
};

}  // namespace warpmind::profilers
