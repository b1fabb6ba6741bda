#include "knowledge_base/packs/markdown_export.h"

#include "base/enum_names.h"
#include "base/file.h"
#include "knowledge_base/packs/markdown_text.h"
#include "knowledge_base/packs/pack_export.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexName = "index.md";
constexpr std::string_view kIndexMark = "---\nwarpmind: index\n";
constexpr std::string_view kFileMark = "---\nwarpmind: ";

Result<bool> begins_with(const fs::path& file, std::string_view mark) {
  constexpr std::size_t kLimit = std::size_t{64} * 1024 * 1024;
  WARPMIND_TRY(const auto text, read_file(file, kLimit));
  return text.starts_with(mark);
}

/// Missing, empty, or an earlier export.
Result<void> require_ours(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) return {};
  if (!fs::is_directory(directory, error)) {
    return fail(Errc::conflict, directory.string() + " is no folder");
  }
  if (fs::is_empty(directory, error)) return {};
  if (fs::exists(directory / kIndexName, error)) {
    WARPMIND_TRY(const bool ours, begins_with(directory / kIndexName, kIndexMark));
    if (ours) return {};
  }
  return fail(Errc::conflict, directory.string() +
                                  " holds something else than an earlier export: name an empty "
                                  "folder");
}

Result<void> sync_all(const fs::path& directory) {
  const UniqueFd folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && ::syncfs(folder.get()) == 0) return {};
  return fail(Errc::external_failure,
              "cannot sync " + directory.string() + ": " + std::strerror(errno));
}

/// Only what differs is written, so that dates of files say when a record changed.
Result<void> write_if_new(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (fs::exists(file, error)) {
    constexpr std::size_t kLimit = std::size_t{64} * 1024 * 1024;
    WARPMIND_TRY(const auto before, read_file(file, kLimit));
    if (before == text) return {};
  }
  WARPMIND_CHECK(make_output_directory(file.parent_path()));
  // sync_all() does it once for all of them.
  return write_output_file(file, text, FileSync::later);
}

/// Files of an earlier export that this one did not write. Files of others stay.
Result<void> remove_stale(const fs::path& directory, const std::set<std::string>& written) {
  std::error_code error;
  std::vector<fs::path> stale;
  for (const char* folder : {"techniques", "insights"}) {
    fs::recursive_directory_iterator at(directory / folder, error);
    for (const auto end = fs::recursive_directory_iterator(); !error && at != end;
         at.increment(error)) {
      if (!at->is_regular_file(error) || at->path().extension() != ".md") continue;
      if (written.contains(at->path().lexically_relative(directory).string())) continue;
      stale.push_back(at->path());
    }
    error.clear();
  }
  for (const auto& file : stale) {
    WARPMIND_TRY(const bool ours, begins_with(file, kFileMark));
    if (ours) fs::remove(file, error);
  }
  return {};
}

/// The index, gathered record by record.
class Index {
 public:
  void add(const Technique& technique) {
    techniques_ += "| [" + technique.title + "](" + markdown_path(technique) + ") | " +
                   technique.category + " |\n";
  }
  void add(const Insight& insight) {
    ++states_[std::string(name_of(insight.state))];
    ++folders_[fs::path(markdown_path(insight)).parent_path().string()];
  }
  void add(const Fact& fact) {
    facts_ += "| " + fact.subject + " | " + fact.name + " | " + number(fact.value) + " | " +
              fact.unit + " | " + fact.source + (fact.note.empty() ? "" : "; " + fact.note) +
              " |\n";
  }
  [[nodiscard]] std::string text() const {
    std::string text(kIndexMark);
    text += "---\n\n# Knowledge base\n\n## Claims\n\n| folder | claims |\n|---|---|\n";
    for (const auto& [folder, count] : folders_) {
      text += "| [" + folder;
      text += "](" + folder;
      text += ") | " + std::to_string(count) + " |\n";
    }
    text += "\n| state | claims |\n|---|---|\n";
    for (const auto& [state, count] : states_) {
      text += "| " + state;
      text += " | " + std::to_string(count) + " |\n";
    }
    text += "\n## Techniques\n\n| technique | category |\n|---|---|\n" + techniques_;
    text += "\n## Facts\n\n| subject | fact | value | unit | source |\n|---|---|---|---|---|\n";
    return text + facts_;
  }

 private:
  static std::string number(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<double>(whole) == value ? std::to_string(whole) : std::to_string(value);
  }

  std::string techniques_;
  std::string facts_;
  std::map<std::string, std::int64_t> states_;
  std::map<std::string, std::int64_t> folders_;
};

}  // namespace

Result<PackReport> write_markdown(const Database& database, const fs::path& directory,
                                  const PackExportOptions& options) {
  WARPMIND_CHECK(require_ours(directory));
  WARPMIND_CHECK(make_output_directory(directory));
  PackReport report;
  Index index;
  std::set<std::string> written;
  const auto write = [&](const auto& record) -> Result<void> {
    index.add(record);
    const std::string path = markdown_path(record);
    written.insert(path);
    return write_if_new(directory / path, markdown_of(record));
  };
  // The index first: a folder that a crash left half written is still ours.
  WARPMIND_CHECK(write_if_new(directory / kIndexName, std::string(kIndexMark) + "---\n"));
  auto header = visit_exported(database, options, [&](const PackRecord& record) -> Result<void> {
    if (const auto* technique = std::get_if<Technique>(&record)) {
      ++report.techniques;
      return write(*technique);
    }
    if (const auto* fact = std::get_if<Fact>(&record)) {
      index.add(*fact);
      return {};
    }
    ++report.insights;
    return write(std::get<PackedClaim>(record).insight);
  });
  WARPMIND_TRY(const auto origin, std::move(header));
  report.origin = origin.origin;
  WARPMIND_CHECK(remove_stale(directory, written));
  WARPMIND_CHECK(write_if_new(directory / kIndexName, index.text()));
  WARPMIND_CHECK(sync_all(directory));
  return report;
}

}  // namespace warpmind::knowledge_base
