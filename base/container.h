#pragma once
/// \file
/// Whether this process runs in a container, where root is not the machine's root.

#include <filesystem>
#include <string>

namespace warpmind {

/// What shows it, for people: "/.dockerenv", "a PID namespace of its own"; empty when nothing does.
/// `root` takes the place of /, so that a made tree can stand in for a machine.
[[nodiscard]] std::string container_sign(const std::filesystem::path& root = "/");

}  // namespace warpmind
