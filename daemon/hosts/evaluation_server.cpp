#include "daemon/hosts/evaluation_server.h"

#include "base/log.h"
#include "base/sleep.h"
#include "base/text.h"
#include "daemon/hosts/sign_of_life.h"

#include <utility>

namespace warpmind::daemon::hosts {
namespace {

using std::chrono::milliseconds;

/// Signs of life in one lease: two may be lost.
constexpr int kSignsInALease = 3;
/// How long a result waits for its link: then the order is somebody else's anyway.
constexpr int kLeasesToAnswer = 20;
/// After a call failed.
constexpr milliseconds kTrouble{500};

/// Only what this machine cannot do now, and another could.
bool is_for_others(const Answer& answer) {
  const auto* error = std::get_if<Error>(&answer);
  return error != nullptr && error->code == Errc::unavailable;
}

bool was_stopped(const Answer& answer) {
  const auto* error = std::get_if<Error>(&answer);
  return error != nullptr && error->code == Errc::cancelled;
}

template <class T>
Answer to_answer(Result<T> result) {
  if (!result) return result.error();
  return std::move(*result);
}

}  // namespace

ServedCounts EvaluationServer::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void EvaluationServer::count(std::int64_t ServedCounts::*member) {
  const std::scoped_lock lock(mutex_);
  ++(counts_.*member);
}

void EvaluationServer::serve_orders(const std::stop_token& stop) {
  const std::string notice = encode(
      WorkerNotice{options_.stamp.worker, options_.stamp.host, options_.lane, options_.device});
  const auto announce = [this, &notice] { return bus_.announce(options_.stamp.worker, notice); };
  {
    const SignOfLife presence(options_.lease / kSignsInALease, announce);
    bool was_away = false;
    while (!stop.stop_requested()) {
      auto taken = bus_.take(options_.lane, options_.patience);
      if (!taken) {
        if (!std::exchange(was_away, true)) {
          log::warn("daemon", "the queue of evaluations is out of reach",
                    {{"why", taken.error().message}});
        }
        sleep_for(kTrouble, stop);
        continue;
      }
      if (std::exchange(was_away, false)) {
        log::info("daemon", "the queue of evaluations is back", {});
      }
      if (*taken) serve(**taken, stop);
    }
  }
  if (const auto left = bus_.leave(options_.stamp.worker); !left) {
    log::info("daemon", "left without a word", {{"why", left.error().message}});
  }
}

Result<EvaluationOrder> EvaluationServer::understand(const Delivery& delivery) {
  WARPMIND_TRY(const auto body, unpack_body(bus_, delivery.body()));
  if (id_of_order(body) != delivery.order_id()) {
    return fail(Errc::corrupt_data, "the order is not what its name says");
  }
  WARPMIND_TRY(auto order, decode_order(body));
  if (order.lane.architecture != options_.lane.architecture ||
      order.lane.harness != options_.lane.harness ||
      (!options_.lane.model.empty() && order.lane.model != options_.lane.model)) {
    return fail(Errc::corrupt_data, "the order is for workers of another lane");
  }
  if (order.question == Question::compare && !order.incumbent) {
    return fail(Errc::corrupt_data, "a comparison without an incumbent");
  }
  return order;
}

void EvaluationServer::serve(Delivery& delivery, const std::stop_token& stop) {
  const auto known = bus_.find_result(delivery.order_id());
  Result<void> settled = known ? Result<void>{} : Result<void>(fail(known.error()));
  if (known && *known) {
    count(&ServedCounts::known);
    settled = delivery.done();
  } else if (known) {
    const auto order = understand(delivery);
    const bool garbage = !order && order.error().code != Errc::unavailable;
    if (garbage) {
      log::warn("daemon", "an order was thrown away",
                {{"order", delivery.order_id()}, {"why", order.error().message}});
      count(&ServedCounts::discarded);
      settled = delivery.discard();
    } else {
      settled = order ? judge(delivery, *order, stop) : Result<void>(fail(order.error()));
    }
  }
  if (!settled) {
    // Nothing is lost: without a sign of life somebody gets it again.
    log::warn("daemon", "an order could not be settled",
              {{"order", delivery.order_id()}, {"why", settled.error().message}});
  }
}

Answer EvaluationServer::ask_lab(const EvaluationOrder& order, const std::stop_token& stop) {
  auto lab = labs_(order.device);
  if (!lab) return lab.error();
  profilers::JudgeOrder ask{order.task, order.kernel};
  ask.incumbent = order.incumbent ? &*order.incumbent : nullptr;
  ask.baseline_error = order.baseline_error;
  ask.refuse_new_spills = order.refuse_new_spills;
  ask.effort = order.effort;
  if (order.question == Question::compare) return to_answer((*lab)->compare(ask, stop));
  // A device that was lost is told from a kernel that is blocked before time is spent on it.
  if (const auto device = (*lab)->device(); !device) return device.error();
  return to_answer((*lab)->judge(ask, stop));
}

Result<void> EvaluationServer::judge(Delivery& delivery, const EvaluationOrder& order,
                                     const std::stop_token& stop) {
  WARPMIND_TRY(auto starts, bus_.starts(delivery.order_id()));
  // This one is alive: it was cut off, and gets its own order again.
  std::erase(starts, options_.stamp.worker);
  const SignOfLife life(options_.lease / kSignsInALease,
                        [&delivery] { return delivery.in_progress(); });
  if (starts.size() >= kMostStarts) return give_up(delivery, starts, stop);
  WARPMIND_CHECK(bus_.note_start(delivery.order_id(), options_.stamp.worker));
  Answer said = ask_lab(order, stop);
  if (is_for_others(said) || was_stopped(said)) {
    count(&ServedCounts::given_back);
    WARPMIND_CHECK(bus_.forget_start(delivery.order_id(), options_.stamp.worker));
    return delivery.later(was_stopped(said) ? milliseconds(0) : options_.unhealthy_pause);
  }
  count(&ServedCounts::judged);
  return answer(delivery, std::move(said), stop);
}

Result<void> EvaluationServer::give_up(Delivery& delivery, const std::vector<std::string>& starts,
                                       const std::stop_token& stop) {
  const std::string names = join_text(starts, ", ");
  Verdict verdict;
  verdict.outcome = Outcome::blocked;
  verdict.reason = "given up: " + std::to_string(starts.size()) +
                   " workers were lost while they judged it (" + names + ")";
  log::error("daemon", "an order was given up",
             {{"order", delivery.order_id()}, {"workers", names}});
  count(&ServedCounts::given_up);
  return answer(delivery, std::move(verdict), stop);
}

/// What was measured may have cost minutes of a GPU: a link that is down is waited for.
Result<void> EvaluationServer::answer(Delivery& delivery, Answer said,
                                      const std::stop_token& stop) {
  const EvaluationResult result{delivery.order_id(), options_.stamp, std::move(said)};
  const std::string body = encode(result);
  const auto last = std::chrono::steady_clock::now() + kLeasesToAnswer * options_.lease;
  const auto put = [&]() -> Result<bool> {
    WARPMIND_TRY(const auto packed, pack_body(bus_, body));
    return bus_.put_result(delivery.order_id(), packed);
  };
  auto first = put();
  while (!first && !stop.stop_requested() && std::chrono::steady_clock::now() < last) {
    sleep_for(kTrouble, stop);
    first = put();
  }
  if (!first) return fail(first.error());
  if (!*first) {
    log::info("daemon", "a result came second and was dropped", {{"order", delivery.order_id()}});
  }
  return delivery.done();
}

}  // namespace warpmind::daemon::hosts
