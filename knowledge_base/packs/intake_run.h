#pragma once
/// \file
/// Runs an intake over many records: a few changes, each durable; no change where nothing is new.

#include "base/result.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/packs/claim_intake.h"
#include "knowledge_base/packs/pack_exchange.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace warpmind::knowledge_base {

/// Records to take in.
struct IntakeBatch {
  std::size_t size = 0;
  std::function<Result<PackRecord>(std::size_t index)> record;
  std::function<std::string(std::size_t index)> where;  ///< "line 7", for notes
  std::int64_t bytes = 0;                               ///< of all records as text
  std::stop_token stop;                                 ///< asks to end between two changes
};

/// Records in one change: a pack of that many is taken as a whole or not at all; a larger one may
/// stop between two changes, and importing it again goes on from there.
inline constexpr std::size_t kRecordsPerChange = 1000;

/// Fills in base id and time of `intake`. Errors: those of writing; invalid_argument with the first
/// reason when every record was refused; cancelled.
[[nodiscard]] Result<void> run_intake(OpenBase& base, Intake intake, const IntakeBatch& batch,
                                      PackReport& report);

/// Id of the open base.
[[nodiscard]] Result<std::string> base_id_of(const OpenBase& base);

}  // namespace warpmind::knowledge_base
