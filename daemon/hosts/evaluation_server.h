#pragma once
/// \file
/// The worker's side: takes orders of its lane, judges them in its own lab, answers once each.

#include "daemon/hosts/evaluation_bus.h"
#include "daemon/hosts/evaluation_order.h"
#include "profilers/kernel_lab.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::daemon::hosts {

/// Gives the lab that an order is for: the one of this machine, or the prediction for `device`.
using LabForOrder =
    std::function<Result<std::shared_ptr<profilers::KernelLab>>(const std::string& device)>;

struct EvaluationServerOptions {
  LaneName lane;
  WorkerStamp stamp;
  DeviceIdentity device;  ///< as announced
  /// A sign of life that is so old means that this worker is gone.
  std::chrono::milliseconds lease{30'000};
  /// When the device cannot measure now, the order is somebody else's for so long at least.
  std::chrono::milliseconds unhealthy_pause{5000};
  std::chrono::milliseconds patience{1000};  ///< of one look into the queue
};

/// What happened to orders.
struct ServedCounts {
  std::int64_t judged = 0;      ///< answered with a verdict, a comparison or an error
  std::int64_t known = 0;       ///< somebody had answered already
  std::int64_t given_back = 0;  ///< the device was not fit
  std::int64_t given_up = 0;    ///< several workers had died on it
  std::int64_t discarded = 0;   ///< not understood
};

/// An order on which so many workers died is answered `blocked`, with their names.
inline constexpr std::size_t kMostStarts = 3;

/// Threads: one calls serve_orders(); a thread of its own gives signs of life meanwhile.
class EvaluationServer {
 public:
  EvaluationServer(EvaluationBus& bus, LabForOrder labs, EvaluationServerOptions options)
      : bus_(bus), labs_(std::move(labs)), options_(std::move(options)) {}

  /// Until `stop`: the order at hand is then given back. The bus may be away for any time.
  void serve_orders(const std::stop_token& stop);

  [[nodiscard]] ServedCounts counts() const;

 private:
  void serve(Delivery& delivery, const std::stop_token& stop);
  Result<EvaluationOrder> understand(const Delivery& delivery);
  Result<void> judge(Delivery& delivery, const EvaluationOrder& order, const std::stop_token& stop);
  Result<void> give_up(Delivery& delivery, const std::vector<std::string>& starts,
                       const std::stop_token& stop);
  Result<void> answer(Delivery& delivery, Answer said, const std::stop_token& stop);
  Answer ask_lab(const EvaluationOrder& order, const std::stop_token& stop);
  void count(std::int64_t ServedCounts::*member);

  EvaluationBus& bus_;
  LabForOrder labs_;
  EvaluationServerOptions options_;
  mutable std::mutex mutex_;
  ServedCounts counts_;
};

}  // namespace warpmind::daemon::hosts
