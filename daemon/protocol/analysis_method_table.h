#pragma once
/// \file
/// The part of the method table that is about source at hand. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> analysis_methods();

}  // namespace warpmind::daemon::protocol
