#include "clients/cli/queue_items.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"
#include "base/file.h"
#include "base/text.h"
#include "clients/cli/command_line.h"
#include "clients/cli/optimize_grammar.h"
#include "clients/cli/report/text.h"
#include "clients/cli/submission.h"
#include "daemon/protocol/document.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <glob.h>

namespace warpmind::clients {
namespace {

namespace fs = std::filesystem;
namespace protocol = daemon::protocol;

constexpr std::size_t kMostManifestBytes = std::size_t{16} << 20U;
constexpr std::int64_t kMinute = 60'000;  // ms

bool is_task(const fs::path& folder) {
  std::error_code ec;
  return fs::is_regular_file(folder / "task.toml", ec);
}

std::string absolute_folder(const fs::path& path) {
  std::error_code ec;
  auto whole = fs::absolute(path, ec).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

/// The paths that match, by name; `text` itself when it holds no pattern.
std::vector<fs::path> matches(const std::string& text) {
  if (text.find_first_of("*?[") == std::string::npos) return {text};
  ::glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(text.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  return paths;
}

/// The task folders right inside `folder`, by name.
std::vector<fs::path> tasks_in(const fs::path& folder) {
  std::vector<fs::path> tasks;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    if (is_task(entry.path())) tasks.push_back(entry.path());
  }
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

/// What the flags say for every job.
Result<protocol::QueueAddParams> common(const QueueAddOptions& options, UnixMillis now) {
  WARPMIND_CHECK(check_job_options(options));
  WARPMIND_CHECK(check_options<protocol::QueueAddParams>(options, OptionNames::flags));
  auto params = static_cast<const protocol::QueueAddParams&>(options);
  WARPMIND_TRY(static_cast<protocol::JobOptions&>(params),
               sendable_options(static_cast<const protocol::JobOptions&>(options)));
  for (auto& job : params.after) {
    WARPMIND_TRY(job, full_job_id(job));
  }
  if (!options.earliest.empty()) {
    WARPMIND_TRY(params.not_before, moment_of("--not-before", options.earliest, now));
  }
  if (!options.latest.empty()) {
    WARPMIND_TRY(params.deadline, moment_of("--deadline", options.latest, now));
  }
  return params;
}

/// One line of a manifest over what the flags say.
Result<protocol::QueueAddParams> manifest_item(std::string_view line, const fs::path& folder,
                                               const protocol::QueueAddParams& flags) {
  WARPMIND_TRY(auto over, codec::parse_json(line));
  if (!over.is_object() || !over.contains("directory") || !over["directory"].is_string()) {
    return fail(Errc::invalid_argument, "wants an object with a \"directory\"");
  }
  WARPMIND_TRY(auto whole, codec::parse_json(protocol::encode(flags)));
  for (const auto& [name, value] : over.items()) {
    if (!whole.contains(name)) {
      return fail(Errc::invalid_argument, "queue.add has no parameter '" + clean_line(name) + "'");
    }
    whole[name] = value;
  }
  WARPMIND_TRY(const auto document, protocol::Document::parse(codec::dump_json(whole)));
  WARPMIND_TRY(auto params, protocol::decode<protocol::QueueAddParams>(document));
  params.directory = absolute_folder(folder / params.directory);
  return params;
}

Result<void> read_manifest(const fs::path& file, const protocol::QueueAddParams& flags,
                           std::vector<protocol::QueueAddParams>& items) {
  WARPMIND_TRY(const auto text, read_file(file, kMostManifestBytes));
  std::size_t number = 0;
  for (const auto line : split_lines(text)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto item = manifest_item(line, file.parent_path(), flags);
    if (!item) {
      return fail(Errc::invalid_argument,
                  file.string() + " line " + std::to_string(number) + ": " + item.error().message);
    }
    items.push_back(std::move(*item));
  }
  return {};
}

Result<void> add_path(const fs::path& path, const protocol::QueueAddParams& flags,
                      std::vector<protocol::QueueAddParams>& items) {
  std::error_code ec;
  if (path.extension() == ".jsonl" && fs::is_regular_file(path, ec)) {
    return read_manifest(path, flags, items);
  }
  if (!fs::is_directory(path, ec)) {
    return fail(Errc::not_found, "there is no task folder " + path.string());
  }
  const auto folders = is_task(path) ? std::vector<fs::path>{path} : tasks_in(path);
  if (folders.empty()) {
    return fail(Errc::not_found, path.string() +
                                     " holds no task.toml, nor does a folder in it: queue add "
                                     "wants task folders (docs/tasks.md)");
  }
  for (const auto& folder : folders) {
    items.push_back(flags);
    items.back().directory = absolute_folder(folder);
  }
  return {};
}

std::optional<int> number_in(std::string_view text, int most) {
  const auto value = parse_number<int>(text);
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

}  // namespace

Result<std::int64_t> moment_of(const char* flag, const std::string& text, UnixMillis now) {
  const Error wrong{Errc::invalid_argument, std::string(flag) +
                                                " wants a time as 22:00, +90m or +2h, not '" +
                                                clean_line(text.substr(0, 32)) + "'"};
  if (text.size() >= 3 && text.front() == '+') {
    const auto amount = number_in(std::string_view(text).substr(1, text.size() - 2), 1'000'000);
    if (!amount || (text.back() != 'm' && text.back() != 'h')) return fail(wrong);
    return now.value + *amount * kMinute * (text.back() == 'h' ? 60 : 1);
  }
  if (text.size() != 5 || text[2] != ':') return fail(wrong);
  const auto hour = number_in(std::string_view(text).substr(0, 2), 23);
  const auto minute = number_in(std::string_view(text).substr(3), 59);
  if (!hour || !minute) return fail(wrong);
  const auto seconds = static_cast<std::time_t>(now.value / 1000);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  const bool tomorrow = *hour * 60 + *minute <= local.tm_hour * 60 + local.tm_min;
  local.tm_hour = *hour;
  local.tm_min = *minute;
  local.tm_sec = 0;
  local.tm_mday += tomorrow ? 1 : 0;
  local.tm_isdst = -1;
  return static_cast<std::int64_t>(std::mktime(&local)) * 1000;
}

Result<std::vector<protocol::QueueAddParams>> queue_items(const QueueAddOptions& options,
                                                          UnixMillis now) {
  WARPMIND_TRY(const auto flags, common(options, now));
  std::vector<protocol::QueueAddParams> items;
  for (const auto& text : options.paths) {
    const std::size_t before = items.size();
    for (const auto& path : matches(text)) {
      // A pattern may match what is no task; a path that was written out may not.
      const bool pattern = path != fs::path(text);
      if (pattern && path.extension() != ".jsonl" && !is_task(path)) continue;
      WARPMIND_CHECK(add_path(path, flags, items));
    }
    if (items.size() == before) {
      return fail(Errc::not_found, "no task folder is at " + clean_line(text));
    }
  }
  return items;
}

}  // namespace warpmind::clients
