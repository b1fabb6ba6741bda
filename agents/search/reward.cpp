#include "agents/search/reward.h"

namespace warpmind::agents {

std::vector<double> discounted_returns(std::span<const double> scores, double discount) {
  std::vector<double> returns(scores.size());
  double later = 0;
  for (std::size_t i = scores.size(); i > 0; --i) {
    later = scores[i - 1] + discount * later;
    returns[i - 1] = later;
  }
  return returns;
}

}  // namespace warpmind::agents
