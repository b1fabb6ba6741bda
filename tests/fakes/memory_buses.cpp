#include "tests/fakes/memory_buses.h"

#include "base/hash.h"

#include <algorithm>

namespace warpmind::fakes {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class MemoryDelivery final : public Delivery {
 public:
  MemoryDelivery(MemoryEvaluationBus& bus, std::string id, std::string body, std::int64_t number)
      : bus_(bus), id_(std::move(id)), body_(std::move(body)), number_(number) {}

  [[nodiscard]] const std::string& order_id() const override { return id_; }
  [[nodiscard]] const std::string& body() const override { return body_; }
  [[nodiscard]] Result<void> in_progress() override {
    return bus_.with_order(
        id_, number_, [this](auto at) { at->second.free_at = steady_clock::now() + bus_.lease_; });
  }
  [[nodiscard]] Result<void> done() override {
    return bus_.with_order(id_, number_, [this](auto at) { bus_.orders_.erase(at); });
  }
  [[nodiscard]] Result<void> later(milliseconds delay) override {
    return bus_.with_order(id_, number_,
                           [delay](auto at) { at->second.free_at = steady_clock::now() + delay; });
  }
  [[nodiscard]] Result<void> discard() override { return done(); }

 private:
  MemoryEvaluationBus& bus_;
  std::string id_;
  std::string body_;
  std::int64_t number_;
};

Result<void> MemoryEvaluationBus::reachable() const {
  if (!cut_) return {};
  return fail(Errc::unavailable, "the link is cut");
}

void MemoryEvaluationBus::cut(bool is_cut) {
  const std::scoped_lock lock(mutex_);
  cut_ = is_cut;
}

void MemoryEvaluationBus::wipe() {
  const std::scoped_lock lock(mutex_);
  orders_.clear();
  results_.clear();
  blobs_.clear();
  starts_.clear();
  workers_.clear();
}

Result<void> MemoryEvaluationBus::with_order(
    const std::string& id, std::int64_t holder,
    const std::function<void(std::map<std::string, Order>::iterator)>& then) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  const auto at = orders_.find(id);
  // What a late worker says of an order that another has by now is not heard.
  if (at != orders_.end() && at->second.holder == holder) then(at);
  changed_.notify_all();
  return {};
}

Result<void> MemoryEvaluationBus::post(const LaneName& lane, const std::string& id,
                                       const std::string& body) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  orders_.try_emplace(id, Order{lane, body, steady_clock::now(), 0});
  changed_.notify_all();
  return {};
}

Result<bool> MemoryEvaluationBus::is_pending(const LaneName& /*lane*/, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  return orders_.contains(id);
}

Result<void> MemoryEvaluationBus::withdraw(const LaneName& /*lane*/, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  orders_.erase(id);
  return {};
}

std::unique_ptr<Delivery> MemoryEvaluationBus::free_order(const LaneName& lane) {
  for (auto& [id, order] : orders_) {
    const bool fits = order.lane.architecture == lane.architecture &&
                      order.lane.harness == lane.harness &&
                      (lane.model.empty() || order.lane.model == lane.model);
    if (!fits || order.free_at > steady_clock::now()) continue;
    order.free_at = steady_clock::now() + lease_;
    order.holder = ++deliveries_;
    return std::make_unique<MemoryDelivery>(*this, id, order.body, order.holder);
  }
  return nullptr;
}

Result<std::unique_ptr<Delivery>> MemoryEvaluationBus::take(const LaneName& lane,
                                                            milliseconds patience) {
  constexpr milliseconds kLook{5};
  const auto end = steady_clock::now() + patience;
  std::unique_lock lock(mutex_);
  while (true) {
    WARPMIND_CHECK(reachable());
    if (auto found = free_order(lane)) return found;
    if (steady_clock::now() >= end) return std::unique_ptr<Delivery>();
    changed_.wait_for(lock, kLook);
  }
}

Result<bool> MemoryEvaluationBus::put_result(const std::string& id, const std::string& body) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  return results_.try_emplace(id, body).second;
}

Result<std::optional<std::string>> MemoryEvaluationBus::find_result(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  const auto found = results_.find(id);
  if (found == results_.end()) return std::optional<std::string>();
  return std::optional(found->second);
}

