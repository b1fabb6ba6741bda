#pragma once
/// \file
/// How a report looks on the console at hand.

#include "clients/cli/report/text.h"

#include <cstddef>

namespace warpmind::clients {

struct Style {
  Paint paint;
  std::size_t columns = 100;  ///< sentences are wrapped here; tables are as wide as they need
};

}  // namespace warpmind::clients
