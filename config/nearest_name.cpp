#include "config/nearest_name.h"

#include <algorithm>
#include <cstddef>

namespace warpmind::config {
namespace {

// Damerau-Levenshtein distance, restricted form (no letter is edited twice).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                             std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& known) {
  constexpr std::size_t kLongestName = 128;  // longer is no slip of the fingers, and costs squares
  if (wrong.size() > kLongestName) return {};
  std::string_view best;
  // At least one letter must stay, or anything would be near to a short name.
  std::size_t least = std::min(std::max<std::size_t>(2, wrong.size() / 3) + 1, wrong.size());
  for (const auto candidate : known) {
    const std::size_t found = distance(wrong, candidate);
    if (found < least) {
      least = found;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view wrong, const std::vector<std::string_view>& known) {
  constexpr std::size_t kListed = 16;
  std::string all;
  for (std::size_t i = 0; i < std::min(known.size(), kListed); ++i) {
    all += (all.empty() ? "" : ", ") + std::string(known[i]);
  }
  if (known.size() > kListed) all += ", …";
  const auto near = nearest_name(wrong, known);
  const std::string question = near.empty() ? "; " : "; did you mean '" + std::string(near) + "'? ";
  return question + "known: " + (all.empty() ? "none" : all);
}

}  // namespace warpmind::config
