#pragma once
/// \file
/// The part of the method table that is about kernels at rest. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> kernel_methods();

}  // namespace warpmind::daemon::protocol
