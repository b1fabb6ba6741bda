#pragma once
/// \file
/// Parameters of the `kb.*` methods as values, with sentences for what they cannot be. For the
/// files of this folder.

#include "base/enum_names.h"
#include "base/model/insight.h"
#include "base/result.h"
#include "base/text.h"
#include "config/nearest_name.h"
#include "knowledge_base/insights/insight_event.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon {

/// Errors: invalid_argument naming the parameter and the nearest name.
template <NamedEnum E>
[[nodiscard]] Result<E> enum_of(std::string_view parameter, std::string_view text) {
  if (const auto value = parse_enum<E>(text)) return *value;
  std::vector<std::string_view> known;
  known.reserve(EnumNames<E>::table.size());
  for (const auto& [value, name] : EnumNames<E>::table) known.push_back(name);
  return fail(Errc::invalid_argument, "'" + std::string(parameter) + "' does not know " +
                                          quoted_name(text) +
                                          config::suggestion(text.substr(0, 64), known));
}

template <NamedEnum E>
[[nodiscard]] Result<std::vector<E>> enums_of(std::string_view parameter,
                                              const std::vector<std::string>& texts) {
  std::vector<E> values;
  for (const auto& text : texts) {
    WARPMIND_TRY(const E value, enum_of<E>(parameter, text));
    values.push_back(value);
  }
  return values;
}

/// Errors: invalid_argument for a relative or empty path.
[[nodiscard]] Result<std::filesystem::path> path_of(std::string_view parameter,
                                                    const std::string& text);
/// A file or folder of the caller's to read. Errors: not_found; invalid_argument when it cannot be
/// opened, which is no fault of the daemon.
[[nodiscard]] Result<std::filesystem::path> readable_path(std::string_view parameter,
                                                          const std::string& text);
[[nodiscard]] Result<std::vector<std::filesystem::path>> readable_paths(
    std::string_view parameter, const std::vector<std::string>& texts);
/// Where something new shall lie; found out before work that may take a minute. Errors:
/// invalid_argument when nothing can be made there.
[[nodiscard]] Result<std::filesystem::path> writable_path(std::string_view parameter,
                                                          const std::string& text);
/// The same for a file in a folder that must be there. Errors: not_found too; conflict when the
/// file exists.
[[nodiscard]] Result<std::filesystem::path> new_file(std::string_view parameter,
                                                     const std::string& text);
/// Errors: invalid_argument outside `low` … `high`.
[[nodiscard]] Result<std::int64_t> within(std::string_view parameter, std::int64_t value,
                                          std::int64_t low, std::int64_t high);
/// 0 = none. Errors: invalid_argument.
[[nodiscard]] Result<int> capability_of(std::string_view parameter, std::int64_t value);

/// A device by its driver's name, its key in the device table, or all of one "sm_90".
struct NamedDevice {
  std::string name;    ///< "NVIDIA H200"; empty = no single model was named
  int capability = 0;  ///< 0 = not known
};
/// Errors: invalid_argument naming the nearest, for what is neither in the table nor spelt as a
/// driver does.
[[nodiscard]] Result<NamedDevice> device_of(const std::string& text);

/// "user:alice", with the reason that was given.
[[nodiscard]] knowledge_base::Actor actor_of(const std::string& user, const std::string& reason);

}  // namespace warpmind::daemon
