#pragma once
/// \file
/// Schemas of tools. Where a tool forwards an argument to a method, its type and its sentence are
/// the method's own.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::mcp {

/// Members of a method's parameters, or of its result, that a tool passes on under their names.
struct Forwarded {
  std::string_view method;
  std::span<const char* const> names;
  std::string_view mode = {};  ///< of the tool in which they count: said before the sentence
};

/// JSON text. `own`: an object of properties, merged over those that are forwarded; a property
/// takes from each what the other lacks. Strings and numbers that several tools share are bounded
/// alike.
[[nodiscard]] std::string input_schema(const std::vector<Forwarded>& forwarded,
                                       std::string_view own,
                                       const std::vector<std::string>& required = {});
/// The same of what a tool answers: types without sentences, `status` and `handle`.
[[nodiscard]] std::string output_schema(const std::vector<Forwarded>& forwarded,
                                        std::string_view own);

}  // namespace warpmind::daemon::mcp
