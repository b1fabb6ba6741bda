#include "daemon/hosts/claim_courier.h"

#include "base/log.h"
#include "base/sleep.h"
#include "daemon/hosts/claim_entry_codec.h"
#include "daemon/hosts/evaluation_order.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon::hosts {
namespace {

using namespace std::chrono_literals;
using knowledge_base::ClaimLogEntry;
using knowledge_base::HeardMark;
using knowledge_base::Hearing;

/// Between two turns: what a colleague learned is here within seconds, and an idle turn costs three
/// small requests.
constexpr auto kPause = 1s;

}  // namespace

CourierCounts ClaimCourier::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void ClaimCourier::count(std::int64_t CourierCounts::*member, std::int64_t by) {
  const std::scoped_lock lock(mutex_);
  counts_.*member += by;
}

void ClaimCourier::carry_claims(const std::stop_token& stop) {
  std::string trouble;
  while (!stop.stop_requested()) {
    const auto done = turn(stop);
    const std::string now = done ? "" : done.error().message;
    if (now != trouble) {
      trouble = now;
      if (done) {
        log::info("daemon", "insights are exchanged again", {});
      } else if (!stop.stop_requested()) {
        log::warn("daemon", "insights are not exchanged for now; nothing is lost", {{"why", now}});
      }
    }
    sleep_for(kPause, stop);
  }
}

Result<void> ClaimCourier::turn(const std::stop_token& stop) {
  auto said = say(stop);
  if (!said) said_.reset();
  // To be heard by nobody is no reason not to listen: but a server out of reach is.
  WARPMIND_CHECK(hear(stop));
  return said;
}

/// From the newest message of this base: what it says is where the next one begins. A log that lost
/// it, or one that holds more than this base remembers, is told everything.
Result<ClaimCourier::Said> ClaimCourier::find_said() {
  Said said;
  WARPMIND_TRY(said.base, log_.state());
  WARPMIND_TRY(const auto newest, bus_.newest_of(said.base.node));
  if (!newest) return said;
  said.position = newest->position;
  auto body = unpack_body(blobs_, newest->body);
  if (!body && body.error().code == Errc::unavailable) return fail(body.error());
  const auto entry = body ? decode_entry(*body) : Result<ClaimLogEntry>(fail(body.error()));
  if (!entry) {
    // Somebody wrote there who is not this base. What follows does not depend on it.
    log::warn("daemon", "the log of insights holds what this base did not say",
              {{"why", entry.error().message}});
    return said;
  }
  WARPMIND_TRY(const bool ours, log_.holds(entry->upto, entry->chain));
  if (entry->era == said.base.era && ours) {
    said.upto = entry->upto;
    return said;
  }
  if (entry->era >= said.base.era) {
    log::warn("daemon", "this base is older than what it once said: it was restored, or copied",
              {{"said", entry->upto}, {"newest", said.base.newest}});
    if (std::exchange(era_begun_, true)) {
      return fail(
          Errc::conflict,
          "another daemon speaks under the id of this base: one of them is a copy; what this "
          "one learns is not told until only one of them runs");
    }
    WARPMIND_TRY(said.base, log_.begin_era(entry->era));
  }
  return said;
}

Result<void> ClaimCourier::say(const std::stop_token& stop) {
  WARPMIND_TRY(const auto base, log_.state());
  if (said_) {
    // A server that was wiped, or a second base of this name.
    WARPMIND_TRY(const auto newest, bus_.newest_of(base.node));
    const std::uint64_t position = newest ? newest->position : 0;
    if (position != said_->position) said_.reset();
  }
  if (!said_) {
    WARPMIND_TRY(said_, find_said());
  }
  WARPMIND_CHECK(say_from(*said_, stop));
  return say_again(stop);
}

Result<void> ClaimCourier::say_from(Said& said, const std::stop_token& stop) {
  WARPMIND_TRY(const auto base, log_.state());
  said.base = base;
  while (said.upto < base.newest && !stop.stop_requested()) {
    WARPMIND_TRY(auto part, log_.next(base, said.upto));
    if (part.entry) {
      WARPMIND_TRY(const auto packed, pack_body(blobs_, encode(*part.entry)));
      WARPMIND_TRY(said.position, bus_.append(base.node, packed, said.position));
      count(&CourierCounts::said);
    }
    if (part.upto == said.upto) break;
    said.upto = part.upto;
    const std::scoped_lock lock(mutex_);
    counts_.said_upto = said.upto;
  }
  return {};
}

