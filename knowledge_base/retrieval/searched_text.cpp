#include "knowledge_base/retrieval/searched_text.h"

#include "base/sequence.h"
#include "base/text.h"
#include "knowledge_base/retrieval/stable_hash.h"

#include <array>

namespace warpmind::knowledge_base {
namespace {

/// Each followed by a space.
template <class Range>
std::string spaced(const Range& words) {
  return words.empty() ? "" : join_text(words, " ") + " ";
}

}  // namespace

std::string searched_text(const Insight& insight) {
  const auto& scope = insight.scope;
  std::string text;
  for (const auto& line : {insight.claim, insight.mechanism, spaced(insight.action.techniques),
                           insight.action.parameters, spaced(scope.operator_families),
                           spaced(enum_names(scope.bottlenecks)), spaced(enum_names(scope.dtypes)),
                           scope.device, spaced(scope.contracts)}) {
    if (line.empty()) continue;
    text += line;
    text += '\n';
  }
  return text;
}

bool same_document(const Insight& before, const Insight& after) {
  return before.space == after.space && before.profile_signature == after.profile_signature &&
         before.code_signature == after.code_signature &&
         searched_text(before) == searched_text(after);
}

std::uint64_t simhash_of(const std::vector<std::string>& tokens) {
  std::array<int, 64> votes{};
  for (const auto& token : tokens) {
    const std::uint64_t hash = stable_hash(token);
    for (unsigned bit = 0; bit < votes.size(); ++bit) {
      votes.at(bit) += ((hash >> bit) & 1U) != 0 ? 1 : -1;
    }
  }
  std::uint64_t simhash = 0;
  for (unsigned bit = 0; bit < votes.size(); ++bit) {
    if (votes.at(bit) > 0) simhash |= 1ULL << bit;
  }
  return simhash;
}

}  // namespace warpmind::knowledge_base