Result<void> MemoryEvaluationBus::note_start(const std::string& id, const std::string& worker) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  auto& names = starts_[id];
  if (std::find(names.begin(), names.end(), worker) == names.end()) names.push_back(worker);
  return {};
}

Result<void> MemoryEvaluationBus::forget_start(const std::string& id, const std::string& worker) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  std::erase(starts_[id], worker);
  return {};
}

Result<std::vector<std::string>> MemoryEvaluationBus::starts(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  return starts_[id];
}

Result<void> MemoryEvaluationBus::announce(const std::string& worker, const std::string& body) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  workers_[worker] = {body, steady_clock::now() + lease_};
  return {};
}

Result<void> MemoryEvaluationBus::leave(const std::string& worker) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  workers_.erase(worker);
  return {};
}

Result<std::vector<std::string>> MemoryEvaluationBus::workers() {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  std::vector<std::string> bodies;
  for (const auto& [name, notice] : workers_) {
    if (notice.second > steady_clock::now()) bodies.push_back(notice.first);
  }
  return bodies;
}

Result<std::string> MemoryEvaluationBus::put_blob(const std::string& bytes) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  std::string name = to_hex(sha256(bytes));
  blobs_[name] = bytes;
  return name;
}

Result<std::string> MemoryEvaluationBus::get_blob(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  const auto found = blobs_.find(name);
  if (found == blobs_.end()) return fail(Errc::not_found, "blob " + name + " is gone");
  return found->second;
}

Result<void> MemoryClaimBus::reachable() const {
  if (!cut_) return {};
  return fail(Errc::unavailable, "the link is cut");
}

void MemoryClaimBus::cut(bool is_cut) {
  const std::scoped_lock lock(mutex_);
  cut_ = is_cut;
}

void MemoryClaimBus::wipe() {
  const std::scoped_lock lock(mutex_);
  messages_.clear();
  asked_.clear();
  last_ = 0;
  ++generation_;
}

void MemoryClaimBus::forget_up_to(std::uint64_t position) {
  const std::scoped_lock lock(mutex_);
  messages_.erase(messages_.begin(), messages_.upper_bound(position));
}

void MemoryClaimBus::inject(const std::string& node, const std::string& body) {
  const std::scoped_lock lock(mutex_);
  ++last_;
  messages_[last_] = {last_, node, body};
}

std::uint64_t MemoryClaimBus::last() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

Result<std::uint64_t> MemoryClaimBus::append(const std::string& node, const std::string& body,
                                             std::uint64_t after) {
  WARPMIND_TRY(const auto newest, newest_of(node));
  const std::scoped_lock lock(mutex_);
  if ((newest ? newest->position : 0) != after) {
    return fail(Errc::conflict, "another message came first");
  }
  ++last_;
  messages_[last_] = {last_, node, body};
  return last_;
}

Result<std::optional<LoggedMessage>> MemoryClaimBus::newest_of(const std::string& node) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  const auto found = std::find_if(messages_.rbegin(), messages_.rend(),
                                  [&](const auto& one) { return one.second.node == node; });
  if (found == messages_.rend()) return std::optional<LoggedMessage>();
  return std::optional(found->second);
}

Result<LogExtent> MemoryClaimBus::extent() {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  LogExtent extent{std::to_string(generation_), 0, 0};
  if (messages_.empty()) return extent;
  extent.first = messages_.begin()->first;
  extent.last = last_;
  return extent;
}

Result<std::optional<LoggedMessage>> MemoryClaimBus::read(std::uint64_t position) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  const auto found = messages_.find(position);
  if (found == messages_.end()) return std::optional<LoggedMessage>();
  return std::optional(found->second);
}

Result<void> MemoryClaimBus::ask_again(const std::string& node, const std::string& asker,
                                       const std::string& body) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  asked_[{node, asker}] = body;
  return {};
}

Result<std::map<std::string, std::string>> MemoryClaimBus::asked(const std::string& node) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  std::map<std::string, std::string> found;
  for (const auto& [key, body] : asked_) {
    if (key.first == node) found[key.second] = body;
  }
  return found;
}

Result<void> MemoryClaimBus::answered(const std::string& node, const std::string& asker) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(reachable());
  asked_.erase({node, asker});
  return {};
}

}  // namespace warpmind::fakes
