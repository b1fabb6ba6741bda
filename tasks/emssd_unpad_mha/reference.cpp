#include "warpmind_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

/// out = softmax(query . keys / sqrt(dim)) . values over `length` rows.
void attend(const double* query, const double* keys, const double* values, int64_t length,
            int64_t dim, double* out) {
  std::vector<double> weights(static_cast<std::size_t>(length));
  double largest = 0;
  for (int64_t j = 0; j < length; ++j) {
    double score = 0;
    for (int64_t i = 0; i < dim; ++i) score += query[i] * keys[j * dim + i];
    score /= std::sqrt(static_cast<double>(dim));
    largest = j == 0 ? score : std::max(largest, score);
    weights[static_cast<std::size_t>(j)] = score;
  }
  double sum = 0;
  std::fill(out, out + dim, 0.0);
  for (int64_t j = 0; j < length; ++j) {
    const double weight = std::exp(weights[static_cast<std::size_t>(j)] - largest);
    sum += weight;
    for (int64_t i = 0; i < dim; ++i) out[i] += weight * values[j * dim + i];
  }
  for (int64_t i = 0; i < dim; ++i) out[i] /= sum;
}

}  // namespace

void reference(const warpmind::ReferenceCall& call) {
  const int64_t batch = call.size("batch");
  const int64_t heads = call.size("heads");
  const int64_t rows = call.size("rows");
  const int64_t dim = call.size("dim");
  const double* qkv = call.input("qkv");
  double* out = call.output("out");
  std::fill(out, out + 8 * batch * heads * dim, 0.0);
  int64_t token = 0;
  for (int64_t sample = 0; sample < batch; ++sample) {
    const auto tokens = static_cast<int64_t>(call.input("token_nums")[sample]);
    const auto past = static_cast<int64_t>(call.input("past_length")[sample]);
    for (int64_t step = 0; step < tokens; ++step, ++token) {
      for (int64_t head = 0; head < heads; ++head) {
        double* keys = call.output("k_cache") + (sample * heads + head) * rows * dim;
        double* values = call.output("v_cache") + (sample * heads + head) * rows * dim;
        const double* query = qkv + (token * 3 * heads + head) * dim;
        std::copy(query + heads * dim, query + heads * dim + dim, keys + (past + step) * dim);
        std::copy(query + 2 * heads * dim, query + 2 * heads * dim + dim,
                  values + (past + step) * dim);
        attend(query, keys, values, past + step + 1, dim, out + (token * heads + head) * dim);
      }
    }
  }
}
