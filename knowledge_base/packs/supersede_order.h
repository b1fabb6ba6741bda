#pragma once
/// \file
/// Which claims of a pack take the place of which, and whether that goes round in a circle.

#include "base/model/insight.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class SupersedeOrder {
 public:
  void add(const Insight& insight);
  /// "i-1 → i-2 → i-1"; "" when there is none. Linear, and without recursion.
  [[nodiscard]] std::string circle() const;

 private:
  std::map<InsightId, std::vector<InsightId>> older_;
};

}  // namespace warpmind::knowledge_base
