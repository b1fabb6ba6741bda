#include "base/log.h"

#include "base/codec/json_types.h"
#include "base/log_redaction.h"
#include "base/text.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace warpmind::log {
namespace {

constexpr std::size_t kFileBytes = std::size_t{8} * 1024 * 1024;
constexpr std::size_t kFiles = 5;
constexpr const char* kTime = "%Y-%m-%dT%H:%M:%S.%e%z";
using Logger = std::shared_ptr<spdlog::logger>;

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warn: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

/// Levels are decided in write(): components differ.
Logger make_logger(spdlog::sink_ptr sink, const std::string& pattern) {
  auto logger = std::make_shared<spdlog::logger>("warpmind", std::move(sink));
  logger->set_pattern(pattern);
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::info);
  return logger;
}

/// The journal takes severities from "<N>" and has the time itself.
bool into_journal() { return std::getenv("JOURNAL_STREAM") != nullptr; }

Logger stderr_logger() {
  return make_logger(std::make_shared<spdlog::sinks::stderr_sink_mt>(),
                     into_journal() ? "%v" : std::string(kTime) + " %l %v");
}

/// Where lines go; either may be absent.
struct Sinks {
  Logger json;
  Logger text_file;
  Logger text_stderr;
  bool journal = false;
  Levels kept;
};

std::mutex& sinks_mutex() {
  static std::mutex mutex;
  return mutex;
}

Sinks& sinks_slot() {
  static Sinks sinks = [] {
    Sinks fallback;
    fallback.text_stderr = stderr_logger();
    fallback.journal = into_journal();
    fallback.kept.general = Level::warn;
    return fallback;
  }();
  return sinks;
}

/// The sinks, when a line of that level is kept at all.
std::optional<Sinks> wanted(Level level, std::string_view component) {
  const std::scoped_lock lock(sinks_mutex());
  const Sinks& sinks = sinks_slot();
  const auto own = sinks.kept.components.find(component);
  const Level least = own == sinks.kept.components.end() ? sinks.kept.general : own->second;
  if (level < least) return std::nullopt;
  return sinks;
}

void append_value(std::string& line, std::string_view value) {
  const bool plain =
      !value.empty() && value.find_first_of(" \"=\\\t\r\n") == std::string_view::npos;
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      line += ' ';
    } else {
      line += c;
    }
  }
  line += '"';
}

std::string text_line(std::string_view component, std::string_view message,
                      std::initializer_list<Field> fields) {
  std::string line(component);
  line += ' ';
  line += message;
  for (const auto& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  return line;
}

/// Bytes that are no UTF-8 are replaced: the line must stay JSON.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A key may stand in an object once: fields with the names of ours get an underscore behind them.
std::string key_of(std::string_view key) {
  const bool ours = key == "ts" || key == "level" || key == "component" || key == "message";
  return json_text(std::string(key) + (ours ? "_" : ""));
}

/// What follows time and level.
std::string json_members(std::string_view component, std::string_view message,
                         std::initializer_list<Field> fields) {
  std::string line = "\"component\":" + json_text(component) +
                     ",\"message\":" + json_text(redacted(std::string(message)));
  for (const auto& field : fields) {
    const auto number = parse_number<double>(field.value);
    const bool bare = field.number && number && std::isfinite(*number);
    line += ',' + key_of(field.key) + ':' + (bare ? field.value : json_text(redacted(field.value)));
  }
  return line;
}

}  // namespace

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
  return kNames.at(static_cast<std::size_t>(level));
}

std::optional<Level> level_named(std::string_view name) {
  for (const Level level : {Level::debug, Level::info, Level::warn, Level::error}) {
    if (name == name_of(level)) return level;
  }
  return std::nullopt;
}

Result<void> open(const Settings& settings) {
  try {
    Sinks sinks;
    sinks.kept.general = settings.level;
    if (!settings.file.empty()) {
      auto file = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(settings.file.string(),
                                                                         kFileBytes, kFiles);
      const std::string stamp = kTime;
      if (settings.format == Format::json) {
        sinks.json = make_logger(std::move(file), R"({"ts":")" + stamp + R"(",%v})");
      } else {
        sinks.text_file = make_logger(std::move(file), stamp + " %l %v");
      }
    }
    if (settings.also_stderr || settings.file.empty()) sinks.text_stderr = stderr_logger();
    sinks.journal = into_journal();
    const std::scoped_lock lock(sinks_mutex());
    sinks_slot() = std::move(sinks);
    return {};
  } catch (const std::exception& e) {
    return fail(Errc::external_failure,
                "cannot open the log file " + settings.file.string() + ": " + e.what());
  }
}

void flush() {
  Sinks sinks;
  {
    const std::scoped_lock lock(sinks_mutex());
    sinks = sinks_slot();
  }
  for (const auto& logger : {sinks.json, sinks.text_file, sinks.text_stderr}) {
    if (logger) logger->flush();
  }
}

Levels levels() {
  const std::scoped_lock lock(sinks_mutex());
  return sinks_slot().kept;
}

void set_level(Level level, std::string_view component) {
  const std::scoped_lock lock(sinks_mutex());
  Levels& kept = sinks_slot().kept;
  if (!component.empty()) {
    kept.components.insert_or_assign(std::string(component), level);
    return;
  }
  kept.general = level;
  kept.components.clear();
}

void write(Level level, std::string_view component, std::string_view message,
           std::initializer_list<Field> fields) {
  const auto sinks = wanted(level, component);
  if (!sinks) return;
  const auto severity = to_spdlog(level);
  if (sinks->json) {
    sinks->json->log(severity, "\"level\":\"{}\",{}", name_of(level),
                     json_members(component, message, fields));
  }
  if (!sinks->text_file && !sinks->text_stderr) return;
  const std::string line = redacted(text_line(component, message, fields));
  if (sinks->text_file) sinks->text_file->log(severity, "{}", line);
  if (!sinks->text_stderr) return;
  constexpr std::array<std::string_view, 4> kJournal{"<7>", "<6>", "<4>", "<3>"};
  sinks->text_stderr->log(severity, "{}{}",
                          sinks->journal ? kJournal.at(static_cast<std::size_t>(level)) : "", line);
}

}  // namespace warpmind::log
