#pragma once
/// \file
/// Options of `warpmind queue …`.

#include "daemon/protocol/queue_messages.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::clients {

/// The parameters of each job; its folder is one that `paths` name.
struct QueueAddOptions : daemon::protocol::QueueAddParams {
  std::vector<std::string> paths;  ///< task folders, folders of them, patterns, manifests
  std::string earliest;            ///< `not_before` as typed: "22:00", "+90m", "+2h"
  std::string latest;              ///< `deadline`, the same
  bool chain = false;              ///< each job after the one before it
};
struct QueueListOptions {
  std::optional<std::int64_t> limit;
};
/// pause, resume, cancel, retry.
struct QueueJobsOptions {
  std::string order;
  std::vector<std::string> jobs;
  bool all = false;
};
struct QueueMoveOptions {
  std::string job;
  std::int64_t priority = 0;
};
struct QueueWhyOptions {
  std::string job;
};
struct QueueRulesOptions {
  std::optional<std::string> quiet_hours;
  std::vector<std::string> night;  ///< "gpu_seconds=3600"
  std::vector<std::string> user;
};
struct QueueReportOptions {
  std::string night;  ///< empty = the newest
};
/// `report`: the same as a document, or one about any jobs.
struct NightReportOptions {
  std::vector<std::string> jobs;
  bool last_night = false;  ///< what it is without --night, too
  std::string night;
  std::string markdown;  ///< file to write
  std::string html;      ///< file to write
};

using QueueOptions =
    std::variant<QueueAddOptions, QueueListOptions, QueueJobsOptions, QueueMoveOptions,
                 QueueWhyOptions, QueueRulesOptions, QueueReportOptions, NightReportOptions>;

}  // namespace warpmind::clients
