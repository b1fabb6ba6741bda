#include "config/settings_loader.h"

#include "base/file.h"
#include "config/nearest_name.h"
#include "config/settings_table.h"
#include "config/toml_document.h"
#include "config/xdg_paths.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

extern char** environ;  // NOLINT(readability-identifier-naming): POSIX's name

namespace warpmind::config {
namespace {

constexpr std::size_t kFileLimitBytes = std::size_t{1} << 20U;
constexpr std::string_view kFileVariable = "WARPMIND_CONFIG";
/// The key of the language model: a secret, so no setting.
constexpr std::string_view kKeyVariable = "WARPMIND_LLM_KEY";
constexpr std::string_view kPrefix = "WARPMIND_";

std::vector<std::string_view> setting_names() {
  std::vector<std::string_view> names;
  for (const auto& setting : settings_table()) names.push_back(setting.name);
  return names;
}

// Only the nearest: the list of all settings is too long for a message.
std::string hint(std::string_view wrong, const std::vector<std::string_view>& known) {
  const auto near = nearest_name(wrong, known);
  if (near.empty()) return "; `warpmind config show` lists them all";
  return "; did you mean '" + std::string(near) + "'?";
}

std::string unknown_setting(std::string_view name) {
  return "unknown setting '" + std::string(name) + "'" + hint(name, setting_names());
}

/// Collects values into `loaded`, one source after the other, weakest first.
class SettingsLoader {
 public:
  explicit SettingsLoader(const SettingsSources& sources) : sources_(sources) {
    for (const auto& setting : settings_table()) {
      loaded_.origins.emplace(setting.name,
                              SettingOrigin{SettingOrigin::Source::default_value, "default"});
    }
  }

  Result<LoadedSettings> run() {
    WARPMIND_CHECK(read_file_source());
    WARPMIND_CHECK(read_environment());
    WARPMIND_CHECK(read_overrides());
    WARPMIND_CHECK(resolve_paths(sources_.environment, loaded_.settings));
    take_unset("OTEL_EXPORTER_OTLP_ENDPOINT", "", loaded_.settings.otlp.endpoint);
    take_unset("OTEL_SERVICE_NAME", "warpmind", loaded_.settings.otlp.service);
    return std::move(loaded_);
  }

 private:
  /// Variables that other programs share, for what no source of ours sets.
  void take_unset(std::string_view variable, std::string_view otherwise, std::string& value) const {
    if (!value.empty()) return;
    const auto found = sources_.environment.find(variable);
    value = found == sources_.environment.end() || found->second.empty() ? std::string(otherwise)
                                                                         : found->second;
  }

  Result<std::optional<std::filesystem::path>> choose_file() const {
    if (sources_.file) return sources_.working_directory / *sources_.file;
    const auto variable = sources_.environment.find(kFileVariable);
    if (variable != sources_.environment.end() && !variable->second.empty()) {
      return sources_.working_directory / variable->second;
    }
    const auto folder = xdg_directory(sources_.environment, kXdgConfig);
    if (!folder) return std::nullopt;
    auto file = *folder / "warpmind" / "config.toml";
    std::error_code ec;
    if (!std::filesystem::exists(file, ec)) return std::nullopt;
    return file;
  }

  Result<void> read_file_source() {
    WARPMIND_TRY(const auto file, choose_file());
    if (!file) return {};
    auto text = read_file(*file, kFileLimitBytes);
    if (!text) return fail(std::move(text).error().while_doing("settings file"));
    WARPMIND_TRY(const TomlValue document, parse_toml(*text, file->string()));
    loaded_.file = *file;
    for (const auto& section : *document.get<TomlValue::Table>()) {
      const auto* entries = section.value.get<TomlValue::Table>();
      if (entries == nullptr) {
        return file_error(section.place, unknown_setting(section.key) +
                                             " Settings stand in sections such as [lab]");
      }
      if (entries->empty()) WARPMIND_CHECK(check_section(section));
      for (const auto& entry : *entries) WARPMIND_CHECK(take_entry(section.key, entry));
    }
    return {};
  }

  // An empty section with a wrong name is a slip too.
  Result<void> check_section(const TomlEntry& section) const {
    std::vector<std::string_view> sections;
    for (const auto& setting : settings_table()) {
      const auto name = setting.name.substr(0, setting.name.find('.'));
      if (name == section.key) return {};
      if (sections.empty() || sections.back() != name) sections.push_back(name);
    }
    return file_error(section.place,
                      "unknown section [" + section.key + "]" + suggestion(section.key, sections));
  }

