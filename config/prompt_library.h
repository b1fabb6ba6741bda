#pragma once
/// \file
/// The prompts of this build, and the files with which a user overrides them.

#include "config/prompt_template.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace warpmind::config {

inline constexpr std::size_t kPromptBytesLimit = std::size_t{64} << 10U;

class PromptLibrary {
 public:
  /// Reads config/prompts as built in; a file of the same name in `overrides` takes the place of a
  /// built-in one and must have the same slots. Empty path = none.
  /// Errors: not_found when the directory is missing; invalid_argument naming the file for an
  /// unknown name, a slot that is new or left out, more than 64 KiB, or text that is not UTF-8.
  [[nodiscard]] static Result<PromptLibrary> load(const std::filesystem::path& overrides = {});

  /// `name` as "step" for step.md. Errors: not_found; as PromptTemplate::render().
  [[nodiscard]] Result<std::string> render(std::string_view name, const SlotValues& values) const;

  [[nodiscard]] const std::map<std::string, PromptTemplate, std::less<>>& all() const {
    return prompts_;
  }

 private:
  [[nodiscard]] Result<void> override_with(const std::filesystem::path& file);

  std::map<std::string, PromptTemplate, std::less<>> prompts_;
};

}  // namespace warpmind::config
