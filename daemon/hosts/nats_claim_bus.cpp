#include "daemon/hosts/nats_claim_bus.h"

#include "base/hash.h"
#include "daemon/hosts/nats_buckets.h"
#include "daemon/hosts/nats_evaluation_bus.h"

#include <utility>

namespace warpmind::daemon::hosts {
namespace {

std::string subject_of(const std::string& node) { return "warpmind.insights." + node; }

std::optional<LoggedMessage> to_logged(const std::optional<UniqueMessage>& message) {
  if (!message) return std::nullopt;
  LoggedMessage logged;
  logged.position = natsMsg_GetSequence(message->get());
  const std::string subject = natsMsg_GetSubject(message->get());
  logged.node = subject.substr(subject.rfind('.') + 1);
  logged.body = text_of(message->get());
  return logged;
}

}  // namespace

Result<std::uint64_t> NatsClaimBus::append(const std::string& node, const std::string& body,
                                           std::uint64_t after) {
  // Era and position are in the body: one content is said once by one base.
  const std::string name = to_hex(sha256(hash_input({node, body})));
  const auto sent = link_->publish(subject_of(node), body, {name, after});
  if (!sent) return fail(sent.error());
  if (!sent->is_duplicate) return sent->position;
  WARPMIND_TRY(const auto newest, newest_of(node));
  if (newest && newest->body == body) return newest->position;
  // It was there before and is no longer the newest, or somebody took its name: it is said again.
  const auto again = link_->publish(subject_of(node), body, {"", after});
  if (!again) return fail(again.error());
  return again->position;
}

Result<std::optional<LoggedMessage>> NatsClaimBus::newest_of(const std::string& node) {
  WARPMIND_TRY(const auto found, link_->last_on(kInsightStream, subject_of(node)));
  return to_logged(found);
}

Result<LogExtent> NatsClaimBus::extent() {
  WARPMIND_TRY(const auto at, link_->session());
  jsStreamInfo* raw = nullptr;
  NatsOutcome outcome;
  outcome.status = js_GetStreamInfo(&raw, at->js.get(), kInsightStream, nullptr, &outcome.reason);
  const UniqueStreamInfo info(raw);
  if (!outcome) return fail(link_->note(outcome, "asking for the log of insights"));
  LogExtent extent;
  extent.name = std::to_string(info->Created);
  extent.first = info->State.FirstSeq;
  extent.last = info->State.Msgs == 0 ? 0 : info->State.LastSeq;
  return extent;
}

Result<std::optional<LoggedMessage>> NatsClaimBus::read(std::uint64_t position) {
  WARPMIND_TRY(const auto found, link_->message_at(kInsightStream, position));
  return to_logged(found);
}

Result<void> NatsClaimBus::ask_again(const std::string& node, const std::string& asker,
                                     const std::string& body) {
  WARPMIND_TRY(const auto at, link_->session());
  return put(*link_, at->asked.get(), node + "." + asker, body);
}

Result<std::map<std::string, std::string>> NatsClaimBus::asked(const std::string& node) {
  WARPMIND_TRY(const auto at, link_->session());
  const std::string prefix = node + ".";
  WARPMIND_TRY(auto all, values(*link_, at->asked.get(), prefix));
  std::map<std::string, std::string> by_asker;
  for (auto& [key, body] : all) by_asker.emplace(key.substr(prefix.size()), std::move(body));
  return by_asker;
}

Result<void> NatsClaimBus::answered(const std::string& node, const std::string& asker) {
  WARPMIND_TRY(const auto at, link_->session());
  return erase(*link_, at->asked.get(), node + "." + asker);
}

}  // namespace warpmind::daemon::hosts
