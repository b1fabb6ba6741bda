#include "daemon/hosts/nats_evaluation_bus.h"

#include "base/hash.h"
#include "base/sequence.h"
#include "base/text.h"
#include "daemon/hosts/nats_buckets.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace warpmind::daemon::hosts {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} * 1024;
/// Below the server's max_payload of 1 MB, with room for headers.
constexpr std::size_t kChunkBytes = std::size_t{512} * 1024;
constexpr std::size_t kMostBlobBytes = std::size_t{64} * 1024 * 1024;
constexpr std::int64_t kMostUnsettled = 10'000;

std::string order_subject(const LaneName& lane, const std::string& id) {
  return "warpmind.eval." + token_of(lane.architecture) + "." + token_of(lane.model) + "." +
         token_of(lane.harness) + "." + id;
}

/// What the workers of `lane` listen to.
std::string lane_subject(const LaneName& lane) {
  return "warpmind.eval." + token_of(lane.architecture) + "." +
         (lane.model.empty() ? "*" : token_of(lane.model)) + "." + token_of(lane.harness) + ".*";
}

std::string consumer_of(const LaneName& lane) {
  return token_of(lane.architecture) + "-" + (lane.model.empty() ? "any" : token_of(lane.model)) +
         "-" + token_of(lane.harness);
}

std::string result_subject(const std::string& id) { return "warpmind.result." + id; }
std::string chunk_subject(const std::string& name, std::size_t chunk) {
  return "warpmind.blob." + name + "." + std::to_string(chunk);
}

class NatsDelivery final : public Delivery {
 public:
  NatsDelivery(std::shared_ptr<NatsLink> link, UniqueMessage message, std::string id)
      : link_(std::move(link)),
        message_(std::move(message)),
        id_(std::move(id)),
        body_(text_of(message_.get())) {}

  [[nodiscard]] const std::string& order_id() const override { return id_; }
  [[nodiscard]] const std::string& body() const override { return body_; }
  [[nodiscard]] Result<void> in_progress() override {
    return say([this](NatsOutcome& outcome) {
      outcome.status = natsMsg_InProgress(message_.get(), nullptr);
    });
  }
  [[nodiscard]] Result<void> done() override {
    return say([this](NatsOutcome& outcome) {
      outcome.status = natsMsg_AckSync(message_.get(), nullptr, &outcome.reason);
    });
  }
  [[nodiscard]] Result<void> later(std::chrono::milliseconds delay) override {
    return say([this, delay](NatsOutcome& outcome) {
      outcome.status =
          natsMsg_NakWithDelay(message_.get(), std::max<std::int64_t>(delay.count(), 1), nullptr);
    });
  }
  [[nodiscard]] Result<void> discard() override {
    return say(
        [this](NatsOutcome& outcome) { outcome.status = natsMsg_Term(message_.get(), nullptr); });
  }

 private:
  template <class F>
  Result<void> say(const F& call) {
    const std::scoped_lock lock(mutex_);
    NatsOutcome outcome;
    call(outcome);
    if (!outcome) return fail(link_->note(outcome, "settling order " + id_));
    return {};
  }

  std::shared_ptr<NatsLink> link_;
  std::mutex mutex_;
  UniqueMessage message_;
  std::string id_;
  std::string body_;
};

/// Chunks of the blob and its length: "3 1234567".
std::string head_of(std::size_t bytes) {
  return std::to_string((bytes + kChunkBytes - 1) / kChunkBytes) + " " + std::to_string(bytes);
}

/// Chunks, as the head says. nullopt for another text.
std::optional<std::size_t> chunks_of(const std::string& head) {
  std::size_t chunks = 0;
  const auto [end, code] = std::from_chars(head.data(), head.data() + head.size(), chunks);
  const bool fits = code == std::errc{} && end != head.data() + head.size() && *end == ' ' &&
                    chunks > 0 && chunks <= kMostBlobBytes / kChunkBytes + 1;
  return fits ? std::optional(chunks) : std::nullopt;
}

}  // namespace

std::size_t NatsEvaluationBus::most_bytes() const { return kMostBytes; }

Result<void> NatsEvaluationBus::post(const LaneName& lane, const std::string& id,
                                     const std::string& body) {
  const auto subject = order_subject(lane, id);
  WARPMIND_TRY(const bool pending, is_pending(lane, id));
  if (pending) return {};
  const auto sent = link_->publish(subject, body, {id, 0});
  // Somebody posted it just now.
  if (!sent && sent.error().code == Errc::conflict) return {};
  if (!sent) return fail(sent.error());
  if (!sent->is_duplicate) return {};
  // Within the server's memory of ids the order was there before: served, withdrawn or on its way.
  WARPMIND_TRY(const bool waits, is_pending(lane, id));
  if (waits) return {};
  WARPMIND_TRY(const auto result, find_result(id));
  if (result) return {};
  const auto again = link_->publish(subject, body, {"", 0});
  if (!again && again.error().code != Errc::conflict) return fail(again.error());
  return {};
}

