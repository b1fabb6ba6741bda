#pragma once
/// \file
/// Settings from their four sources: flag > environment > file > default.

#include "base/result.h"
#include "config/settings.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

/// All the variables of an environment, not only ours: HOME and XDG_* decide paths.
using Environment = std::map<std::string, std::string, std::less<>>;

/// The environment of this process.
[[nodiscard]] Environment capture_environment();

struct SettingsSources {
  /// `--config`. Else WARPMIND_CONFIG, else $XDG_CONFIG_HOME/warpmind/config.toml if that exists.
  /// A file named by a flag or by WARPMIND_CONFIG must exist.
  std::optional<std::filesystem::path> file;
  Environment environment;
  std::vector<std::string> overrides;  ///< `lab.device=1`, as given to --set; later ones win
  /// Relative paths of flags and environment start here; those of a file start at its folder.
  std::filesystem::path working_directory;
};

/// Where the value of one setting came from.
struct SettingOrigin {
  enum class Source { default_value, file, environment, flag };
  Source source = Source::default_value;
  std::string
      where;  ///< "default", "/home/a/.config/warpmind/config.toml:3", "WARPMIND_LAB_DEVICE",
              ///< "--set lab.device=1"
};

struct LoadedSettings {
  Settings settings;
  std::map<std::string, SettingOrigin, std::less<>> origins;  ///< every setting, by name
  std::filesystem::path file;                                 ///< that was read; empty = none
};

/// Errors: not_found for a named file that does not exist; invalid_argument as
/// `file:line:column: unknown setting 'lab.devise'; did you mean 'lab.device'?`, and likewise for
/// wrong types, values out of range and variables WARPMIND_* that name no setting.
[[nodiscard]] Result<LoadedSettings> load_settings(const SettingsSources& sources);

/// One line of `config show`.
struct RenderedSetting {
  std::string name;
  std::string value;  ///< empty when it stands for `when_empty`
  std::string unit;
  std::string when_empty;
  std::string origin;
  std::string document;
};

/// Every setting, in the order of the table.
[[nodiscard]] std::vector<RenderedSetting> render_settings(const LoadedSettings& loaded);

}  // namespace warpmind::config
