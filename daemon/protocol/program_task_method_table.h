#pragma once
/// \file
/// The methods of program tasks: a part of method_table.h.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> program_task_methods();

}  // namespace warpmind::daemon::protocol
