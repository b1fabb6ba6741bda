#pragma once
/// \file
/// Where the parts of this installation lie: beside this executable, in bin and lib of one folder,
/// unless a setting says otherwise.

#include "base/result.h"
#include "config/settings.h"

#include <filesystem>
#include <string>

namespace warpmind::config {

/// `configured`, or the program `name` beside this executable. Errors: unavailable with `setting`,
/// which names it.
[[nodiscard]] Result<std::filesystem::path> find_own_program(
    const std::filesystem::path& configured, const std::string& name, const std::string& setting);

/// Folder of the simulator's runtime that takes the place of `runtime`, to which the toolkit's
/// programs are linked ("libcudart.so.13"); "" = of any. Errors: unavailable.
[[nodiscard]] Result<std::filesystem::path> find_simulator(const LabSettings& lab,
                                                           const std::string& runtime);

/// The library that records what a program does on a GPU. Errors: unavailable.
[[nodiscard]] Result<std::filesystem::path> find_recorder();

}  // namespace warpmind::config
