#pragma once
/// \file
/// task.toml as a Task, before its meaning is checked and its source files are read.

#include "base/model/task.h"
#include "base/result.h"
#include "config/toml_document.h"

#include <map>
#include <string>
#include <string_view>

namespace warpmind::config {

struct ParsedTask {
  Task task;                   ///< without sources and id
  std::string reference_file;  ///< empty: the given kernel is the reference
  std::string kernel_file;
  /// Where each entry stands, by its path: "argument[0].shape".
  std::map<std::string, TomlPlace, std::less<>> places;

  /// Place of `where`, or of the nearest thing around it.
  [[nodiscard]] TomlPlace place_of(std::string_view where) const;
};

/// `file` only appears in messages. Errors: invalid_argument as `file:line:column: what; how`.
[[nodiscard]] Result<ParsedTask> parse_task(std::string_view text, std::string_view file);

}  // namespace warpmind::config
