#include "knowledge_base/acknowledgement_check.h"

#include "knowledge_base/change_set.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"

namespace warpmind::knowledge_base {
namespace {

using Loss = std::optional<std::string>;

Loss loss(std::string sentence) { return sentence; }

std::string range_text(std::int64_t first, std::int64_t last) {
  if (first == last) return "change " + std::to_string(first) + " was";
  return "changes " + std::to_string(first) + " to " + std::to_string(last) + " were";
}

/// Walks the newest log records backwards; each must follow from the one before it.
Result<Loss> check_log(const Database& database, const StoreState& state,
                       const WatermarkRecord& mark) {
  std::int64_t expected = state.last_sequence;
  std::int64_t walked = 0;
  std::optional<LogRecord> newer;
  Loss found;
  const auto visit = [&](std::string_view key, std::string_view value) -> Result<bool> {
    const auto sequence = number_in_key(key);
    WARPMIND_TRY(const auto record, decode_log(value));
    if (sequence != expected) {
      found = loss("log record " + std::to_string(expected) + " is missing");
    } else if (!newer && record.chain != state.chain) {
      found = loss("log record " + std::to_string(expected) + " does not match the counters");
    } else if (newer && next_in_chain(record.chain, newer->digest) != newer->chain) {
      found = loss("log record " + std::to_string(expected + 1) + " does not follow from record " +
                   std::to_string(expected));
    } else if (sequence == mark.last_sequence && record.chain != mark.chain) {
      found = loss("change " + std::to_string(expected) + " is not the one that was acknowledged");
    }
    newer = record;
    --expected;
    ++walked;
    const bool past_mark = expected < mark.last_sequence;
    return !found && expected > 0 && !(walked >= kRecheckedChanges && past_mark);
  };
  WARPMIND_CHECK(database.scan({Family::log, log_prefix(), ScanOrder::descending, nullptr}, visit));
  if (!found && walked == 0 && state.last_sequence > 0) {
    found = loss("the log is empty although the counters stand at change " +
                 std::to_string(state.last_sequence));
  }
  return found;
}

}  // namespace

Result<std::optional<std::string>> find_loss(const Database& database, const StoreState& state,
                                             const WatermarkReading& watermark) {
  if (!watermark.newest) {
    return loss(watermark.exists ? "no slot of the watermark can be read"
                                 : "the watermark file is missing");
  }
  const auto& mark = *watermark.newest;
  if (state.last_sequence < mark.last_sequence) {
    return loss(range_text(state.last_sequence + 1, mark.last_sequence) +
                " acknowledged and cannot be found");
  }
  if (watermark.unsure && state.last_sequence == mark.last_sequence) {
    return loss("the slot of the watermark beside that of change " +
                std::to_string(mark.last_sequence) +
                " cannot be read, and a newer change may have been acknowledged in it");
  }
  if (state.last_sequence == mark.last_sequence && state.row_count() != mark.row_count) {
    return loss("the base counts " + std::to_string(state.row_count()) + " records where " +
                std::to_string(mark.row_count) + " were acknowledged");
  }
  return check_log(database, state, mark);
}

}  // namespace warpmind::knowledge_base
