#pragma once
/// \file
/// The part of the method table that is about what episodes left behind. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> record_methods();

}  // namespace warpmind::daemon::protocol
