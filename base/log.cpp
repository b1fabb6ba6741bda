#include "base/log.h"

#include <memory>
#include <mutex>
#include <vector>

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace warpmind::log {
namespace {

constexpr std::size_t kFileBytes = std::size_t{8} * 1024 * 1024;
constexpr std::size_t kFiles = 5;

std::mutex& logger_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::shared_ptr<spdlog::logger>& logger_slot() {
  static std::shared_ptr<spdlog::logger> logger = [] {
    auto fallback = std::make_shared<spdlog::logger>(
        "warpmind", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    fallback->set_level(spdlog::level::warn);
    return fallback;
  }();
  return logger;
}

std::shared_ptr<spdlog::logger> current() {
  const std::scoped_lock lock(logger_mutex());
  return logger_slot();
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warn: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
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

}  // namespace

Result<void> open(const Settings& settings) {
  try {
    std::vector<spdlog::sink_ptr> sinks;
    if (!settings.file.empty()) {
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(settings.file.string(),
                                                                             kFileBytes, kFiles));
    }
    if (settings.also_stderr || settings.file.empty()) {
      sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
    }
    auto logger = std::make_shared<spdlog::logger>("warpmind", sinks.begin(), sinks.end());
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger->set_level(to_spdlog(settings.level));
    logger->flush_on(spdlog::level::info);
    const std::scoped_lock lock(logger_mutex());
    logger_slot() = std::move(logger);
    return {};
  } catch (const std::exception& e) {
    return fail(Errc::external_failure,
                "cannot open the log file " + settings.file.string() + ": " + e.what());
  }
}

void flush() { current()->flush(); }

void write(Level level, std::string_view module, std::string_view message,
           std::initializer_list<Field> fields) {
  const auto logger = current();
  if (!logger->should_log(to_spdlog(level))) return;
  std::string line(module);
  line += ' ';
  line += message;
  for (const auto& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  logger->log(to_spdlog(level), "{}", line);
}

}  // namespace warpmind::log
