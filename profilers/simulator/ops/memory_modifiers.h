#pragma once
/// \file
/// Modifiers that ld, st, atom and red share: spaces, ordering, cache hints.

#include "profilers/simulator/ops/statement_reader.h"

namespace warpmind::simulator {

/// The state space that the statement names; generic when it names none.
[[nodiscard]] Space take_space(StatementReader& read);

/// .weak .volatile .relaxed .acquire .release .acq_rel .mmio, .sc and the scope, as bits of
/// Instruction::option (memory/access.h). Without a scope the device is meant.
[[nodiscard]] std::uint16_t take_ordering(StatementReader& read);

/// Takes .ca, .L2::128B and their like, which tell the machine nothing that we model. True when
/// the statement has a cache policy as its last operand (.L2::cache_hint).
[[nodiscard]] bool take_cache_hints(StatementReader& read);

/// v2, v4, v8: elements a lane; 1 without.
[[nodiscard]] std::uint8_t take_vector(StatementReader& read);

/// Reads and forgets the cache policy.
void skip_policy(StatementReader& read, bool has_policy);

}  // namespace warpmind::simulator
