#include "profilers/judge/case_deck.h"

#include <algorithm>

namespace warpmind::profilers {

std::vector<InputDraw> CaseDeck::deal(const std::vector<InputDraw>& all,
                                      const std::string& workload, std::int64_t cases,
                                      InputChoice choice, std::mt19937_64& seeds) {
  if (choice == InputChoice::every) {
    std::vector<InputDraw> order = all;
    std::shuffle(order.begin() + 1, order.end(), seeds);
    while (static_cast<std::int64_t>(order.size()) < cases) {
      order.push_back(order[order.size() % all.size()]);
    }
    return order;
  }
  const bool continues = choice == InputChoice::continued;
  // A first case is not dealt.
  if (cases > (continues ? 0 : 1) && (all != all_ || !dealt_to_.insert(workload).second)) {
    all_ = all;
    others_.assign(all.begin() + 1, all.end());
    dealt_to_ = {workload};
    dealt_ = 0;
  }
  std::vector<InputDraw> order;
  if (choice == InputChoice::uneven) {
    const auto uneven = std::find_if(all.begin(), all.end(), [](const InputDraw& one) {
      return one.trait == InputTrait::uneven;
    });
    order.push_back(uneven == all.end() ? all.front() : *uneven);
    order.back().in_pieces = true;  // it may be the only case
  }
  while (static_cast<std::int64_t>(order.size()) < cases) {
    const bool plainest = (order.empty() && !continues) || others_.empty();
    order.push_back(plainest ? all.front() : next(seeds));
  }
  return order;
}

InputDraw CaseDeck::next(std::mt19937_64& seeds) {
  if (dealt_ == 0) std::shuffle(others_.begin(), others_.end(), seeds);
  const InputDraw one = others_[dealt_];
  dealt_ = (dealt_ + 1) % others_.size();
  return one;
}

}  // namespace warpmind::profilers
