#pragma once
/// \file
/// cp.async.bulk with and without tensor maps, tensormap.

#include "profilers/simulator/ops/statement_reader.h"

#include <span>

namespace warpmind::simulator {

/// The rest of a cp.async.bulk.
void decode_bulk_copy(StatementReader& read);

[[nodiscard]] std::span<const OpcodeEntry> tensor_map_opcodes();

}  // namespace warpmind::simulator
