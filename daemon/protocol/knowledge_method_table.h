#pragma once
/// \file
/// The part of the method table that is about the knowledge base. For method_table.cpp.

#include "daemon/protocol/method_table.h"

#include <span>

namespace warpmind::daemon::protocol {

[[nodiscard]] std::span<const MethodSpec> knowledge_methods();

}  // namespace warpmind::daemon::protocol
