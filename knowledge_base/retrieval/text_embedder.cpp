#include "knowledge_base/retrieval/hashed_vector.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>

namespace warpmind::knowledge_base {
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
