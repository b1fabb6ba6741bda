#pragma once
/// \file
/// The types of the wire in the languages of clients.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::protocol {

/// A source file with the parameters and results of the named methods, all when none is named, and
/// every type that they hold. Its heading says what prints it. `language`: "typescript" or
/// "python". Errors: invalid_argument for another language or a name that is no method's.
[[nodiscard]] Result<std::string> render_types(std::string_view language,
                                               const std::vector<std::string>& names);

}  // namespace warpmind::daemon::protocol
