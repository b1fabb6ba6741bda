#pragma once
/// \file
/// Front of the log. spdlog stays behind it, so that no header pulls it in.
///
/// A line is `time level module message key=value …`. Levels: error = a person must act; warn =
/// degraded, carried on; info = one line per milestone; debug = per step. Sources and prompts at
/// debug only; keys never.

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace warpmind::log {

enum class Level { debug, info, warn, error };

/// One `key=value`. Values with spaces or quotes are quoted and escaped; control bytes too.
struct Field {
  std::string_view key;
  std::string value;

  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <class T>
  requires requires(const T& t) { std::to_string(t); }
  Field(std::string_view k, const T& v) : key(k), value(std::to_string(v)) {}
  template <class T>
  requires requires(const T& t) { t.str(); }
  Field(std::string_view k, const T& v) : key(k), value(v.str()) {}
};

struct Settings {
  std::filesystem::path file;  ///< rotating: 5 files of 8 MiB; empty = standard error only
  Level level = Level::info;
  bool also_stderr = false;
};

/// Opens the sinks. Before it, lines of level warn and above go to standard error.
/// Errors: external_failure if the file cannot be opened.
[[nodiscard]] Result<void> open(const Settings& settings);
void flush();

/// Thread-safe. `module` is one of the top-level folders.
void write(Level level, std::string_view module, std::string_view message,
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
