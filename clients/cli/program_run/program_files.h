#pragma once
/// \file
/// The files of `optimize FILE.cu --run`: the user's, which is only read, and the folder beside it.

#include "clients/cli/command_line.h"

#include <filesystem>
#include <string>

namespace warpmind::clients {

struct ProgramFiles {
  std::filesystem::path given;   ///< absolute
  std::string text;              ///< of it
  std::filesystem::path folder;  ///< kept: given.cu, record, tasks/
  std::filesystem::path output;  ///< the optimised program
  std::string name;              ///< begins the names of the tasks: "my_file"

  [[nodiscard]] std::filesystem::path copy() const { return folder / "given.cu"; }
  [[nodiscard]] std::filesystem::path record() const { return folder / "record"; }
  /// What buffers held, a file each: private, and never anywhere but here and in tasks/.
  [[nodiscard]] std::filesystem::path contents() const { return folder / "record.contents"; }
  [[nodiscard]] std::filesystem::path task(const std::string& part) const {
    return folder / "tasks" / part;
  }
};

/// Errors: not_found and invalid_argument: no such file, a folder, larger than 4 MiB, no kernel in
/// it, an output that is the file itself.
[[nodiscard]] Result<ProgramFiles> program_files(const OptimizeOptions& options);

/// Makes the folder, without what an earlier run left in it, and the copy. Errors: conflict when
/// something else than such a folder is there; external_failure.
[[nodiscard]] Result<void> prepare(const ProgramFiles& files);

}  // namespace warpmind::clients
