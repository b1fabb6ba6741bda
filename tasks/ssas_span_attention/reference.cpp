#include "warpmind_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

/// The tokens that `token` attends to, in order.
std::vector<int64_t> seen_by(int64_t token, int64_t prompt, const double* named) {
  const int64_t segment = token / 32;
  std::vector<int64_t> seen;
  for (int64_t j = 0; j <= token; ++j) {
    bool is_seen = token < prompt || j < 8 || j / 32 == segment;
    for (int64_t n = 0; n < 3; ++n) {
      is_seen = is_seen || static_cast<int64_t>(named[segment * 3 + n]) == j / 32;
    }
    if (is_seen) seen.push_back(j);
  }
  return seen;
}

}  // namespace

void reference(const warpmind::ReferenceCall& call) {
  const int64_t tokens = call.size("tokens");
  const int64_t dim = call.size("dim");
  const double* q = call.input("q");
  const double* k = call.input("k");
  const double* v = call.input("v");
  for (int64_t token = 0; token < tokens; ++token) {
    const std::vector<int64_t> seen = seen_by(token, call.size("prompt"), call.input("named"));
    std::vector<double> scores(seen.size());
    for (int64_t head = 0; head < call.size("heads"); ++head) {
      const int64_t first = head * tokens * dim;
      for (std::size_t s = 0; s < seen.size(); ++s) {
        double score = 0;
        for (int64_t i = 0; i < dim; ++i) {
          score += q[first + token * dim + i] * k[first + seen[s] * dim + i];
        }
        scores[s] = score / std::sqrt(static_cast<double>(dim));
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double* out = call.output("out") + first + token * dim;
      std::fill(out, out + dim, 0.0);
      double sum = 0;
      for (std::size_t s = 0; s < seen.size(); ++s) {
        const double weight = std::exp(scores[s] - largest);
        sum += weight;
        for (int64_t i = 0; i < dim; ++i) out[i] += weight * v[first + seen[s] * dim + i];
      }
      for (int64_t i = 0; i < dim; ++i) out[i] /= sum;
    }
  }
}
