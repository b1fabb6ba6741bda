#pragma once
/// \file
/// The functions of CUPTI's activity interface, found when the library is there.

#include "base/result.h"

#include <cupti.h>

namespace warpmind::profilers {

struct CuptiActivities {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;
};

/// Errors: unavailable where libcupti.so.13 is not found or lacks a function.
[[nodiscard]] Result<CuptiActivities> load_cupti_activities();

}  // namespace warpmind::profilers