Result<bool> NatsEvaluationBus::is_pending(const LaneName& lane, const std::string& id) {
  WARPMIND_TRY(const auto found, link_->last_on(kEvaluationStream, order_subject(lane, id)));
  return found.has_value();
}

Result<void> NatsEvaluationBus::withdraw(const LaneName& lane, const std::string& id) {
  WARPMIND_TRY(const auto found, link_->last_on(kEvaluationStream, order_subject(lane, id)));
  if (!found) return {};
  WARPMIND_TRY(const auto at, link_->session());
  NatsOutcome outcome;
  outcome.status = js_DeleteMsg(at->js.get(), kEvaluationStream, natsMsg_GetSequence(found->get()),
                                nullptr, &outcome.reason);
  if (!outcome && !outcome.is_absent()) return fail(link_->note(outcome, "withdrawing an order"));
  return {};
}

Result<UniqueSubscription> NatsEvaluationBus::subscribe(const LaneName& lane) {
  WARPMIND_TRY(const auto at, link_->session());
  const std::string consumer = consumer_of(lane);
  const std::string subject = lane_subject(lane);
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = consumer.c_str();
  config.FilterSubject = subject.c_str();
  config.AckPolicy = js_AckExplicit;
  config.AckWait =
      std::chrono::duration_cast<std::chrono::nanoseconds>(link_->options().lease).count();
  // How often an order was begun is noted by whoever begins: giving back is no attempt.
  config.MaxDeliver = -1;
  config.MaxAckPending = kMostUnsettled;
  NatsOutcome outcome;
  outcome.status =
      js_AddConsumer(nullptr, at->js.get(), kEvaluationStream, &config, nullptr, &outcome.reason);
  if (!outcome) return fail(link_->note(outcome, "joining the queue of " + consumer));
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = kEvaluationStream;
  options.Consumer = consumer.c_str();
  natsSubscription* subscription = nullptr;
  outcome.status = js_PullSubscribe(&subscription, at->js.get(), subject.c_str(), consumer.c_str(),
                                    nullptr, &options, &outcome.reason);
  UniqueSubscription owned(subscription);
  if (!outcome) return fail(link_->note(outcome, "joining the queue of " + consumer));
  return owned;
}

Result<void> NatsEvaluationBus::require_queue(const LaneName& lane) {
  WARPMIND_TRY(const auto at, link_->session());
  jsConsumerInfo* raw = nullptr;
  NatsOutcome outcome;
  outcome.status = js_GetConsumerInfo(&raw, at->js.get(), kEvaluationStream,
                                      consumer_of(lane).c_str(), nullptr, &outcome.reason);
  const UniqueConsumerInfo info(raw);
  if (!outcome) return fail(link_->note(outcome, "looking for the queue of " + consumer_of(lane)));
  return {};
}

Result<UniqueSubscription> NatsEvaluationBus::free_subscription(const LaneName& lane) {
  {
    const std::scoped_lock lock(mutex_);
    if (auto idle = idle_.extract(lane)) return std::move(idle.mapped());
  }
  return subscribe(lane);
}

Result<std::unique_ptr<Delivery>> NatsEvaluationBus::take(const LaneName& lane,
                                                          std::chrono::milliseconds patience) {
  WARPMIND_TRY(auto queue, free_subscription(lane));
  natsMsgList list{};
  NatsOutcome outcome;
  outcome.status = natsSubscription_Fetch(&list, queue.get(), 1, patience.count(), &outcome.reason);
  if (!outcome && outcome.status != NATS_TIMEOUT) {
    return fail(link_->note(outcome, "taking an order"));
  }
  // Who asks a queue that a wiped server forgot is not told: it hears nothing.
  if (!outcome) WARPMIND_CHECK(require_queue(lane));
  {
    const std::scoped_lock lock(mutex_);
    idle_.emplace(lane, std::move(queue));
  }
  if (!outcome) return std::unique_ptr<Delivery>();
  UniqueMessage message(list.Count > 0 ? std::exchange(list.Msgs[0], nullptr) : nullptr);
  natsMsgList_Destroy(&list);
  if (!message) return std::unique_ptr<Delivery>();
  std::string subject = natsMsg_GetSubject(message.get());
  std::string id = subject.substr(subject.rfind('.') + 1);
  return std::unique_ptr<Delivery>(
      std::make_unique<NatsDelivery>(link_, std::move(message), std::move(id)));
}

