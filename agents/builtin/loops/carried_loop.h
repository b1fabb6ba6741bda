#pragma once
/// \file
/// Serial loops whose iterations only hand on running values: `a += …`, `++n`, by amounts that no
/// running value decides. Given what stands in front of it, an iteration needs no other.

#include "agents/builtin/loops/parallel_loop.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct CarriedValue {
  const Local* variable = nullptr;
  Combining how = Combining::sum;
  std::vector<NodeId> updates;  ///< nodes in which the amounts may name it
  bool counts = false;          ///< each update adds one or another positive number
};

struct CarriedLoop : LoopMemory {
  bool counts_down = false;
  std::int64_t step = 1;
  std::vector<CarriedValue> values;
  /// Statements of the body that the amounts do not need.
  std::vector<NodeId> beside;
  /// `y[n++] = …;` as the amounts have it: `n++;`.
  std::vector<TextEdit> counted;
  /// Statements of the body that do nothing but update all that is updated in them.
  std::vector<NodeId> updates_alone;
};

/// nullopt: it has no head that counts, or it hands nothing on, or it stores nothing.
[[nodiscard]] std::optional<CarriedLoop> carried_loop(const KernelBody& body, NodeId loop,
                                                      const BufferNames& buffer,
                                                      const Injective& injective);

/// The running value that is the index of a store, as in `y[n] = …` or `y[n++] = …`; nullptr: the
/// index is something else.
[[nodiscard]] const CarriedValue* value_as_index(const KernelBody& body, const CarriedLoop& loop,
                                                 const MemoryAccess& store);

}  // namespace warpmind::agents::builtin
