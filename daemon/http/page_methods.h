#pragma once
/// \file
/// What the page may ask of the daemon.

#include "base/result.h"
#include "daemon/protocol/document.h"

#include <string_view>

namespace warpmind::daemon::http {

/// Methods that read, orders to the queue, and what a person may do to one insight. Nothing that
/// starts a program, names a file, changes settings or ends the daemon. Errors: not_found.
[[nodiscard]] Result<void> check_page_method(std::string_view method,
                                             const protocol::Document& params);

}  // namespace warpmind::daemon::http
