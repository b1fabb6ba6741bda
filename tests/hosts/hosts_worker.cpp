// A worker whose lab takes its time and knows the answer: for tests that kill it.
// hosts_worker URL LEASE_MS JUDGING_MS
#include "base/log.h"
#include "base/sleep.h"
#include "daemon/hosts/buses.h"
#include "daemon/hosts/evaluation_server.h"
#include "tests/fakes/scripted_kernel_lab.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

using namespace warpmind;  // NOLINT(google-build-using-namespace): the program itself

/// Time of a kernel: what follows "time " in its source, microseconds.
std::optional<double> time_of(const Kernel& kernel) {
  const auto at = kernel.source.find("time ");
  return at == std::string::npos ? 1 : std::strtod(kernel.source.c_str() + at + 5, nullptr);
}

class SlowLab final : public profilers::KernelLab {
 public:
  explicit SlowLab(std::chrono::milliseconds time) : time_(time) {}
  [[nodiscard]] Provider provider() const override { return Provider::gpu; }
  [[nodiscard]] Result<DeviceIdentity> device() override { return inner_.device(); }
  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override {
    sleep_for(time_, stop);  // stands for the work of a GPU
    return inner_.judge(order, std::move(stop));
  }
  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token stop) override {
    return inner_.compare(order, std::move(stop));
  }

 private:
  std::chrono::milliseconds time_;
  fakes::ScriptedKernelLab inner_{time_of};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::chrono::milliseconds lease(std::atoi(argv[2]));
  auto lab = std::make_shared<SlowLab>(std::chrono::milliseconds(std::atoi(argv[3])));
  const auto buses = daemon::hosts::open_nats({argv[1], "", {}, "hosts_worker", lease});
  if (!buses) return 4;
  daemon::hosts::EvaluationServerOptions options;
  options.lane = {"sm_90", "nvidia-h200", "1"};
  options.stamp = {"worker-" + std::to_string(::getpid()), "host-" + std::to_string(::getpid()),
                   "0"};
  options.device = lab->device().value();
  options.lease = lease;
  options.patience = std::chrono::milliseconds(200);
  daemon::hosts::EvaluationServer server(
      *buses->evaluations,
      [&lab](const std::string&) { return std::shared_ptr<profilers::KernelLab>(lab); }, options);
  server.serve_orders({});
}
