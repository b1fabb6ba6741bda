#pragma once
/// \file
/// A lab whose work is done on another host: orders go out, results come back, once each.

#include "base/clock.h"
#include "daemon/hosts/evaluation_bus.h"
#include "daemon/hosts/evaluation_order.h"
#include "profilers/kernel_lab.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::daemon::hosts {

struct RemoteLabOptions {
  Provider provider = Provider::gpu;
  LaneName lane;
  std::string device = {};  ///< lane sim: key of the device table to predict for
  std::string asker;        ///< id of this daemon's base
  /// How long the other side may be out of reach, or no worker there, before the call gives up.
  std::chrono::milliseconds patience{std::chrono::minutes(10)};
  /// Between two looks at the result, at most.
  std::chrono::milliseconds look{250};
};

/// Does:      post the order, look for its result, post it again when the queue lost it.
/// Does not:  judge, decide who works, or believe a result of another order.
/// Threads:   any; calls wait side by side.
class RemoteKernelLab final : public profilers::KernelLab {
 public:
  RemoteKernelLab(std::shared_ptr<EvaluationBus> bus, RemoteLabOptions options)
      : bus_(std::move(bus)), options_(std::move(options)) {}

  [[nodiscard]] Provider provider() const override { return options_.provider; }
  /// As a worker that is there announced it. Errors: unavailable when none is.
  [[nodiscard]] Result<DeviceIdentity> device() override;
  /// Errors: also unavailable when no worker answered in time: nothing was found out then, and the
  /// same question later takes up the same order.
  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override;
  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token stop) override;

 private:
  Result<EvaluationResult> ask(Question question, const profilers::JudgeOrder& order,
                               const std::stop_token& stop);
  Result<EvaluationResult> wait_for(const std::string& id, const std::string& body,
                                    const std::stop_token& stop);
  Result<std::optional<EvaluationResult>> look_for(const std::string& id);
  Result<bool> is_served();

  std::shared_ptr<EvaluationBus> bus_;
  RemoteLabOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> answered_;  ///< by content: answers that a caller got
};

}  // namespace warpmind::daemon::hosts