Result<bool> NatsEvaluationBus::put_result(const std::string& id, const std::string& body) {
  const auto sent = link_->publish(result_subject(id), body, {"", 0});
  if (sent) return true;
  if (sent.error().code == Errc::conflict) return false;
  return fail(sent.error());
}

Result<std::optional<std::string>> NatsEvaluationBus::find_result(const std::string& id) {
  WARPMIND_TRY(const auto found, link_->last_on(kResultStream, result_subject(id)));
  if (!found) return std::optional<std::string>();
  return std::optional(text_of(found->get()));
}

Result<void> NatsEvaluationBus::note_start(const std::string& id, const std::string& worker) {
  WARPMIND_TRY(auto names, starts(id));
  if (contains(names, worker)) return {};
  names.push_back(worker);
  WARPMIND_TRY(const auto at, link_->session());
  return put(*link_, at->starts.get(), id, join_lines(names));
}

Result<void> NatsEvaluationBus::forget_start(const std::string& id, const std::string& worker) {
  WARPMIND_TRY(auto names, starts(id));
  if (std::erase(names, worker) == 0) return {};
  WARPMIND_TRY(const auto at, link_->session());
  return put(*link_, at->starts.get(), id, join_lines(names));
}

Result<std::vector<std::string>> NatsEvaluationBus::starts(const std::string& id) {
  WARPMIND_TRY(const auto at, link_->session());
  WARPMIND_TRY(const auto text, get(*link_, at->starts.get(), id));
  const std::string lines = text.value_or("");
  const auto names = split_lines(lines);
  return std::vector<std::string>(names.begin(), names.end());
}

Result<void> NatsEvaluationBus::announce(const std::string& worker, const std::string& body) {
  WARPMIND_TRY(const auto at, link_->session());
  return put(*link_, at->workers.get(), token_of(worker), body);
}

Result<void> NatsEvaluationBus::leave(const std::string& worker) {
  WARPMIND_TRY(const auto at, link_->session());
  return erase(*link_, at->workers.get(), token_of(worker));
}

Result<std::vector<std::string>> NatsEvaluationBus::workers() {
  WARPMIND_TRY(const auto at, link_->session());
  WARPMIND_TRY(auto all, values(*link_, at->workers.get(), ""));
  std::vector<std::string> bodies;
  bodies.reserve(all.size());
  for (auto& [key, body] : all) bodies.push_back(std::move(body));
  return bodies;
}

Result<std::string> NatsEvaluationBus::put_blob(const std::string& bytes) {
  if (bytes.size() > kMostBlobBytes) {
    return fail(Errc::invalid_argument, "a message between hosts has " +
                                            std::to_string(bytes.size()) + " bytes, at most " +
                                            std::to_string(kMostBlobBytes) + " are sent");
  }
  const std::string name = to_hex(sha256(bytes));
  WARPMIND_TRY(const auto head, link_->last_on(kBlobStream, chunk_subject(name, 0)));
  if (head) return name;
  std::size_t chunk = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const auto sent =
        link_->publish(chunk_subject(name, ++chunk), bytes.substr(at, kChunkBytes), {});
    if (!sent) return fail(sent.error());
  }
  // Last: a head says that all chunks are there.
  const auto sent = link_->publish(chunk_subject(name, 0), head_of(bytes.size()), {});
  if (!sent) return fail(sent.error());
  return name;
}

Result<std::string> NatsEvaluationBus::get_blob(const std::string& name) {
  const auto gone = [&name] { return fail(Errc::not_found, "blob " + name + " is gone"); };
  WARPMIND_TRY(const auto head, link_->last_on(kBlobStream, chunk_subject(name, 0)));
  if (!head) return gone();
  const auto chunks = chunks_of(text_of(head->get()));
  if (!chunks) return fail(Errc::corrupt_data, "blob " + name + " has a damaged head");
  std::string bytes;
  for (std::size_t chunk = 1; chunk <= *chunks; ++chunk) {
    WARPMIND_TRY(const auto part, link_->last_on(kBlobStream, chunk_subject(name, chunk)));
    if (!part) return gone();
    bytes += text_of(part->get());
  }
  if (to_hex(sha256(bytes)) != name) {
    return fail(Errc::corrupt_data, "blob " + name + " does not hold what its name says");
  }
  return bytes;
}

}  // namespace warpmind::daemon::hosts
