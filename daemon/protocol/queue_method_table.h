#pragma once
/// \file
/// The part of the method table that is about the queue. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> queue_methods();

}  // namespace warpmind::daemon::protocol
