#pragma once
/// \file
/// The part of the method table that counts operations. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> flops_methods();

}  // namespace warpmind::daemon::protocol
