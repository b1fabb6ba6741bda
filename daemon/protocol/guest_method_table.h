#pragma once
/// \file
/// The part of the method table that is about episodes whose candidates come from outside. For
/// method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> guest_methods();

}  // namespace warpmind::daemon::protocol
