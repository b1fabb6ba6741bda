#include "config/prompt_library.h"

#include "base/file.h"
#include "config/embedded_files.h"
#include "config/nearest_name.h"
#include "config/source_text.h"

#include <system_error>
#include <utility>
#include <vector>

namespace warpmind::config {
namespace {

constexpr std::string_view kFolder = "prompts/";
constexpr std::string_view kEnding = ".md";

std::vector<std::string_view> names_in(
    const std::map<std::string, PromptTemplate, std::less<>>& prompts) {
  std::vector<std::string_view> names;
  names.reserve(prompts.size());
  for (const auto& [name, prompt] : prompts) names.emplace_back(name);
  return names;
}

/// Why `own` cannot stand for `built_in`, or an empty string.
std::string difference(const SlotTypes& built_in, const SlotTypes& own) {
  for (const auto& [name, type] : built_in) {
    const auto found = own.find(name);
    if (found == own.end()) return "slot '" + name + "' of the built-in prompt is left out";
    if (found->second != type) {
      return "slot '" + name + "' must be of type " + std::string(name_of(type));
    }
  }
  for (const auto& [name, type] : own) {
    if (!built_in.contains(name)) return "the built-in prompt has no slot '" + name + "'";
  }
  return {};
}

}  // namespace

Result<PromptLibrary> PromptLibrary::load(const std::filesystem::path& overrides) {
  PromptLibrary library;
  for (const auto& file : embedded_files()) {
    if (!file.name.starts_with(kFolder)) continue;
    const auto inner = file.name.substr(kFolder.size());
    std::string name(inner.substr(0, inner.size() - kEnding.size()));
    auto prompt = PromptTemplate::parse(file.content, std::string(file.name));
    // A built-in file is our data, not the user's input.
    if (!prompt) return fail(Errc::corrupt_data, prompt.error().message);
    library.prompts_.emplace(std::move(name), *std::move(prompt));
  }
  if (overrides.empty()) return library;
  std::error_code ec;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(overrides, ec)) {
    if (entry.path().extension() == kEnding) files.push_back(entry.path());
  }
  if (ec) {
    return fail(Errc::not_found, "prompts: cannot read " + overrides.string() + ": " +
                                     ec.message() + "; name a folder with *.md files");
  }
  for (const auto& file : files) WARPMIND_CHECK(library.override_with(file));
  return library;
}

Result<void> PromptLibrary::override_with(const std::filesystem::path& file) {
  const auto found = prompts_.find(file.stem().string());
  if (found == prompts_.end()) {
    return fail(Errc::invalid_argument, file.string() + ": there is no prompt of this name" +
                                            suggestion(file.stem().string(), names_in(prompts_)));
  }
  WARPMIND_TRY(const std::string text, read_file(file, kPromptBytesLimit));
  if (const auto bad = find_invalid_utf8(text)) {
    return fail(Errc::invalid_argument,
                file.string() + ": byte " + std::to_string(*bad) + " is not UTF-8");
  }
  WARPMIND_TRY(PromptTemplate prompt, PromptTemplate::parse(text, file.string()));
  if (const auto why = difference(found->second.slots(), prompt.slots()); !why.empty()) {
    return fail(Errc::invalid_argument, file.string() + ": " + why);
  }
  found->second = std::move(prompt);
  return {};
}

Result<std::string> PromptLibrary::render(std::string_view name, const SlotValues& values) const {
  const auto found = prompts_.find(name);
  if (found == prompts_.end()) {
    return fail(Errc::not_found, "there is no prompt '" + std::string(name) + "'" +
                                     suggestion(name, names_in(prompts_)));
  }
  return found->second.render(values);
}

}  // namespace warpmind::config
