// In how many judgements each search policy finds the planted optimum of docs/search.md §3.

#include "agents/search/search_policy.h"
#include "tests/unit/agents/planted_landscape.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpmind::agents {
namespace {

constexpr std::uint64_t kFirstSeed = 1000;  // not among those that constants were chosen with
constexpr std::int64_t kMost = 2000;        // judgements

struct Way {
  const char* name;
  Ground ground;
  bool memory;
};
constexpr Way kWays[] = {{"chain", Ground::chain, false},
                         {"detour", Ground::detour, false},
                         {"trap", Ground::trap, false},
                         {"chain, memory", Ground::chain, true},
                         {"detour, memory", Ground::detour, true},
                         {"trap, memory", Ground::trap, true}};

/// Judgements until the optimum, by seed; kMost + 1 where it was never found.
std::vector<std::int64_t> needed(const char* policy, const Way& way, std::int64_t seeds) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < seeds; ++i) {
    const std::uint64_t seed = kFirstSeed + static_cast<std::uint64_t>(i);
    PlantedLandscape landscape(way.ground, seed);
    if (way.memory) landscape.give_memory();
    auto search = make_search_policy(policy, seed);
    const std::int64_t count = landscape.run(**search, kMost);
    counts.push_back(count == 0 ? kMost + 1 : count);
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

std::int64_t within(const std::vector<std::int64_t>& counts, std::int64_t budget) {
  return std::upper_bound(counts.begin(), counts.end(), budget) - counts.begin();
}

}  // namespace
}  // namespace warpmind::agents

int main(int argc, char** argv) {
  using namespace warpmind::agents;
  const std::int64_t seeds = argc > 1 ? std::atol(argv[1]) : 100;
  if (seeds < 10) {
    std::fprintf(stderr, "search_bench [SEEDS]: SEEDS is the number of seeds, at least 10\n");
    return 2;
  }
  std::printf(
      "found of %ld seeds within 60 / 120 / 240 / 480 judgements; median and 90 %% point, "
      "judgements (%ld = not found)\n",
      static_cast<long>(seeds), static_cast<long>(kMost + 1));
  double mcgs_memory = 0;
  for (const auto& way : kWays) {
    for (const char* policy : {"greedy", "fsr", "mcgs", "evolve", "turns", "auto"}) {
      const auto counts = needed(policy, way, seeds);
      std::printf("%-15s %-7s %3ld %3ld %3ld %3ld   %5ld %5ld\n", way.name, policy,
                  static_cast<long>(within(counts, 60)), static_cast<long>(within(counts, 120)),
                  static_cast<long>(within(counts, 240)), static_cast<long>(within(counts, 480)),
                  static_cast<long>(counts[counts.size() / 2]),
                  static_cast<long>(counts[counts.size() * 9 / 10]));
      if (way.memory && std::string(policy) == "mcgs") {
        mcgs_memory += static_cast<double>(within(counts, 60));
      }
    }
  }
  std::printf("RESULT seeds=%ld mcgs_memory_found_60=%.4f\n", static_cast<long>(seeds),
              mcgs_memory / (3.0 * static_cast<double>(seeds)));
  return 0;
}
