#pragma once
/// \file
/// The daemon without its concrete parts: queue, methods, sockets, signals, shutdown.

#include "base/clock.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/health_board.h"
#include "daemon/machine_now.h"
#include "daemon/scheduler/job_runner.h"
#include "daemon/scheduler/lane.h"
#include "daemon/transport/listening_socket.h"
#include "knowledge_base/knowledge_base.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::agents {
class ExternalEpisodes;
class KernelAnalyst;
}  // namespace warpmind::agents

namespace warpmind::profilers {
class ProgramDesk;
}  // namespace warpmind::profilers

namespace warpmind::daemon {

/// What a server works with. References must outlive it.
struct ServerParts {
  const config::Settings& settings;
  knowledge_base::KnowledgeBase& base;
  JobRunner& runner;
  const Clock& clock;
  std::function<DeviceView()> device;  ///< called once, on a pool thread; may take seconds
  std::string version;
  agents::ExternalEpisodes* guests = nullptr;  ///< null: none are served
  agents::KernelAnalyst* analyst = nullptr;    ///< null: source is not looked at
  profilers::ProgramDesk* programs = nullptr;  ///< null: no programs are checked
  std::vector<LaneSpec> lanes = {LaneSpec{}};
  std::function<Result<MachineNow>()> machine = {};  ///< on a pool thread; may take seconds
};

/// Shutdown, from `shutdown`, SIGTERM, SIGINT or SIGHUP: the socket goes away, jobs are refused,
/// the running one is parked or finished, answers are flushed, connections closed. A signal during
/// `finish` parks. A running job that does not stop within 10 s is left behind: the process ends
/// with status 1, and the next start takes the job up.
class Server {
 public:
  /// Resumes the queue. Errors: whatever the store or the operating system refuses.
  [[nodiscard]] static Result<std::unique_ptr<Server>> create(ServerParts parts,
                                                              ListeningSocket socket);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves until shut down. Called once.
  void serve();

 private:
  class State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmind::daemon
