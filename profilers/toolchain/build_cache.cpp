#include "profilers/toolchain/build_cache.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <vector>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBinaryLimit = std::size_t{256} * 1024 * 1024;
constexpr std::size_t kReportLimit = std::size_t{4} * 1024 * 1024;
constexpr const char* kBinary = "binary";
constexpr const char* kReport = "report.json";

Result<CachedBuild> read_entry(const fs::path& entry) {
  WARPMIND_TRY(const auto text, read_file(entry / kReport, kReportLimit));
  WARPMIND_TRY(const auto document, codec::parse_json(text));
  const auto checksum = document.find("sha256");
  const auto report_json = document.find("report");
  if (checksum == document.end() || !checksum->is_string() || report_json == document.end()) {
    return fail(Errc::corrupt_data, "no checksum or no report");
  }
  WARPMIND_TRY(auto report, codec::from_json<BuildReport>(*report_json, "build report"));
  WARPMIND_TRY(const auto binary, read_file(entry / kBinary, kBinaryLimit));
  if (to_hex(sha256(binary)) != checksum->get<std::string>()) {
    return fail(Errc::corrupt_data, "the checksum does not hold");
  }
  report.from_cache = true;
  return CachedBuild{entry / kBinary, std::move(report)};
}

/// Working folders of a process that was killed: older than any build can be.
void remove_leftovers(const fs::path& directory) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code ec;
  for (const auto& item : fs::directory_iterator(directory, ec)) {
    if (!item.path().filename().string().starts_with(".")) continue;
    if (now - item.last_write_time(ec) > std::chrono::hours(24)) fs::remove_all(item.path(), ec);
  }
}

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

std::vector<Entry> list_entries(const fs::path& directory) {
  std::vector<Entry> entries;
  std::error_code ec;
  for (const auto& item : fs::directory_iterator(directory, ec)) {
    if (!item.is_directory(ec) || item.path().filename().string().starts_with(".")) continue;
    Entry entry{item.path(), fs::last_write_time(item.path(), ec), 0};
    for (const char* name : {kBinary, kReport}) {
      const auto bytes = fs::file_size(item.path() / name, ec);
      if (!ec) entry.bytes += bytes;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

Result<BuildCache> BuildCache::open(fs::path directory, std::uint64_t limit_bytes) {
  WARPMIND_CHECK(make_private_directory(directory));
  remove_leftovers(directory);
  return BuildCache(std::move(directory), limit_bytes);
}

std::optional<CachedBuild> BuildCache::find(std::string_view key) const {
  const fs::path entry = directory_ / key;
  auto cached = read_entry(entry);
  if (cached) {
    ::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);
    return std::move(*cached);
  }
  std::error_code ec;
  if (fs::exists(entry, ec)) {
    log::warn("profilers", "damaged build cache entry removed",
              {{"key", key}, {"cause", cached.error().message}});
    fs::remove_all(entry, ec);
  }
  return std::nullopt;
}

Result<CachedBuild> BuildCache::insert(std::string_view key, std::string_view binary,
                                       const BuildReport& report) const {
  WARPMIND_TRY(auto staging, ScratchDirectory::create(directory_, ".new"));
  nlohmann::json json;
  json["sha256"] = to_hex(sha256(binary));
  json["report"] = report;
  WARPMIND_CHECK(write_file_atomic(staging.path() / kBinary, binary));
  WARPMIND_CHECK(write_file_atomic(staging.path() / kReport, codec::dump_json(json)));
  std::error_code ec;
  fs::permissions(staging.path() / kBinary, fs::perms::owner_read | fs::perms::owner_exec, ec);
  const fs::path entry = directory_ / key;
  fs::rename(staging.path(), entry, ec);
  if (ec && !fs::exists(entry / kBinary)) {
    return fail(Errc::external_failure,
                "cannot insert into the build cache " + directory_.string() + ": " + ec.message());
  }
  evict(key);
  return CachedBuild{entry / kBinary, report};
}

void BuildCache::evict(std::string_view keep) const {
  auto entries = list_entries(directory_);
  std::uint64_t total = 0;
  for (const auto& entry : entries) total += entry.bytes;
  if (total <= limit_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const auto& entry : entries) {
    if (total <= limit_bytes_) return;
    if (entry.path.filename() == keep) continue;
    std::error_code ec;
    fs::remove_all(entry.path, ec);
    total -= entry.bytes;
  }
}

}  // namespace warpmind::profilers
