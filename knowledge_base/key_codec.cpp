#include "knowledge_base/key_codec.h"

#include "base/text.h"

#include <array>
#include <cstdio>

namespace warpmind::knowledge_base {
namespace {

// Kind bytes. On disk: never renumber.
constexpr char kRecord = 1;
constexpr char kSecondary = 2;
constexpr char kCounter = 3;
constexpr char kDraft = 3;     // of family jobs
constexpr char kSkill = 3;     // of family techniques
constexpr char kNight = 4;     // of family jobs
constexpr char kProposal = 4;  // of family budgets
constexpr char kLogEra = 3;    // of family meta
constexpr char kSource = 4;
constexpr char kSourceInsight = 5;
constexpr char kNearInsight = 6;
constexpr char kInsightCount = 7;
constexpr char kMeasuredDevice = 8;

constexpr std::size_t kNumberKeyBytes = 1 + 8;

void append_number(std::string& key, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i > 0; --i) {
    key += static_cast<char>((value >> (8 * (i - 1))) & 0xffU);
  }
}

void append_text(std::string& key, std::string_view text) {
  for (const char c : text) {
    if (c == '\0' || c == '\1') {
      key += '\1';
      key += static_cast<char>(c + 1);
    } else {
      key += c;
    }
  }
  key += '\0';
}

std::string number_key(char kind, std::int64_t number) {
  std::string key(1, kind);
  append_number(key, static_cast<std::uint64_t>(number), 8);
  return key;
}

std::string within_episode_key(std::int64_t episode, std::size_t position) {
  std::string key = number_key(kRecord, episode);
  append_number(key, position, 4);
  return key;
}

std::string text_key(char kind, std::string_view text) {
  std::string key(1, kind);
  append_text(key, text);
  return key;
}

std::optional<std::int64_t> number_after(std::string_view prefix, std::string_view text) {
  constexpr std::size_t kLeastDigits = 10;
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  const auto value = parse_number<std::int64_t>(text);
  if (!value || text.size() < kLeastDigits || *value < 1) return std::nullopt;
  // One text a number: "j-00000000007" would be a second name for job 7.
  if (text.size() > kLeastDigits && text.front() == '0') return std::nullopt;
  return value;
}

}  // namespace

JobId job_id(std::int64_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "j-%010lld", static_cast<long long>(number));
  return JobId(text.data());
}

std::optional<std::int64_t> number_of(const JobId& id) { return number_after("j-", id.str()); }
std::optional<std::int64_t> number_of(const EpisodeId& id) { return number_after("e-", id.str()); }

std::string task_key(const TaskId& id) { return text_key(kRecord, id.str()); }

std::string best_kernel_prefix(const TaskId& task, Provider provider) {
  std::string key = text_key(kSecondary, task.str());
  append_text(key, name_of(provider));
  return key;
}

std::string best_kernel_key(const TaskId& task, Provider provider, std::string_view device) {
  std::string key = best_kernel_prefix(task, provider);
  append_text(key, device);
  return key;
}

std::string episode_count_key(const TaskId& task, Provider provider) {
  std::string key = text_key(kCounter, task.str());
  append_text(key, name_of(provider));
  return key;
}

std::string kernel_key(const KernelId& id) { return text_key(kRecord, id.str()); }
std::string step_key(std::int64_t episode, std::size_t position) {
  return within_episode_key(episode, position);
}
std::string measurement_key(std::int64_t episode, std::size_t position) {
  return within_episode_key(episode, position);
}
std::string transcript_key(std::int64_t episode, std::size_t position) {
  return within_episode_key(episode, position);
}
std::string episode_key(std::int64_t number) { return number_key(kRecord, number); }

std::string posterior_key(const PosteriorKey& key) {
  std::string bytes(1, kRecord);
  append_number(bytes, static_cast<std::uint64_t>(key.level), 1);
  append_text(bytes, name_of(key.provider));
  append_text(bytes, key.technique);
  append_text(bytes, key.bottleneck);
  append_text(bytes, key.family);
  append_text(bytes, key.device);
  return bytes;
}

std::string edge_prefix(EdgeLevel level) {
  std::string bytes(1, kRecord);
  append_number(bytes, static_cast<std::uint64_t>(level), 1);
  return bytes;
}

std::string edge_prefix(EdgeLevel level, Provider provider) {
  std::string bytes = edge_prefix(level);
  append_text(bytes, name_of(provider));
  return bytes;
}

