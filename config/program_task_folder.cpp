#include "config/program_task_folder.h"

#include "base/sequence.h"

#include <algorithm>
#include <system_error>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

/// A regular file, or a link to one that stays inside.
bool is_taken(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code ec;
  if (!entry.is_symlink(ec)) return entry.is_regular_file(ec);
  const fs::path target = fs::canonical(entry.path(), ec);
  return !ec && begins_with(target, root) && fs::is_regular_file(target, ec);
}

}  // namespace

Result<std::vector<std::string>> list_program_folder(const fs::path& folder,
                                                     ProgramFolderLimits limits) {
  std::error_code ec;
  const fs::path root = fs::canonical(folder, ec);
  if (ec || !fs::is_directory(root, ec)) {
    return fail(Errc::not_found, folder.string() + " is no folder");
  }
  std::vector<std::string> files;
  std::uintmax_t bytes = 0;
  auto at = fs::recursive_directory_iterator(root, ec);
  for (; !ec && at != fs::recursive_directory_iterator(); at.increment(ec)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) {
      at.disable_recursion_pending();
      continue;
    }
    if (!is_taken(*at, root)) continue;
    bytes += at->file_size(ec);
    files.push_back(at->path().lexically_relative(root).string());
    if (files.size() > limits.files || bytes > limits.bytes) {
      return fail(Errc::invalid_argument, folder.string() + " has more than " +
                                              std::to_string(limits.files) + " files or " +
                                              std::to_string(limits.bytes >> 20U) +
                                              " MiB; give the folder of one program");
    }
  }
  if (ec) return fail(Errc::external_failure, "reading " + folder.string() + ": " + ec.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<void> copy_program_folder(const fs::path& from, const fs::path& to,
                                 ProgramFolderLimits limits) {
  WARPMIND_TRY(const auto files, list_program_folder(from, limits));
  std::error_code ec;
  const fs::path root = fs::canonical(from, ec);
  fs::create_directories(to, ec);
  if (ec) return fail(Errc::external_failure, "making " + to.string() + ": " + ec.message());
  if (begins_with(fs::canonical(to, ec), root)) {
    return fail(Errc::invalid_argument, to.string() + " lies in " + from.string() +
                                            ", which it would be a copy of; name another folder");
  }
  for (const auto& file : files) {
    const fs::path target = to / file;
    fs::create_directories(target.parent_path(), ec);
    if (!ec) fs::copy_file(root / file, target, fs::copy_options::overwrite_existing, ec);
    if (ec) return fail(Errc::external_failure, "copying " + file + ": " + ec.message());
  }
  return {};
}

}  // namespace warpmind::config
