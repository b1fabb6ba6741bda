#include "profilers/judge/case_deck.h"

#include <algorithm>

namespace warpmind::profilers {

std::vector<Distribution> CaseDeck::deal(const std::vector<Distribution>& all,
                                         const std::string& workload, std::int64_t cases,
                                         std::mt19937_64& seeds, bool continues) {
  // One case is the plainest: nothing is dealt for it.
  if (cases > (continues ? 0 : 1) && (all != all_ || !dealt_to_.insert(workload).second)) {
    all_ = all;
    others_.assign(all.begin() + 1, all.end());
    dealt_to_ = {workload};
    dealt_ = 0;
  }
  std::vector<Distribution> order;
  while (static_cast<std::int64_t>(order.size()) < cases) {
    const bool plainest = (order.empty() && !continues) || others_.empty();
    order.push_back(plainest ? all.front() : next(seeds));
  }
  return order;
}

Distribution CaseDeck::next(std::mt19937_64& seeds) {
  if (dealt_ == 0) std::shuffle(others_.begin(), others_.end(), seeds);
  const Distribution one = others_[dealt_];
  dealt_ = (dealt_ + 1) % others_.size();
  return one;
}

}  // namespace warpmind::profilers
