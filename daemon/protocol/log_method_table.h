#pragma once
/// \file
/// The part of the method table about the log. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> log_methods();

}  // namespace warpmind::daemon::protocol
