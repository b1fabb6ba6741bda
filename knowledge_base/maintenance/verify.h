#pragma once
/// \file
/// Looks at every record of a base and changes nothing.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/store_location.h"

#include <stop_token>

namespace warpmind::knowledge_base {

enum class VerifyDepth {
  records,  ///< every record decodes, references lead somewhere, counters are right
  files,    ///< and the whole chain of the log, and the checksum of every block
};

/// From one snapshot: writers go on. An error is one of the disk; what is wrong with the base is a
/// problem in the report; cancelled when `stop` asked for it.
[[nodiscard]] Result<VerifyReport> verify_base(const Database& database,
                                               const StoreLocation& location, VerifyDepth depth,
                                               const std::stop_token& stop = {});

}  // namespace warpmind::knowledge_base
