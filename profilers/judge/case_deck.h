#pragma once
/// \file
/// Which kind of inputs each case of a workload has.

#include "profilers/job/judge_job.h"
#include "profilers/judge/input_generator.h"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// The first case of each workload is of the plainest kind that the task allows; the others are
/// dealt from one shuffled deck for all workloads, so that none is left out while another comes a
/// second time. A workload that comes again begins a new deck: another kernel is looked at.
class CaseDeck {
 public:
  /// `all`: what the task allows, plainest first, not empty. `seeds` decides the order. A workload
  /// that gets `every` kind takes none from the deck, and more than `cases` where there are more.
  [[nodiscard]] std::vector<InputDraw> deal(const std::vector<InputDraw>& all,
                                            const std::string& workload, std::int64_t cases,
                                            InputChoice choice, std::mt19937_64& seeds);

 private:
  InputDraw next(std::mt19937_64& seeds);

  std::vector<InputDraw> all_;     ///< what the deck was made of
  std::vector<InputDraw> others_;  ///< without the plainest
  std::set<std::string> dealt_to_;
  std::size_t dealt_ = 0;  ///< of others_, since they were shuffled
};

}  // namespace warpmind::profilers
