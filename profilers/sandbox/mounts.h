#pragma once
/// \file
/// The arguments of bubblewrap, as pure functions of the machine's file tree.

#include "profilers/sandbox/sandbox.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// nvcc's intermediate files of a large source are some 100 MB; a candidate that fills more stops.
inline constexpr std::uint64_t kTemporaryBytes = std::uint64_t{2} * 1024 * 1024 * 1024;

using BubblewrapArguments = std::vector<std::string>;

/// Namespaces, identity, capabilities, session: the same for every role.
/// `recent`: bubblewrap 0.8 or later, which can switch off nested user namespaces and bound /tmp.
void add_isolation(BubblewrapArguments& arguments, bool recent);
/// /usr, its links, the loader's cache; /proc, a minimal /dev, an empty /tmp and /dev/shm.
void add_system(BubblewrapArguments& arguments, bool recent);
/// Everything that is not bound and writable by itself becomes read-only: the root and /dev are
/// memory, which a job could fill, and /proc/sys is the machine's. After all mounts.
void add_seal(BubblewrapArguments& arguments);
/// Every /dev/nvidia*, /dev/nvidia-caps, WSL's /dev/dxg, /sys and driver library folders that
/// exist.
void add_devices(BubblewrapArguments& arguments);
void add_read_only(BubblewrapArguments& arguments, const std::filesystem::path& path);
/// As add_read_only(), but for nothing that add_system() has brought already.
void add_extra(BubblewrapArguments& arguments, const std::filesystem::path& path);

/// A program, library or folder of ours and, where it is installed, the folder of the libraries
/// that its package brings: PREFIX/lib/warpmind for PREFIX/bin/NAME and for
/// PREFIX/lib/warpmind/NAME.
[[nodiscard]] std::vector<std::filesystem::path> own_mounts(const std::filesystem::path& own);

/// Folders of a LD_LIBRARY_PATH that a runner may see: absolute, existing, and neither the root
/// nor a home nor a temporary folder as a whole.
[[nodiscard]] std::vector<std::filesystem::path> library_folders(std::string_view search_path);

}  // namespace warpmind::profilers
