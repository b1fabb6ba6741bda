#pragma once
/// \file
/// Puts a verified copy in the place of a base, so that a crash on the way is finished by the next
/// opening: at no moment would an empty base be made where one was.
///
/// The copy waits in <base>/restore. READY in it holds the folder that the present database moves
/// to; from the moment it exists, the exchange will happen.

#include "base/result.h"
#include "knowledge_base/store_location.h"

#include <filesystem>

namespace warpmind::knowledge_base {

[[nodiscard]] std::filesystem::path staging_area(const StoreLocation& location);

/// Says that the copy in the staging area is whole, and where the present database shall go
/// (a folder beside the base that does not exist).
[[nodiscard]] Result<void> stage_restore(const StoreLocation& location,
                                         const std::filesystem::path& kept);

/// Moves the present database to the kept folder and the copy in its place. Nothing when nothing is
/// staged; a staging area without READY is removed. No database may be open.
[[nodiscard]] Result<void> finish_staged_restore(const StoreLocation& location);

/// "<base>.before-restore-1", the first that does not exist.
[[nodiscard]] std::filesystem::path free_name_beside(const StoreLocation& location);

}  // namespace warpmind::knowledge_base
