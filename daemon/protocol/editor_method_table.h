#pragma once
/// \file
/// The part of the method table that editors use. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> editor_methods();

}  // namespace warpmind::daemon::protocol
