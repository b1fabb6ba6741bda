// What the judge's comparison refuses and lets pass: mutants of outputs, honest re-orderings and
// the distance of either to the tolerance, on the shipped tasks. docs/numerics.md has its tables.
#include "tests/numerics/experiments.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace warpmind::numerics;

struct Totals {
  std::int64_t mutants = 0, killed = 0, beyond4x = 0, beyond4x_killed = 0;
  std::int64_t honest = 0, rejected = 0;
  double cheat = 1e9, fair = 1e9;
};

int run(std::int64_t seeds, const std::vector<std::string>& names) {
  std::vector<MutationRow> mutations;
  std::vector<HonestRow> honest;
  std::vector<CalibrationRow> calibration;
  Totals totals;
  for (const std::string& name : names) {
    const Family family(name, true);
    std::cerr << name << "\n";
    mutations.push_back(run_mutants(family, 7));
    totals.mutants += mutations.back().mutants;
    totals.killed += mutations.back().killed;
    totals.beyond4x += mutations.back().beyond4x;
    totals.beyond4x_killed += mutations.back().beyond4x_killed;
    honest.push_back(run_honest(family, seeds));
    totals.honest += honest.back().kernels;
    totals.rejected += honest.back().rejected;
    if (family.task().contract.tolerance == warpmind::ToleranceClass::exact) continue;
    calibration.push_back(calibrate(family, std::min<std::int64_t>(seeds, 5)));
    totals.cheat = std::min(totals.cheat, calibration.back().cheat_ratio);
    totals.fair = std::min(totals.fair, calibration.back().honest_ratio);
  }
  print(std::cout, mutations);
  std::cout << "\n";
  print(std::cout, honest);
  std::cout << "\n";
  print(std::cout, calibration);
  std::cout << "RESULT mutants=" << totals.mutants << " killed=" << totals.killed
            << " beyond4x=" << totals.beyond4x << " beyond4x_killed=" << totals.beyond4x_killed
            << " honest=" << totals.honest << " rejected=" << totals.rejected
            << " cal_min_cheat_ratio=" << totals.cheat << " cal_min_honest_ratio=" << totals.fair
            << "\n";
  return 0;
}

}  // namespace

/// numerics_bench [SEEDS [TASK ...]]
int main(int argc, char** argv) {
  try {
    const std::int64_t seeds = argc > 1 ? std::max<std::int64_t>(1, std::atoll(argv[1])) : 20;
    const auto names = argc > 2 ? std::vector<std::string>(argv + 2, argv + argc) : family_names();
    return run(seeds, names);
  } catch (const std::exception& e) {
    std::cerr << "numerics_bench: " << e.what() << "\n";
    return 1;
  }
}
