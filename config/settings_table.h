#pragma once
/// \file
/// Every setting as data: name, unit, limits, document, and where it lives in Settings. The one
/// source of the file format, the environment names, the flags, `config show` and docs/settings.md.

#include "base/result.h"
#include "config/settings.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace warpmind::config {

/// The field of a Settings that a setting names; its alternative is the setting's type.
using SettingField =
    std::variant<bool*, std::int64_t*, double*, std::string*, std::filesystem::path*>;

struct Setting {
  std::string_view name;  ///< "lab.device": the path of the field in Settings
  SettingField (*field)(Settings&);
  std::string_view unit{};      ///< "s", "MiB", …; empty when it has none
  std::string_view document{};  ///< one sentence
  double low = -std::numeric_limits<double>::infinity();  ///< numbers: least value
  double high = std::numeric_limits<double>::infinity();  ///< numbers: greatest value
  std::span<const std::string_view> allowed{};            ///< texts: empty = any
  std::string_view when_empty{};  ///< what an empty path or text stands for; empty = may not be so
  bool stays_empty = false;       ///< paths: the loader leaves an empty one empty
};

/// In the order of the document: daemon, log, knowledge, toolchain, lab, episode.
[[nodiscard]] std::span<const Setting> settings_table();

/// Null when there is no setting of that name.
[[nodiscard]] const Setting* find_setting(std::string_view name);

/// "lab.timing_quads" -> "WARPMIND_LAB_TIMING_QUADS".
[[nodiscard]] std::string environment_name(const Setting& setting);

/// "boolean", "integer", "number", "text" or "path".
[[nodiscard]] std::string_view type_name(const Setting& setting);

/// What a value must be, for messages: "an integer", "true or false", …
[[nodiscard]] std::string_view type_phrase(const Setting& setting);

/// The value of `setting` in `settings`: `true`, `10`, `2.5`, `info`, `/dev/shm`.
[[nodiscard]] std::string value_text(const Setting& setting, const Settings& settings);

/// Reads `text` as the setting's type, holds it to its limits and stores it.
/// Errors: invalid_argument as `setting 'lab.device' must be an integer, not 'first'`.
[[nodiscard]] Result<void> assign_text(const Setting& setting, std::string_view text,
                                       Settings& settings);

/// The same for a value that already has the type.
[[nodiscard]] Result<void> assign_boolean(const Setting& setting, bool value, Settings& settings);
[[nodiscard]] Result<void> assign_integer(const Setting& setting, std::int64_t value,
                                          Settings& settings);
[[nodiscard]] Result<void> assign_number(const Setting& setting, double value, Settings& settings);

/// The table of docs/settings.md, in Markdown.
[[nodiscard]] std::string settings_document();

}  // namespace warpmind::config
