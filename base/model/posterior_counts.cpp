#include "base/model/posterior_counts.h"

#include <algorithm>
#include <cmath>

namespace warpmind {

void Moments::add(double value, double value_weight) {
  weight += value_weight;
  const double shift = value - mean;
  mean += shift * value_weight / weight;
  squares += value_weight * shift * (value - mean);
}

Moments Moments::plus(const Moments& other) const {
  if (weight <= kNoWeight) return other;
  if (other.weight <= kNoWeight) return *this;
  Moments sum;
  sum.weight = weight + other.weight;
  const double shift = other.mean - mean;
  sum.mean = mean + shift * other.weight / sum.weight;
  sum.squares = squares + other.squares + shift * shift * weight * other.weight / sum.weight;
  return sum;
}

Moments Moments::minus(const Moments& part) const {
  Moments rest;
  rest.weight = weight - part.weight;
  if (rest.weight <= kNoWeight) return {};
  rest.mean = (weight * mean - part.weight * part.mean) / rest.weight;
  const double shift = part.mean - rest.mean;
  rest.squares =
      std::max(0.0, squares - part.squares - shift * shift * part.weight * rest.weight / weight);
  return rest;
}

std::int64_t PosteriorCounts::observations() const { return std::llround(confirmed.weight); }

bool PosteriorCounts::empty() const {
  return confirmed.weight <= kNoWeight && screened.weight <= kNoWeight && feasible == 0 &&
         infeasible == 0;
}

PosteriorCounts PosteriorCounts::plus(const PosteriorCounts& newer) const {
  PosteriorCounts sum;
  sum.confirmed = confirmed.plus(newer.confirmed);
  sum.screened = screened.plus(newer.screened);
  sum.surprise = surprise.plus(newer.surprise);
  sum.standing = standing.plus(newer.standing);
  sum.feasible = feasible + newer.feasible;
  sum.infeasible = infeasible + newer.infeasible;
  sum.toolchain = newer.toolchain == Toolchain{} ? toolchain : newer.toolchain;
  return sum;
}

}  // namespace warpmind
