#include "knowledge_base/insights/near_duplicates.h"

#include "base/sequence.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <string_view>
#include <type_traits>

namespace warpmind::knowledge_base {
namespace {

/// Of one place. More claims of one kind, technique, family and bottleneck than that are compared
/// with the first ones only.
constexpr std::size_t kMostCandidates = 512;
constexpr std::uint64_t kWordSalts[] = {11, 23, 47};

/// What must be compared, beside what the place says. Bytes on disk: fixed part, then the hashes of
/// the words in order. Little-endian, as the machines that we build for are.
struct Summary {
  std::uint64_t space = 0;       ///< hash
  std::uint64_t device = 0;      ///< hash; 0 = any
  std::uint64_t contracts = 0;   ///< hash; 0 = none
  std::uint64_t parameters = 0;  ///< hash; 0 = none
  std::uint32_t dtypes = 0;      ///< bit set; 0 = any
  std::uint16_t capability_min = 0;
  std::uint16_t capability_max = 0;
};
static_assert(std::is_trivially_copyable_v<Summary> && sizeof(Summary) == 40);

using Words = std::vector<std::uint32_t>;

Words words_in(const std::string& claim) {
  std::set<std::uint32_t> words;
  for (const auto& token : analyse(claim)) {
    words.insert(static_cast<std::uint32_t>(stable_hash(token)));
  }
  return {words.begin(), words.end()};
}

std::uint64_t list_hash(const std::vector<std::string>& list) {
  std::uint64_t hash = 0;
  for (const auto& item : list) hash = stable_hash(item, hash + 1);
  return hash;
}

Summary summary_of(const Insight& insight) {
  Summary summary;
  summary.space = stable_hash(insight.space);
  summary.device = name_hash(insight.scope.device);
  summary.contracts = list_hash(insight.scope.contracts);
  summary.parameters = name_hash(insight.action.parameters);
  for (const Dtype dtype : insight.scope.dtypes)
    summary.dtypes |= 1U << static_cast<unsigned>(dtype);
  summary.capability_min = static_cast<std::uint16_t>(insight.scope.capability_min);
  summary.capability_max = static_cast<std::uint16_t>(insight.scope.capability_max);
  return summary;
}

std::string bytes_of(const Summary& summary, const Words& words) {
  std::string bytes(sizeof summary + words.size() * sizeof words[0], '\0');
  std::memcpy(bytes.data(), &summary, sizeof summary);
  if (!words.empty()) {
    std::memcpy(bytes.data() + sizeof summary, words.data(), words.size() * sizeof words[0]);
  }
  return bytes;
}

struct Candidate {
  InsightId id;
  Summary summary;
  Words words;
};

/// Where `insight` lies; with `any` also the places of claims that name no family or bottleneck.
std::vector<std::uint64_t> places(const Insight& insight, const Words& words, bool any) {
  auto families = insight.scope.operator_families;
  auto bottlenecks = enum_names(insight.scope.bottlenecks);
  if (any || families.empty()) families.emplace_back();
  if (any || bottlenecks.empty()) bottlenecks.emplace_back();
  std::uint64_t what = stable_hash(name_of(insight.kind), list_hash(insight.action.techniques));
  std::vector<std::uint64_t> subjects{what};
  if (insight.action.techniques.empty()) {
    subjects.clear();
    for (const std::uint64_t salt : kWordSalts) {
      std::uint64_t least = mix_bits(what + salt);
      if (!words.empty()) {
        least = mix_bits(words.front() + salt);
        for (const auto word : words) least = std::min(least, mix_bits(word + salt));
      }
      subjects.push_back(mix_bits(what ^ least));
    }
  }
  std::vector<std::uint64_t> result;
  for (const auto subject : subjects) {
    for (const auto& family : families) {
      for (const auto& bottleneck : bottlenecks) {
        result.push_back(stable_hash(bottleneck, stable_hash(family, subject)));
      }
    }
  }
  return result;
}

Result<std::map<InsightId, Candidate>> candidates(const RecordReader& reader,
                                                  const std::vector<std::uint64_t>& where) {
  std::map<InsightId, Candidate> found;
  for (const auto place : where) {
    const std::string prefix = near_insight_prefix(place);
    WARPMIND_TRY(const auto entries, reader.entries(Family::insights, prefix, kMostCandidates));
    for (const auto& [key, value] : entries) {
      if (value.size() < sizeof(Summary)) {
        return fail(Errc::corrupt_data,
                    "an entry for near insights is too short: rebuild the base");
      }
      Candidate candidate;
      candidate.id = InsightId(text_after(prefix, key));
      std::memcpy(&candidate.summary, value.data(), sizeof(Summary));
      candidate.words.resize((value.size() - sizeof(Summary)) / sizeof(std::uint32_t));
      if (!candidate.words.empty()) {
        std::memcpy(candidate.words.data(), value.data() + sizeof(Summary),
                    candidate.words.size() * sizeof(std::uint32_t));
      }
      found.emplace(candidate.id, candidate);
    }
  }
  return found;
}

/// Some situation lies in both, with the same parameters and contracts.
bool meets(const Summary& a, const Summary& b) {
  const auto lower = [](const Summary& s) { return s.capability_min; };
  const auto upper = [](const Summary& s) {
    return s.capability_max == 0 ? std::uint16_t{0xffff} : s.capability_max;
  };
  return a.space == b.space && a.contracts == b.contracts &&
         (a.device == 0 || b.device == 0 || a.device == b.device) && a.parameters == b.parameters &&
         (a.dtypes == 0 || b.dtypes == 0 || (a.dtypes & b.dtypes) != 0) && lower(a) <= upper(b) &&
         lower(b) <= upper(a);
}

/// Everything in `narrow` lies in `broad`.
bool covers(const Summary& broad, const Summary& narrow) {
  return broad.contracts == 0 && (broad.device == 0 || broad.device == narrow.device) &&
         (broad.parameters == 0 || broad.parameters == narrow.parameters) &&
         (broad.dtypes == 0 || (narrow.dtypes != 0 && (narrow.dtypes & ~broad.dtypes) == 0)) &&
         (broad.capability_min == 0 || narrow.capability_min >= broad.capability_min) &&
         (broad.capability_max == 0 ||
          (narrow.capability_max != 0 && narrow.capability_max <= broad.capability_max));
}

double shared(const Words& a, const Words& b) {
  if (a.empty() && b.empty()) return 1;
  Words both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(a.size() + b.size() - both.size());
}

}  // namespace

std::map<std::string, std::string> near_entries(const Insight& insight) {
  const Words words = words_in(insight.claim);
  const std::string bytes = bytes_of(summary_of(insight), words);
  std::map<std::string, std::string> entries;
  for (const auto place : places(insight, words, false)) {
    entries.emplace(near_insight_key(place, insight.id), bytes);
  }
  return entries;
}

Result<std::vector<InsightId>> find_near(const RecordReader& reader, const Insight& claim) {
  const Words words = words_in(claim.claim);
  const Summary summary = summary_of(claim);
  WARPMIND_TRY(const auto found, candidates(reader, places(claim, words, true)));
  std::vector<std::pair<double, InsightId>> near;
  for (const auto& [id, candidate] : found) {
    if (id == claim.id || !meets(candidate.summary, summary)) continue;
    const double share = shared(candidate.words, words);
    if (share >= kNearClaim) near.emplace_back(-share, id);
  }
  std::sort(near.begin(), near.end());
  std::vector<InsightId> ids;
  ids.reserve(near.size());
  for (auto& [share, id] : near) ids.push_back(std::move(id));
  return ids;
}

Result<std::vector<InsightId>> find_covering(const RecordReader& reader, const Insight& like,
                                             std::size_t most) {
  const Summary summary = summary_of(like);
  WARPMIND_TRY(const auto found, candidates(reader, places(like, {}, true)));
  std::vector<InsightId> ids;
  for (const auto& [id, candidate] : found) {
    if (ids.size() < most && covers(candidate.summary, summary)) ids.push_back(id);
  }
  return ids;
}

double similarity(const std::string& a, const std::string& b) {
  return shared(words_in(a), words_in(b));
}

}  // namespace warpmind::knowledge_base
