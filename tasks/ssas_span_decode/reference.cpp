#include "warpmind_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

/// The cached tokens that sample `b` attends to, in order. There is always one to attend to.
std::vector<int64_t> seen_by(int64_t b, const warpmind::ReferenceCall& call) {
  const double* named = call.input("named") + b * 4;
  const int64_t length = std::max<int64_t>(1, static_cast<int64_t>(call.input("lengths")[b]));
  std::vector<int64_t> seen;
  for (int64_t j = 0; j < length; ++j) {
    bool is_seen = j < 8 || j >= length - 32;
    for (int64_t n = 0; n < 4; ++n) {
      is_seen = is_seen || static_cast<int64_t>(named[n]) == j / 64;
    }
    if (is_seen) seen.push_back(j);
  }
  return seen;
}

}  // namespace

void reference(const warpmind::ReferenceCall& call) {
  const int64_t heads = call.size("heads");
  const int64_t dim = call.size("dim");
  for (int64_t sample = 0; sample < call.size("batch"); ++sample) {
    const std::vector<int64_t> seen = seen_by(sample, call);
    std::vector<double> scores(seen.size());
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t row = sample * heads + head;
      const double* query = call.input("q") + row * dim;
      const double* keys = call.input("k_cache") + row * call.size("rows") * dim;
      const double* values = call.input("v_cache") + row * call.size("rows") * dim;
      for (std::size_t s = 0; s < seen.size(); ++s) {
        scores[s] = 0;
        for (int64_t i = 0; i < dim; ++i) scores[s] += query[i] * keys[seen[s] * dim + i];
        scores[s] /= std::sqrt(static_cast<double>(dim));
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double* out = call.output("out") + row * dim;
      std::fill(out, out + dim, 0.0);
      double sum = 0;
      for (std::size_t s = 0; s < seen.size(); ++s) {
        const double weight = std::exp(scores[s] - largest);
        sum += weight;
        for (int64_t i = 0; i < dim; ++i) out[i] += weight * values[seen[s] * dim + i];
      }
      for (int64_t i = 0; i < dim; ++i) out[i] /= sum;
    }
  }
}