std::string edge_key(const EdgeKey& key) {
  std::string bytes = edge_prefix(key.level, key.provider);
  append_text(bytes, key.from);
  append_text(bytes, key.to);
  append_text(bytes, key.cluster);
  append_text(bytes, key.family);
  append_text(bytes, key.device);
  return bytes;
}

std::string cluster_prefix() { return std::string(1, kSecondary); }
std::string cluster_prefix(BottleneckClass bottleneck) {
  return text_key(kSecondary, name_of(bottleneck));
}
std::string cluster_key(BottleneckClass bottleneck, std::string_view id) {
  std::string key = cluster_prefix(bottleneck);
  append_text(key, id);
  return key;
}

std::string step_cluster_key(std::int64_t episode, std::size_t position) {
  std::string key = number_key(kCounter, episode);
  append_number(key, position, 4);
  return key;
}

std::string job_key(std::int64_t number) { return number_key(kRecord, number); }
std::string job_prefix() { return std::string(1, kRecord); }
std::string unfinished_job_key(std::int64_t number) { return number_key(kSecondary, number); }
std::string unfinished_job_prefix() { return std::string(1, kSecondary); }
std::string draft_key(std::int64_t number) { return number_key(kDraft, number); }
bool is_draft_key(std::string_view key) {
  return key.size() == kNumberKeyBytes && key.front() == kDraft;
}
std::string nights_prefix() { return std::string(1, kNight); }
std::string night_prefix(std::string_view night) { return text_key(kNight, night); }
std::string night_job_key(std::string_view night, std::int64_t number) {
  std::string key = night_prefix(night);
  append_number(key, static_cast<std::uint64_t>(number), 8);
  return key;
}
std::optional<std::pair<std::string, std::int64_t>> night_in_key(std::string_view key) {
  constexpr std::size_t kTail = 1 + 8;  // the end of the text, the number
  if (key.size() < 1 + kTail || key.front() != kNight) return std::nullopt;
  const std::string_view night = key.substr(1, key.size() - 1 - kTail);
  const auto number = number_in_key(key.substr(key.size() - kTail));
  if (!number || night_job_key(night, *number) != key) return std::nullopt;
  return std::pair(std::string(night), *number);
}
std::string queue_rules_key() { return std::string(1, kSecondary); }
std::string series_key(std::int64_t number) { return number_key(kCounter, number); }
std::string series_prefix() { return std::string(1, kCounter); }
std::string proposal_key(std::string_view subject) { return text_key(kProposal, subject); }
std::string proposal_prefix() { return std::string(1, kProposal); }
std::string log_key(std::int64_t sequence) { return number_key(kRecord, sequence); }
std::string log_prefix() { return std::string(1, kRecord); }
std::string spending_key(std::int64_t day) { return number_key(kRecord, day); }
std::string lift_key(const InsightId& id) { return text_key(kSecondary, id.str()); }
std::string lift_prefix() { return std::string(1, kSecondary); }

std::string insight_key(const InsightId& id) { return text_key(kRecord, id.str()); }
std::string insight_prefix() { return std::string(1, kRecord); }

std::string insight_event_prefix(std::int64_t sequence) { return number_key(kSecondary, sequence); }
std::string insight_event_key(std::int64_t sequence, std::size_t position) {
  std::string key = insight_event_prefix(sequence);
  append_number(key, position, 4);
  return key;
}

std::string insight_history_prefix() { return std::string(1, kCounter); }
std::string insight_history_prefix(const InsightId& id) { return text_key(kCounter, id.str()); }
std::string insight_history_key(const InsightId& id, std::int64_t sequence, std::size_t position) {
  std::string key = insight_history_prefix(id);
  append_number(key, static_cast<std::uint64_t>(sequence), 8);
  append_number(key, position, 4);
  return key;
}

std::string source_key(std::string_view source) { return text_key(kSource, source); }
std::string source_prefix() { return std::string(1, kSource); }
std::string source_insight_prefix() { return std::string(1, kSourceInsight); }
std::string source_insight_prefix(std::string_view source) {
  return text_key(kSourceInsight, source);
}
std::string source_insight_key(std::string_view source, const InsightId& id) {
  std::string key = source_insight_prefix(source);
  append_text(key, id.str());
  return key;
}

