#include "daemon/hosts/remote_kernel_lab.h"

#include "base/log.h"
#include "base/sleep.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon::hosts {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstLook{10};
/// Whether the order still waits is asked this often: a server that was wiped forgot it.
constexpr milliseconds kPendingCheck{2000};

EvaluationOrder order_of(Question question, const RemoteLabOptions& options,
                         const profilers::JudgeOrder& order) {
  EvaluationOrder made;
  made.question = question;
  made.lane = options.lane;
  made.asker = options.asker;
  made.device = options.device;
  made.effort = order.effort;
  made.baseline_error = order.baseline_error;
  made.refuse_new_spills = order.refuse_new_spills;
  made.task = order.task;
  made.kernel = order.kernel;
  if (order.incumbent != nullptr) made.incumbent = *order.incumbent;
  return made;
}

std::string name_of_lane(const LaneName& lane) { return lane.architecture + "/" + lane.model; }

/// Waits that grow, and two clocks: when the other side was last known to work on it, and when the
/// queue was last asked.
struct Waiting {
  milliseconds pause = kFirstLook;
  steady_clock::time_point hope = steady_clock::now();
  steady_clock::time_point checked = steady_clock::now();
  Error trouble;
};

}  // namespace

Result<DeviceIdentity> RemoteKernelLab::device() {
  WARPMIND_TRY(const auto notices, bus_->workers());
  for (const auto& text : notices) {
    const auto notice = decode_notice(text);
    if (!notice || notice->lane.architecture != options_.lane.architecture ||
        notice->lane.harness != options_.lane.harness) {
      continue;
    }
    if (notice->lane.model.empty() || notice->lane.model == options_.lane.model) {
      return notice->device;
    }
  }
  return fail(Errc::unavailable, "no worker of " + name_of_lane(options_.lane) +
                                     " is there: start one with `warpmind worker`");
}

Result<bool> RemoteKernelLab::is_served() {
  const auto identity = device();
  if (identity) return true;
  WARPMIND_TRY(const auto notices, bus_->workers());  // tells "none is there" from "out of reach"
  return false;
}

Result<std::optional<EvaluationResult>> RemoteKernelLab::look_for(const std::string& id) {
  WARPMIND_TRY(const auto packed, bus_->find_result(id));
  if (!packed) return std::optional<EvaluationResult>();
  WARPMIND_TRY(const auto body, unpack_body(*bus_, *packed));
  WARPMIND_TRY(auto result, decode_result(body));
  if (result.order != id) {
    return fail(Errc::corrupt_data, "a result lies under the name of another order");
  }
  return std::optional<EvaluationResult>(std::move(result));
}

Result<EvaluationResult> RemoteKernelLab::wait_for(const std::string& id, const std::string& body,
                                                   const std::stop_token& stop) {
  Waiting waiting;
  bool posted = false;
  while (!stop.stop_requested()) {
    auto found = look_for(id);
    if (found && *found) return std::move(**found);
    if (!found && found.error().code == Errc::corrupt_data) return fail(found.error());
    Result<void> step = found ? Result<void>{} : Result<void>(fail(found.error()));
    const auto now = steady_clock::now();
    if (step && (!posted || now - waiting.checked >= kPendingCheck)) {
      waiting.checked = now;
      auto packed = pack_body(*bus_, body);
      step = packed ? bus_->post(options_.lane, id, *packed) : Result<void>(fail(packed.error()));
      posted = posted || step.has_value();
      const auto served = step ? is_served() : Result<bool>(false);
      if (served && *served) waiting.hope = now;
      if (step && served && !*served) {
        waiting.trouble = {Errc::unavailable,
                           "no worker of " + name_of_lane(options_.lane) + " is there"};
      }
    }
    if (!step) waiting.trouble = step.error();
    if (now - waiting.hope > options_.patience) {
      return fail(Errc::unavailable,
                  "no worker on another host answered: " + waiting.trouble.message);
    }
    sleep_for(waiting.pause, stop);
    waiting.pause = std::min(waiting.pause * 2, options_.look);
  }
  if (const auto gone = bus_->withdraw(options_.lane, id); !gone) {
    log::info("daemon", "an order stays in the queue",
              {{"order", id}, {"why", gone.error().message}});
  }
  return fail(Errc::cancelled, "stopped while a worker on another host was asked");
}

Result<EvaluationResult> RemoteKernelLab::ask(Question question, const profilers::JudgeOrder& order,
                                              const std::stop_token& stop) {
  EvaluationOrder made = order_of(question, options_, order);
  const std::string content = id_of_order(encode(made));
  {
    const std::scoped_lock lock(mutex_);
    made.repetition = answered_[content];
  }
  const std::string body = encode(made);
  auto result = wait_for(id_of_order(body), body, stop);
  if (!result) return result;
  const std::scoped_lock lock(mutex_);
  answered_[content] = made.repetition + 1;
  return result;
}

Result<Verdict> RemoteKernelLab::judge(const profilers::JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(auto result, ask(Question::judge, order, stop));
  if (const auto* error = std::get_if<Error>(&result.answer)) return fail(*error);
  auto* verdict = std::get_if<Verdict>(&result.answer);
  if (verdict == nullptr) {
    return fail(Errc::corrupt_data, "a worker answered a comparison where a verdict was asked for");
  }
  if (verdict->measurement) {
    if (verdict->measurement->provider != options_.provider) {
      return fail(Errc::corrupt_data, "a worker answered with a measurement of provider " +
                                          std::string(name_of(verdict->measurement->provider)));
    }
    verdict->measurement->host = result.stamp.host;
  }
  return std::move(*verdict);
}

Result<Comparison> RemoteKernelLab::compare(const profilers::JudgeOrder& order,
                                            std::stop_token stop) {
  if (order.incumbent == nullptr) {
    return fail(Errc::invalid_argument, "a comparison needs an incumbent");
  }
  WARPMIND_TRY(auto result, ask(Question::compare, order, stop));
  if (const auto* error = std::get_if<Error>(&result.answer)) return fail(*error);
  const auto* compared = std::get_if<Comparison>(&result.answer);
  if (compared == nullptr) {
    return fail(Errc::corrupt_data, "a worker answered a verdict where a comparison was asked for");
  }
  return *compared;
}

}  // namespace warpmind::daemon::hosts
