#pragma once
/// \file
/// Every method and notification of the wire: requests are checked against it and docs/protocol.md
/// is rendered from it.

#include "daemon/protocol/document.h"
#include "daemon/protocol/method.h"

#include <span>
#include <string>
#include <string_view>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> methods();
/// Null when there is no such method.
[[nodiscard]] const MethodSpec* find_method(std::string_view name);
/// "unknown method 'task.sumbit'; did you mean 'task.submit'?"
[[nodiscard]] std::string unknown_method_message(std::string_view name);

/// Errors: invalid_argument naming the unknown, missing or wrongly typed parameter, and for an
/// unknown one the nearest known. Null is accepted where a parameter may be left out.
[[nodiscard]] Result<void> check_params(const MethodSpec& method, const Document& params);

/// Markdown: one section a method. docs/protocol.md holds it between markers; a test compares.
[[nodiscard]] std::string render_methods();

}  // namespace warpmind::daemon::protocol
