#pragma once
/// \file
/// What is asked of a worker and what it answers, as bytes. Nothing that comes back is believed
/// further than its shape: docs/hosts.md.

#include "base/enum_names.h"
#include "base/model/effort.h"
#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "daemon/hosts/evaluation_bus.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace warpmind::daemon::hosts {

enum class Question { judge, compare };
}  // namespace warpmind::daemon::hosts

namespace warpmind {
WARPMIND_ENUM_NAMES(daemon::hosts::Question, {daemon::hosts::Question::judge, "judge"},
                    {daemon::hosts::Question::compare, "compare"});
}  // namespace warpmind

namespace warpmind::daemon::hosts {

struct EvaluationOrder {
  Question question = Question::judge;
  LaneName lane;
  std::string asker;  ///< id of the base: two bases measure for themselves
  std::int64_t repetition =
      0;               ///< of the same question by one daemon: a new measurement, not the old
  std::string device;  ///< key of the device table to predict for; lane sim only
  Effort effort = Effort::normal;
  double baseline_error = 0;
  bool refuse_new_spills = false;
  Task task;
  Kernel kernel;
  std::optional<Kernel> incumbent;
};

/// Who answered, for evidence.
struct WorkerStamp {
  std::string worker;  ///< name of the process: "host:pid"
  std::string host;
  std::string version;  ///< of the program
};

using Answer = std::variant<Verdict, Comparison, Error>;

struct EvaluationResult {
  std::string order;  ///< id
  WorkerStamp stamp;
  Answer answer;
};

struct WorkerNotice {
  std::string worker;
  std::string host;
  LaneName lane;  ///< lane.model empty: any (lane sim)
  DeviceIdentity device;
};

/// Everything that the answer depends on, in one text: its SHA-256 names the order, so that asking
/// again is the same order and answering twice is one answer.
[[nodiscard]] std::string encode(const EvaluationOrder& order);
[[nodiscard]] std::string id_of_order(std::string_view encoded);
/// Errors: corrupt_data.
[[nodiscard]] Result<EvaluationOrder> decode_order(std::string_view bytes);

[[nodiscard]] std::string encode(const EvaluationResult& result);
[[nodiscard]] Result<EvaluationResult> decode_result(std::string_view bytes);
[[nodiscard]] std::string encode(const WorkerNotice& notice);
[[nodiscard]] Result<WorkerNotice> decode_notice(std::string_view bytes);

/// A body as it travels: itself, or the name of a blob where it is long.
[[nodiscard]] Result<std::string> pack_body(EvaluationBus& bus, const std::string& body);
/// Errors: corrupt_data; as get_blob.
[[nodiscard]] Result<std::string> unpack_body(EvaluationBus& bus, const std::string& packed);

}  // namespace warpmind::daemon::hosts
