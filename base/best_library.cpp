#include "base/best_library.h"

#include "base/text.h"

namespace warpmind {

std::optional<double> times_best_library(const BestLibrary& best, double time_ns) {
  if (best.ns <= 0 || !(time_ns > 0)) return std::nullopt;
  return best.ns / time_ns;
}

std::string describe_best_library(const BestLibrary& best, double time_ns) {
  const auto times = times_best_library(best, time_ns);
  if (!times) return best.unknown;
  return significant(*times, *times < 0.1 ? 2 : 3) + "x of " + best.library + " (" + best.call +
         "; " + time_text(best.ns) + ")";
}

}  // namespace warpmind