std::string near_insight_prefix() { return std::string(1, kNearInsight); }
std::string near_insight_prefix(std::uint64_t place) {
  std::string key = near_insight_prefix();
  append_number(key, place, 8);
  return key;
}
std::string near_insight_key(std::uint64_t place, const InsightId& id) {
  std::string key = near_insight_prefix(place);
  append_text(key, id.str());
  return key;
}

std::string insight_count_key(std::string_view name) { return text_key(kInsightCount, name); }
std::string insight_count_prefix() { return std::string(1, kInsightCount); }
std::string measured_device_key(std::string_view device) {
  return text_key(kMeasuredDevice, device);
}
std::string measured_device_prefix() { return std::string(1, kMeasuredDevice); }

std::string text_after(std::string_view prefix, std::string_view key) {
  std::string text;
  for (std::size_t i = prefix.size(); i < key.size() && key[i] != '\0'; ++i) {
    const bool escaped = key[i] == '\1' && i + 1 < key.size();
    text += escaped ? static_cast<char>(key[++i] - 1) : key[i];
  }
  return text;
}

std::string technique_history_prefix(std::string_view name) { return text_key(kSecondary, name); }
std::string technique_history_key(std::string_view name, std::int64_t sequence) {
  std::string key = technique_history_prefix(name);
  append_number(key, static_cast<std::uint64_t>(sequence), 8);
  return key;
}

std::string technique_key(std::string_view name) { return text_key(kRecord, name); }
std::string technique_prefix() { return std::string(1, kRecord); }

std::string skill_prefix() { return std::string(1, kSkill); }
std::string skill_prefix(std::string_view name) { return text_key(kSkill, name); }
std::string skill_key(std::string_view name, std::string_view source) {
  std::string key = skill_prefix(name);
  append_text(key, source);
  return key;
}
std::string source_in_skill_key(std::string_view key) {
  return text_after(key.substr(0, key.find('\0') + 1), key);
}

std::string fact_key(std::string_view subject, std::string_view name) {
  std::string key = text_key(kRecord, subject);
  append_text(key, name);
  return key;
}
std::string fact_prefix(std::string_view subject) {
  return subject.empty() ? std::string(1, kRecord) : text_key(kRecord, subject);
}

std::string catalogue_prefix() { return std::string(1, kRecord); }
std::string catalogue_key(std::int64_t document) {
  std::string key = catalogue_prefix();
  append_number(key, static_cast<std::uint64_t>(document), 4);
  return key;
}

std::string vector_prefix(std::uint8_t space) { return {kSecondary, static_cast<char>(space)}; }
std::string vector_key(std::uint8_t space, std::int64_t document) {
  std::string key = vector_prefix(space);
  append_number(key, static_cast<std::uint64_t>(document), 4);
  return key;
}

std::string postings_prefix(std::string_view term) { return text_key(kRecord, term); }
std::string postings_key(std::string_view term, std::int64_t bucket) {
  std::string key = postings_prefix(term);
  append_number(key, static_cast<std::uint64_t>(bucket), 4);
  return key;
}

std::string schema_key() { return text_key(kRecord, "schema"); }
std::string state_key() { return text_key(kRecord, "state"); }
std::string heard_key(std::string_view node) { return text_key(kSecondary, node); }
std::string heard_prefix() { return std::string(1, kSecondary); }
std::string log_era_key() { return std::string(1, kLogEra); }

std::optional<std::int64_t> number_in_key(std::string_view key) {
  if (key.size() != kNumberKeyBytes) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : key.substr(1)) value = (value << 8U) | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(value);
}

bool is_record_key(std::string_view key) { return !key.empty() && key.front() == kRecord; }

std::optional<std::pair<std::int64_t, std::size_t>> event_in_history_key(std::string_view key) {
  constexpr std::size_t kTail = 8 + 4;
  if (key.size() < 2 + kTail || key.front() != kCounter) return std::nullopt;
  std::uint64_t sequence = 0;
  std::size_t position = 0;
  for (const char c : key.substr(key.size() - kTail, 8)) {
    sequence = (sequence << 8U) | static_cast<unsigned char>(c);
  }
  for (const char c : key.substr(key.size() - 4)) {
    position = (position << 8U) | static_cast<unsigned char>(c);
  }
  return std::pair(static_cast<std::int64_t>(sequence), position);
}

}  // namespace warpmind::knowledge_base
