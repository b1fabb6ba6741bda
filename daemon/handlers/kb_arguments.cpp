#include "daemon/handlers/kb_arguments.h"

#include "base/file.h"
#include "base/text.h"
#include "config/device_table.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>

namespace warpmind::daemon {

Result<std::filesystem::path> path_of(std::string_view parameter, const std::string& text) {
  constexpr std::size_t kLongest = 4095;  // PATH_MAX without its end
  if (text.size() > kLongest) {
    return fail(Errc::invalid_argument,
                "'" + std::string(parameter) + "' has " + std::to_string(text.size()) +
                    " bytes; a path has at most " + std::to_string(kLongest));
  }
  std::filesystem::path path(text);
  if (path.is_absolute() && text.find('\0') == std::string::npos) return path;
  return fail(Errc::invalid_argument, "'" + std::string(parameter) +
                                          "' must be an absolute path, not " + quoted_name(text));
}

Result<std::filesystem::path> readable_path(std::string_view parameter, const std::string& text) {
  WARPMIND_TRY(auto path, path_of(parameter, text));
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file) return path;
  const int code = errno;
  return fail(code == ENOENT ? Errc::not_found : Errc::invalid_argument,
              "cannot open " + path.string() + ": " + std::strerror(code));
}

Result<std::vector<std::filesystem::path>> readable_paths(std::string_view parameter,
                                                          const std::vector<std::string>& texts) {
  std::vector<std::filesystem::path> paths;
  for (const auto& text : texts) {
    WARPMIND_TRY(auto path, readable_path(parameter, text));
    paths.push_back(std::move(path));
  }
  return paths;
}

Result<std::filesystem::path> writable_path(std::string_view parameter, const std::string& text) {
  WARPMIND_TRY(auto path, path_of(parameter, text));
  auto folder = path;
  std::error_code ec;
  // What is not there yet is made in the first folder above it that is.
  while (!std::filesystem::exists(folder, ec) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  if (!std::filesystem::is_directory(folder, ec)) {
    return fail(Errc::invalid_argument, folder.string() + " is no folder");
  }
  // Tried, not asked: permissions are not all that can forbid it.
  const auto tried = ScratchDirectory::create(folder, ".warpmind");
  if (tried) return path;
  if (tried.error().code == Errc::unavailable) return fail(tried.error());  // the disk is full
  const std::string& message = tried.error().message;
  const std::string cause = message.substr(message.rfind(": ") + 2);
  return fail(Errc::invalid_argument, "nothing can be written in the folder " + folder.string() +
                                          ": " + cause + "; name another one");
}

Result<std::filesystem::path> new_file(std::string_view parameter, const std::string& text) {
  WARPMIND_TRY(auto file, path_of(parameter, text));
  std::error_code ec;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, ec))) {
    return fail(Errc::conflict, file.string() + " exists already; name a new file");
  }
  if (!std::filesystem::is_directory(file.parent_path(), ec)) {
    return fail(Errc::not_found, "there is no folder " + file.parent_path().string());
  }
  return writable_path(parameter, text);
}

Result<std::int64_t> within(std::string_view parameter, std::int64_t value, std::int64_t low,
                            std::int64_t high) {
  if (value >= low && value <= high) return value;
  return fail(Errc::invalid_argument, "'" + std::string(parameter) + "' must be at least " +
                                          std::to_string(low) + " and at most " +
                                          std::to_string(high) + ", not " + std::to_string(value));
}

Result<int> capability_of(std::string_view parameter, std::int64_t value) {
  if (value == 0) return 0;
  if (value >= 20 && value <= 999) return static_cast<int>(value);
  return fail(Errc::invalid_argument, "'" + std::string(parameter) +
                                          "' must be a compute capability times ten, as 90, not " +
                                          std::to_string(value));
}

Result<NamedDevice> device_of(const std::string& text) {
  if (text.empty()) return NamedDevice{};
  const auto& table = config::device_table();
  const auto& rows = table.all();
  const auto row = std::find_if(rows.begin(), rows.end(), [&text](const DeviceSpec& spec) {
    return spec.key == text || spec.name == text;
  });
  if (row != rows.end()) {
    return NamedDevice{row->name, row->compute_major * 10 + row->compute_minor};
  }
  if (text.starts_with("sm_") && text.size() <= 6) {
    const auto capability = parse_number<int>(std::string_view(text).substr(3));
    if (capability) return NamedDevice{"", *capability};
  }
  // The driver's name of a model that the table lacks.
  if (text.starts_with("NVIDIA ") && text.size() <= 128) return NamedDevice{text, 0};
  std::vector<std::string_view> known;
  known.reserve(rows.size());
  for (const auto& spec : rows) known.push_back(spec.key);
  return fail(Errc::invalid_argument,
              "'device' does not know " + quoted_name(text) +
                  config::suggestion(std::string_view(text).substr(0, 64), known) +
                  "; or write the driver's name, as \"NVIDIA H200\"");
}

knowledge_base::Actor actor_of(const std::string& user, const std::string& reason) {
  return {"user:" + user, reason.empty() ? "by hand" : reason};
}

}  // namespace warpmind::daemon
