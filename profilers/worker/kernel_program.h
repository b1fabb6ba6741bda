#pragma once
/// \file
/// A candidate as something that runs: a loaded cubin and its launch plan (tier A), or a host
/// entry of a shared object (tier B), bound to addresses.

#include "base/result.h"
#include "profilers/job/runner_job.h"
#include "profilers/worker/case_memory.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// A loaded binary. Must outlive the plans bound to it.
class LoadedBinary {
 public:
  virtual ~LoadedBinary() = default;

  /// Errors: not_found for the file; external_failure with CUDA's or the loader's words.
  [[nodiscard]] static Result<std::unique_ptr<LoadedBinary>> load(const Program& program);

  /// What a library call chose among its algorithms (profilers/baseline/templates); else empty.
  [[nodiscard]] virtual std::string choice() const { return {}; }
};

/// A launch plan with every argument bound for one memory: enqueue_on() only enqueues.
class BoundPlan {
 public:
  virtual ~BoundPlan() = default;

  /// Binds `program` (whose binary is `binary`). Errors: invalid_argument when the plan names no
  /// such kernel, buffer or parameter; external_failure when the device refuses an attribute.
  [[nodiscard]] static Result<std::unique_ptr<BoundPlan>> bind(LoadedBinary& binary,
                                                               const Program& program,
                                                               const Addresses& addresses);

  /// Zeroes the scratch that asks for it, then launches in order. Asynchronous, in parts:
  /// enqueue_on() = zero_scratch() + launch().
  [[nodiscard]] Result<void> enqueue_on(cudaStream_t stream) const {
    WARPMIND_CHECK(zero_scratch(stream));
    return launch(stream);
  }
  [[nodiscard]] Result<void> zero_scratch(cudaStream_t stream) const;
  [[nodiscard]] virtual Result<void> launch(cudaStream_t stream) const = 0;
  /// As launch(), with `after` called with the number of each launch once it is on the stream;
  /// never where a host function launches.
  using AfterLaunch = std::function<Result<void>(std::size_t)>;
  [[nodiscard]] virtual Result<void> launch_in_steps(cudaStream_t stream,
                                                     const AfterLaunch& /*after*/) const {
    return launch(stream);
  }

  /// Operations that one run puts on the stream.
  [[nodiscard]] std::size_t operations() const { return zeroed_.size() + launches_; }

 protected:
  struct Zeroed {
    std::byte* memory;
    std::size_t bytes;
    std::string name;
  };
  std::vector<Zeroed> zeroed_;
  std::size_t launches_ = 0;
};

}  // namespace warpmind::profilers
