#include "daemon/mcp/tool_arguments.h"

#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <initializer_list>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Result<fs::path> plain_path(const char* what, const std::string& text) {
  const std::string shown = "'" + text.substr(0, 200) + "'";
  if (text.find('\0') != std::string::npos || text.size() > 4096) {
    return fail(Errc::invalid_argument, std::string(what) + " is no path");
  }
  const fs::path path(text);
  if (!path.is_absolute()) {
    return fail(Errc::invalid_argument,
                std::string(what) + " must be an absolute path, not " + shown);
  }
  if (std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; })) {
    return fail(Errc::invalid_argument,
                std::string(what) + " must not lead through '..': write " + shown + " without it");
  }
  return path;
}

}  // namespace

const json& member(const json& arguments, const char* name) {
  static const json null;
  const auto found = arguments.find(name);
  return found == arguments.end() ? null : *found;
}

std::string text_of(const json& arguments, const char* name) {
  const json& value = member(arguments, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Result<void> check_task_folder(const std::string& directory) {
  WARPMIND_TRY(const auto path, plain_path("directory", directory));
  std::error_code ec;
  if (fs::is_regular_file(path / "task.toml", ec)) return {};
  return fail(Errc::not_found, "there is no task.toml in '" + directory.substr(0, 200) +
                                   "': directory must be a task folder (docs/tasks.md)");
}

Result<void> check_source_file(const std::string& text) {
  WARPMIND_TRY(const auto path, plain_path("path", text));
  std::error_code ec;
  const fs::path target = fs::canonical(path, ec);
  if (ec || !fs::is_regular_file(target, ec)) {
    return fail(Errc::not_found, "there is no file '" + text.substr(0, 200) + "'");
  }
  constexpr std::array<std::string_view, 3> kEndings{".cu", ".cuh", ".cuda"};
  const std::string ending = target.extension().string();
  if (!contains(kEndings, ending)) {
    return fail(Errc::invalid_argument, "path must lead to a .cu, .cuh or .cuda file");
  }
  return {};
}

json picked(const json& from, std::initializer_list<const char*> names) {
  return picked(from, std::span<const char* const>(names.begin(), names.size()));
}

json picked(const json& from, std::span<const char* const> names) {
  json result = json::object();
  for (const char* name : names) {
    const auto found = from.find(name);
    if (found != from.end() && !found->is_null()) result[name] = *found;
  }
  return result;
}

json gain_of(const json& utility) {
  if (!utility.is_object() || utility.value("observations", 0) == 0) return nullptr;
  return rounded(std::exp(utility.value("mean", 0.0)));
}

double rounded(double value) {
  const std::string text = significant(value, 4);
  double result = value;
  (void)std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::string cut_text(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  text.resize(utf8_prefix(text, bytes).size());
  return text + "\n… (cut)";
}

}  // namespace warpmind::daemon::mcp
