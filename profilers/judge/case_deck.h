#pragma once
/// \file
/// Which distribution of inputs each case of a workload takes.

#include "base/model/task.h"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// The first case of each workload takes the plainest distribution that the task allows; the others
/// are dealt from one shuffled deck for all workloads, so that none is left out while another comes
/// a second time. A workload that comes again begins a new deck: another kernel is looked at.
class CaseDeck {
 public:
  /// `all`: what the task allows, plainest first, not empty. `seeds` decides the order.
  /// `continues`: the workload has had its first case before, alone.
  [[nodiscard]] std::vector<Distribution> deal(const std::vector<Distribution>& all,
                                               const std::string& workload, std::int64_t cases,
                                               std::mt19937_64& seeds, bool continues = false);

 private:
  Distribution next(std::mt19937_64& seeds);

  std::vector<Distribution> all_;     ///< what the deck was made of
  std::vector<Distribution> others_;  ///< without the plainest
  std::set<std::string> dealt_to_;
  std::size_t dealt_ = 0;  ///< of others_, since they were shuffled
};

}  // namespace warpmind::profilers
