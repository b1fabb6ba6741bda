#pragma once
/// \file
/// Where files live, by the XDG Base Directory Specification, from an injected environment.

#include "base/result.h"
#include "config/settings_loader.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace warpmind::config {

/// One of the specification's folders: its variable, and its place under $HOME otherwise.
struct XdgFolder {
  std::string_view variable;
  std::string_view below_home;
};
inline constexpr XdgFolder kXdgConfig{"XDG_CONFIG_HOME", ".config"};
inline constexpr XdgFolder kXdgState{"XDG_STATE_HOME", ".local/state"};
inline constexpr XdgFolder kXdgCache{"XDG_CACHE_HOME", ".cache"};
inline constexpr XdgFolder kXdgData{"XDG_DATA_HOME", ".local/share"};

/// The specification says that a relative path in a variable is ignored. Nullopt without HOME.
[[nodiscard]] std::optional<std::filesystem::path> xdg_directory(const Environment& environment,
                                                                 const XdgFolder& folder);

/// `path` with a leading `~/` replaced and made absolute from `start`; empty stays empty.
[[nodiscard]] std::filesystem::path expanded_path(const std::filesystem::path& path,
                                                  const std::filesystem::path& start,
                                                  const Environment& environment);

/// Fills the empty paths of `settings` that do not mean something else.
/// Errors: invalid_argument when HOME is needed and not set, or the socket path is too long.
[[nodiscard]] Result<void> resolve_paths(const Environment& environment, Settings& settings);

}  // namespace warpmind::config
