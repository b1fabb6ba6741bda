#pragma once
/// \file
/// Front of the log. spdlog stays behind it, so that no header pulls it in.
///
/// In the file a line is one JSON object: `ts`, `level`, `component`, `message`, then the fields;
/// on standard error it is `time level component message key=value …` (docs/observability.md).
/// Levels: error = a person must act; warn = degraded, carried on; info = one line per milestone;
/// debug = per step. Sources and prompts at debug only; keys never: whatever a caller says, secrets
/// are struck out of the whole line before it reaches a sink (base/log_redaction.h).

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::log {

enum class Level { debug, info, warn, error };

[[nodiscard]] std::string_view name_of(Level level);
/// Nullopt for what is no level.
[[nodiscard]] std::optional<Level> level_named(std::string_view name);

/// One `key=value`. Values with spaces or quotes are quoted and escaped; control bytes too.
struct Field {
  std::string_view key;
  std::string value;
  bool number = false;  ///< stands without quotes in JSON

  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <class T>
  requires requires(const T& t) { std::to_string(t); }
  Field(std::string_view k, const T& v) : key(k), value(std::to_string(v)), number(true) {}
  template <class T>
  requires requires(const T& t) { t.str(); }
  Field(std::string_view k, const T& v) : key(k), value(v.str()) {}
};

enum class Format { json, text };

struct Settings {
  std::filesystem::path file;  ///< rotating: 5 files of 8 MiB; empty = standard error only
  Level level = Level::info;
  bool also_stderr = false;
  Format format = Format::json;  ///< of the file
};

/// Opens the sinks. Before it, lines of level warn and above go to standard error.
/// Errors: external_failure if the file cannot be opened.
[[nodiscard]] Result<void> open(const Settings& settings);
void flush();

/// What is kept. `component` empty = all that have no level of their own; a component may be named
/// before it has said anything.
struct Levels {
  Level general = Level::info;
  std::map<std::string, Level, std::less<>> components;
};
[[nodiscard]] Levels levels();
/// Thread-safe; at once. A general level takes those of components away.
void set_level(Level level, std::string_view component = {});

/// Thread-safe. `component` is one of the top-level folders.
void write(Level level, std::string_view component, std::string_view message,
           std::initializer_list<Field> fields = {});

inline void debug(std::string_view m, std::string_view t, std::initializer_list<Field> f = {}) {
  write(Level::debug, m, t, f);
}
inline void info(std::string_view m, std::string_view t, std::initializer_list<Field> f = {}) {
  write(Level::info, m, t, f);
}
inline void warn(std::string_view m, std::string_view t, std::initializer_list<Field> f = {}) {
  write(Level::warn, m, t, f);
}
inline void error(std::string_view m, std::string_view t, std::initializer_list<Field> f = {}) {
  write(Level::error, m, t, f);
}

}  // namespace warpmind::log
