#include "knowledge_base/retrieval/query_check.h"

#include "knowledge_base/retrieval/features.h"

#include <cmath>

namespace warpmind::knowledge_base {
namespace {

constexpr double kMostWithheld = 0.5;

Result<void> refuse(std::string sentence) {
  return fail(Errc::invalid_argument, "search of insights: " + std::move(sentence));
}

Result<void> check_features(const std::map<std::string, double>& features, const char* what) {
  if (features.size() > kMostFeatures) {
    return refuse(std::string(what) + " has " + std::to_string(features.size()) +
                  " features, at most " + std::to_string(kMostFeatures) + " are allowed");
  }
  for (const auto& [name, value] : features) {
    if (!std::isfinite(value)) {
      return refuse("feature \"" + name + "\" of " + what + " is not a finite number");
    }
  }
  return {};
}

}  // namespace

Result<void> check_query(const InsightQuery& query) {
  if (query.limit < 1 || query.limit > kMostInsights) {
    return refuse("limit is " + std::to_string(query.limit) + ", it must be 1 to " +
                  std::to_string(kMostInsights));
  }
  if (query.token_budget < 1) {
    return refuse("token_budget is " + std::to_string(query.token_budget) +
                  ", it must be at least 1");
  }
  if (!(query.withhold >= 0 && query.withhold <= kMostWithheld)) {
    return refuse("withhold is " + std::to_string(query.withhold) + ", it must be 0 to 0.5");
  }
  if (query.text.size() > kLongestQueryText) {
    return refuse("the text has " + std::to_string(query.text.size()) + " bytes, at most " +
                  std::to_string(kLongestQueryText) + " are allowed; ask for its main words");
  }
  if (query.capability < 0) return refuse("capability must not be negative");
  for (const auto& [names, what] : {std::pair(&query.spaces, "spaces"),
                                    {&query.techniques, "techniques"},
                                    {query.contracts ? &*query.contracts : nullptr, "contracts"}}) {
    if (names != nullptr && names->size() > kMostQueryNames) {
      return refuse(std::string(what) + " has " + std::to_string(names->size()) +
                    " names, at most " + std::to_string(kMostQueryNames) + " are allowed");
    }
  }
  WARPMIND_CHECK(check_features(query.profile, "profile"));
  return check_features(query.code, "code");
}

}  // namespace warpmind::knowledge_base