  Result<void> take_entry(const std::string& section, const TomlEntry& entry) {
    const std::string name = section + "." + entry.key;
    const Setting* setting = find_setting(name);
    if (setting == nullptr) return file_error(entry.place, unknown_setting(name));
    auto assigned = assign_toml(*setting, entry.value);
    if (!assigned) return file_error(entry.value.place, assigned.error().message);
    absolutize(*setting, loaded_.file.parent_path());
    loaded_.origins[name] = {SettingOrigin::Source::file,
                             loaded_.file.string() + ":" + std::to_string(entry.place.line)};
    return {};
  }

  Result<void> assign_toml(const Setting& setting, const TomlValue& value) {
    Settings& settings = loaded_.settings;
    if (const auto* boolean = value.get<bool>()) return assign_boolean(setting, *boolean, settings);
    if (const auto* whole = value.get<std::int64_t>()) {
      return assign_integer(setting, *whole, settings);
    }
    if (const auto* number = value.get<double>()) return assign_number(setting, *number, settings);
    const auto* text = value.get<std::string>();
    const auto type = type_name(setting);
    if (text != nullptr && (type == "text" || type == "path")) {
      return assign_text(setting, *text, settings);
    }
    return fail(Errc::invalid_argument, "setting '" + std::string(setting.name) + "' must be " +
                                            std::string(type_phrase(setting)) + ", not " +
                                            std::string(value.kind()));
  }

  [[nodiscard]] tl::unexpected<Error> file_error(TomlPlace place, std::string_view message) const {
    return fail(Errc::invalid_argument, at_place(loaded_.file.string(), place, message));
  }

  Result<void> read_environment() {
    std::vector<std::string> names{std::string(kFileVariable)};
    for (const auto& setting : settings_table()) names.push_back(environment_name(setting));
    names.emplace_back(kKeyVariable);
    for (auto at = sources_.environment.lower_bound(kPrefix);
         at != sources_.environment.end() && at->first.starts_with(kPrefix); ++at) {
      const auto& [variable, value] = *at;
      if (variable == kFileVariable || variable == kKeyVariable) continue;
      const auto found = std::find(names.begin(), names.end(), variable);
      if (found == names.end()) {
        return fail(Errc::invalid_argument, "environment: unknown variable '" + variable + "'" +
                                                hint(variable, {names.begin(), names.end()}));
      }
      const Setting& setting =
          settings_table()[static_cast<std::size_t>(found - names.begin()) - 1];
      auto assigned = assign_text(setting, value, loaded_.settings);
      if (!assigned) {
        return fail(std::move(assigned).error().while_doing("environment " + variable));
      }
      absolutize(setting, sources_.working_directory);
      loaded_.origins[std::string(setting.name)] = {SettingOrigin::Source::environment, variable};
    }
    return {};
  }

  Result<void> read_overrides() {
    for (const auto& text : sources_.overrides) {
      const std::string context = "--set " + text;
      const auto equals = text.find('=');
      if (equals == std::string::npos) {
        return fail(Errc::invalid_argument, context + ": write name=value, as in lab.device=1");
      }
      const std::string name = text.substr(0, equals);
      const Setting* setting = find_setting(name);
      if (setting == nullptr) {
        return fail(Errc::invalid_argument, context + ": " + unknown_setting(name));
      }
      auto assigned =
          assign_text(*setting, std::string_view(text).substr(equals + 1), loaded_.settings);
      if (!assigned) return fail(std::move(assigned).error().while_doing(context));
      absolutize(*setting, sources_.working_directory);
      loaded_.origins[name] = {SettingOrigin::Source::flag, context};
    }
    return {};
  }

  // `~/x` and relative paths become absolute while it is known where they were written.
  void absolutize(const Setting& setting, const std::filesystem::path& start) {
    const SettingField field = setting.field(loaded_.settings);
    if (const auto* path = std::get_if<std::filesystem::path*>(&field)) {
      **path = expanded_path(**path, start, sources_.environment);
    }
  }

  const SettingsSources& sources_;
  LoadedSettings loaded_;
};

}  // namespace

Environment capture_environment() {
  Environment out;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry(*at);
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return out;
}

Result<LoadedSettings> load_settings(const SettingsSources& sources) {
  return SettingsLoader(sources).run();
}

std::vector<RenderedSetting> render_settings(const LoadedSettings& loaded) {
  std::vector<RenderedSetting> out;
  for (const auto& setting : settings_table()) {
    const auto origin = loaded.origins.find(setting.name);
    out.push_back({std::string(setting.name), value_text(setting, loaded.settings),
                   std::string(setting.unit), std::string(setting.when_empty),
                   origin == loaded.origins.end() ? "default" : origin->second.where,
                   std::string(setting.document)});
  }
  return out;
}

}  // namespace warpmind::config