/// Bases that missed something get everything from there on. Those that have it skip it.
Result<void> ClaimCourier::say_again(const std::stop_token& stop) {
  WARPMIND_TRY(const auto asked, bus_.asked(said_->base.node));
  if (asked.empty()) return {};
  std::int64_t from = said_->upto;
  for (const auto& [asker, body] : asked) {
    const auto mark = decode_mark(body);
    const bool same = mark && mark->era == said_->base.era && mark->upto >= 0;
    from = std::min(from, same ? mark->upto : 0);
  }
  log::info("daemon", "a base missed what this one said: it is said again",
            {{"from", from}, {"bases", asked.size()}});
  Said again = *said_;
  again.upto = from;
  WARPMIND_CHECK(say_from(again, stop));
  if (stop.stop_requested()) return {};
  said_ = again;
  for (const auto& [asker, body] : asked) {
    WARPMIND_CHECK(bus_.answered(said_->base.node, asker));
  }
  return {};
}

Result<void> ClaimCourier::hear(const std::stop_token& stop) {
  WARPMIND_TRY(const auto extent, bus_.extent());
  if (extent.name != log_name_ || read_upto_ > extent.last) {
    // Another log: what is known of it is skipped by its marks.
    log_name_ = extent.name;
    read_upto_ = 0;
    gaps_.clear();
    asked_.clear();
  }
  if (extent.last == 0) return {};
  read_upto_ = std::max(read_upto_, extent.first > 0 ? extent.first - 1 : 0);
  while (read_upto_ < extent.last && !stop.stop_requested()) {
    WARPMIND_TRY(const auto message, bus_.read(read_upto_ + 1));
    if (message) WARPMIND_CHECK(hear(*message));
    ++read_upto_;
  }
  // Only now: what was missing may have been said again further on.
  for (const auto& [node, mark] : gaps_) WARPMIND_CHECK(ask_for(node, mark));
  return {};
}

Result<void> ClaimCourier::hear(const LoggedMessage& message) {
  WARPMIND_TRY(const auto own, log_.state());
  if (message.node == own.node) return {};
  auto body = unpack_body(blobs_, message.body);
  if (!body && body.error().code == Errc::unavailable) return fail(body.error());
  auto entry = body ? decode_entry(*body) : Result<ClaimLogEntry>(fail(body.error()));
  if (entry && entry->node != message.node) {
    entry = fail(Errc::corrupt_data, "it names another base than its subject");
  }
  auto heard =
      entry ? log_.hear(*entry) : Result<knowledge_base::HearingReport>(fail(entry.error()));
  if (!heard) {
    const bool garbage = heard.error().code == Errc::invalid_argument ||
                         heard.error().code == Errc::corrupt_data ||
                         heard.error().code == Errc::not_found;
    if (!garbage) return fail(heard.error());
    // As if it were not there: its base, if there is one, is asked to say it again.
    if (knowledge_base::is_node_id(message.node)) {
      WARPMIND_TRY(gaps_[message.node], log_.heard(message.node));
    }
    count(&CourierCounts::refused);
    log::warn("daemon", "an entry of the log of insights was refused",
              {{"base", message.node}, {"why", heard.error().message}});
    return {};
  }
  if (heard->hearing == Hearing::gap) {
    gaps_[message.node] = heard->mark;
    return {};
  }
  gaps_.erase(message.node);
  if (heard->hearing == Hearing::known) {
    count(&CourierCounts::known);
    return {};
  }
  count(&CourierCounts::heard);
  log::info("daemon", "heard from another base",
            {{"base", message.node},
             {"upto", heard->mark.upto},
             {"new", heard->report.added},
             {"attested", heard->report.confirmed},
             {"refused", heard->report.refused}});
  return {};
}

Result<void> ClaimCourier::ask_for(const std::string& node, const HeardMark& mark) {
  const auto before = asked_.find(node);
  if (before != asked_.end() && before->second == mark.upto) return {};
  WARPMIND_TRY(const auto own, log_.state());
  WARPMIND_CHECK(bus_.ask_again(node, own.node, encode(mark)));
  asked_[node] = mark.upto;
  count(&CourierCounts::gaps);
  log::warn("daemon", "the log of insights is cut off: its base is asked to say it again",
            {{"base", node}, {"heard", mark.upto}});
  return {};
}

}  // namespace warpmind::daemon::hosts
