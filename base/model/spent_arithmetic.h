#pragma once
/// \file
/// Sums of what work has cost.

#include "base/model/job.h"

namespace warpmind {

inline Spent& operator+=(Spent& sum, const Spent& more) {
  sum.evaluations += more.evaluations;
  sum.seconds += more.seconds;
  sum.gpu_seconds += more.gpu_seconds;
  sum.tokens += more.tokens;
  sum.micro_usd += more.micro_usd;
  return sum;
}

inline Spent& operator-=(Spent& sum, const Spent& less) {
  sum.evaluations -= less.evaluations;
  sum.seconds -= less.seconds;
  sum.gpu_seconds -= less.gpu_seconds;
  sum.tokens -= less.tokens;
  sum.micro_usd -= less.micro_usd;
  return sum;
}

}  // namespace warpmind
