#include "knowledge_base/retrieval/embedder.h"

#include "knowledge_base/retrieval/hashed_vector.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>
#include <array>

namespace warpmind::knowledge_base {
namespace {

/// Named features are few: two places each make it rare that one is drowned by another.
constexpr std::uint64_t kFirstSalt = 11;
constexpr std::uint64_t kSecondSalt = 12;

void add_feature(Vector& vector, std::string_view name, double value, std::size_t first) {
  const std::size_t count = vector.size() - first;
  const auto weight = static_cast<float>(value);
  add_hashed(vector, stable_hash(name, kFirstSalt), weight, first, count);
  add_hashed(vector, stable_hash(name, kSecondSalt), weight, first, count);
}

/// Where a feature of 0 … 1 usually lies, and how far kernels differ in it. Judged from the
/// kernels of the level-1 tasks; rough is enough.
struct UsualValue {
  std::string_view name;
  double usual;
  double spread;
};

// The place in this table is the place in the vector: append only, with a new kProfileVersion.
constexpr auto kProfileTable = std::to_array<UsualValue>({
    {"dram_share", 0.4, 0.3},
    {"sm_share", 0.35, 0.25},
    {"memory_share", 0.45, 0.3},
    {"tensor_share", 0.1, 0.25},
    {"occupancy.active", 0.5, 0.25},
    {"occupancy.theoretical", 0.75, 0.25},
    {"l1_hits", 0.4, 0.3},
    {"l2_hits", 0.5, 0.25},
    {"lanes", 0.95, 0.15},
    {"registers", 0.15, 0.15},
    {"roofline.bandwidth", 0.4, 0.3},
    {"roofline.flops", 0.15, 0.25},
    {"sectors.load", 0.2, 0.2},
    {"sectors.store", 0.2, 0.2},
    {"bank_conflicts", 0.05, 0.15},
    {"divergent_branches", 0.1, 0.15},
    {"atomic_conflicts", 0.05, 0.15},
    {"barriers", 0.1, 0.2},
    {"global_loads", 0.2, 0.2},
    {"fma_share", 0.2, 0.2},
    {"local_traffic", 0.02, 0.1},
    {"stall.long_scoreboard", 0.5, 0.25},
    {"stall.barrier", 0.15, 0.2},
    {"stall.math_pipe", 0.25, 0.25},
    {"spills", 0.05, 0.2},
    {"block_threads", 0.8, 0.1},
    {"waves", 0.4, 0.3},
    {"shared_bytes", 0.15, 0.25},
    {"blocks_per_sm", 0.5, 0.3},
    {"intensity", 0.2, 0.2},
    {"intensity.to_ridge", 0.25, 0.3},
    {"headroom", 0.25, 0.2},
    {"launches", 0.1, 0.25},
    {"time_share", 0.9, 0.2},
    {"bottleneck.memory_bandwidth", 0, 0.4},
    {"bottleneck.uncoalesced_access", 0, 0.4},
    {"bottleneck.memory_latency", 0, 0.4},
    {"bottleneck.shared_bank_conflicts", 0, 0.4},
    {"bottleneck.compute_throughput", 0, 0.4},
    {"bottleneck.tensor_cores_idle", 0, 0.4},
    {"bottleneck.low_parallelism", 0, 0.4},
    {"bottleneck.low_occupancy", 0, 0.4},
    {"bottleneck.register_spills", 0, 0.4},
    {"bottleneck.thread_divergence", 0, 0.4},
    {"bottleneck.synchronisation", 0, 0.4},
    {"bottleneck.launch_overhead", 0, 0.4},
    {"bottleneck.extra_traffic", 0, 0.4},
});
static_assert(kProfileTable.size() < kProfileDimension, "unknown features need places too");
constexpr double kMostSpreads = 3;
/// Of a feature that the table does not know.
constexpr double kUnknownSpread = 0.5;

}  // namespace

Vector embed_code(const std::map<std::string, double>& features) {
  Vector vector(kCodeDimension, 0.0F);
  for (const auto& [name, value] : features) add_feature(vector, name, value, 0);
  normalise(vector);
  return vector;
}

Vector embed_profile(const std::map<std::string, double>& features) {
  Vector vector(kProfileDimension, 0.0F);
  for (const auto& [name, value] : features) {
    const auto known =
        std::find_if(kProfileTable.begin(), kProfileTable.end(),
                     [&name = name](const UsualValue& row) { return row.name == name; });
    const bool found = known != kProfileTable.end();
    const double spreads = found ? (value - known->usual) / known->spread : value / kUnknownSpread;
    const double held = std::clamp(spreads, -kMostSpreads, kMostSpreads);
    if (found) {
      vector[static_cast<std::size_t>(known - kProfileTable.begin())] += static_cast<float>(held);
    } else {
      add_feature(vector, name, held, kProfileTable.size());
    }
  }
  normalise(vector);
  return vector;
}

namespace {

// What a word, a pair of words and all n-grams of a word together weigh.
constexpr float kWordWeight = 1.0F;
constexpr float kPairWeight = 0.2F;
constexpr float kGramWeight = 0.7F;
constexpr std::size_t kShortestGram = 3;
constexpr std::size_t kLongestGram = 5;
/// Keeps the hashes of words, pairs and n-grams apart.
constexpr std::uint64_t kWordSalt = 1;
constexpr std::uint64_t kPairSalt = 2;
constexpr std::uint64_t kGramSalt = 3;

struct Feature {
  std::uint64_t hash = 0;
  float weight = 0;
};

void add_grams(std::vector<Feature>& features, const std::string& word) {
  const std::string framed = "<" + word + ">";
  for (std::size_t length = kShortestGram; length <= kLongestGram; ++length) {
    if (framed.size() < length) break;
    const std::size_t count = framed.size() - length + 1;
    const float weight = kGramWeight / std::sqrt(static_cast<float>(count));
    for (std::size_t at = 0; at < count; ++at) {
      const auto gram = std::string_view(framed).substr(at, length);
      features.push_back({stable_hash(gram, kGramSalt), weight});
    }
  }
}

std::vector<Feature> features_of(std::string_view text, const std::vector<std::string>& tokens) {
  std::vector<Feature> features;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    features.push_back({stable_hash(tokens[i], kWordSalt), kWordWeight});
    if (i > 0)
      features.push_back({stable_hash(tokens[i - 1] + " " + tokens[i], kPairSalt), kPairWeight});
  }
  for (const auto& word : words_of(text)) add_grams(features, word);
  return features;
}

}  // namespace

Vector embed_text(std::string_view text) { return embed_text(text, analyse(text)); }

Vector embed_text(std::string_view text, const std::vector<std::string>& tokens) {
  auto features = features_of(text, tokens);
  std::sort(features.begin(), features.end(),
            [](const Feature& a, const Feature& b) { return a.hash < b.hash; });
  Vector vector(kTextDimension, 0.0F);
  for (std::size_t i = 0; i < features.size();) {
    std::size_t next = i + 1;
    while (next < features.size() && features[next].hash == features[i].hash) ++next;
    // Said twice counts more than once, not twice as much.
    const float weight = features[i].weight * (1.0F + std::log(static_cast<float>(next - i)));
    add_hashed(vector, features[i].hash, weight, 0, vector.size());
    i = next;
  }
  normalise(vector);
  return vector;
}

}  // namespace warpmind::knowledge_base
