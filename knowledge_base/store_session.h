#pragma once
/// \file
/// Opening a base: create, verify against the watermark, or fall back to read-only.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/records.h"
#include "knowledge_base/store_location.h"
#include "knowledge_base/watermark.h"

#include <memory>
#include <optional>
#include <string>

namespace warpmind::knowledge_base {

/// A base from one opening to the next.
struct StoreSession {
  std::unique_ptr<Database> database;
  StoreState state;                    ///< as of the last change; only the writer looks at it
  std::optional<Watermark> watermark;  ///< absent when read-only
  std::string note;                    ///< why writes are refused; empty = they are not
  bool retry = false;                  ///< whether opening again may help (space, I/O error)
};

/// Errors: conflict for a base of a newer schema (no byte is changed); corrupt_data when there is
/// nothing to serve; unavailable or external_failure from the disk.
[[nodiscard]] Result<StoreSession> open_session(const StoreLocation& location);

}  // namespace warpmind::knowledge_base
