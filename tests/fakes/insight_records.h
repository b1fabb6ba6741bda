#pragma once
/// \file
/// Puts insights into a base as they are, without the events and the gate that make them: for tests
/// and benchmarks of the search alone.

#include "base/model/insight.h"
#include "knowledge_base/open_base.h"

#include <vector>

namespace warpmind::fakes {

/// One change: records and search documents. An id that is there is replaced.
[[nodiscard]] Result<void> put_insights(knowledge_base::OpenBase& base,
                                        std::vector<Insight> insights);

}  // namespace warpmind::fakes
