#pragma once
/// \file
/// `for` loops whose iterations may run in any order, on any lane, once their sums and extremes are
/// combined.

#include "agents/builtin/loops/kernel_body.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// `for (int i = start; i < bound; i += step)`; nothing else writes `i`.
struct CountedLoop {
  NodeId node = kNoNode;
  NodeId body = kNoNode;
  const Local* variable = nullptr;
  NodeId start = kNoNode;
  NodeId bound = kNoNode;
  NodeId step = kNoNode;  ///< kNoNode: 1
  NodeId update = kNoNode;
  bool is_inclusive = false;  ///< `i <= bound`
};

enum class Combining { sum, product, minimum, maximum, bit_and, bit_or, bit_xor };

/// Whether a value that comes in twice changes nothing.
[[nodiscard]] bool is_idempotent(Combining how);
/// How a call of that function combines its two arguments: `fmaxf`, `std::min`, ….
[[nodiscard]] std::optional<Combining> combining_of_call(std::string_view name);
/// The same of `+` and `+=`, `*`, `&`, `|` and `^`.
[[nodiscard]] std::optional<Combining> combining_of_operator(std::string_view op);

/// A variable that outlives the loop and only takes in one more value an iteration.
struct Reduction {
  const Local* variable = nullptr;
  Combining how = Combining::sum;
};

/// A loop that counts, and what it reads and writes.
struct LoopMemory {
  CountedLoop header;
  std::vector<const MemoryAccess*> loads;   ///< not of private arrays
  std::vector<const MemoryAccess*> stores;  ///< the same
  /// Why it cannot be rewritten, one clause; empty: it can.
  std::string obstacle;
};

/// The obstacle says why iterations depend on each other.
struct LoopFacts : LoopMemory {
  std::vector<Reduction> reductions;
};

/// Tells pointer parameters that may be bound to one buffer: equal names are one buffer.
using BufferNames = std::function<std::string(const std::string& root)>;

/// The step may be any expression. Errors: not_found with a clause that says which part of the head
/// has another form.
[[nodiscard]] Result<CountedLoop> counted_loop(const KernelBody& body, NodeId loop);

/// Whether an index moves with the loop's variable without ever coming back, where syntax alone
/// does not show it.
using Injective = std::function<bool(NodeId index, NodeId loop)>;

/// Why not every iteration runs to its end, or how often the loop runs changes in it; empty:
/// neither. A `continue` of its own is none.
[[nodiscard]] std::string jump_obstacle(const KernelBody& body, const CountedLoop& loop);

[[nodiscard]] LoopFacts loop_facts(const KernelBody& body, const CountedLoop& loop,
                                   const BufferNames& buffer, const Injective& injective);

/// As above, for a loop that may carry `scanned` from one iteration to the next.
[[nodiscard]] LoopFacts scan_facts(const KernelBody& body, const CountedLoop& loop,
                                   const Local& scanned, const BufferNames& buffer,
                                   const Injective& injective);

/// Change of `expression` from one value of `variable` to the next, if it is one integer known from
/// the text. Locals declared inside of `inside` count as their values.
[[nodiscard]] std::optional<std::int64_t> coefficient(const KernelBody& body, NodeId expression,
                                                      const Local& variable, NodeId inside);

/// Literal integer of an expression such as `32` or `0u`.
[[nodiscard]] std::optional<std::int64_t> integer_literal(const SyntaxTree& tree,
                                                          NodeId expression);

/// Begin of a statement including a `#pragma` that stands right above it.
[[nodiscard]] std::size_t begin_with_pragma(const SyntaxTree& tree, NodeId statement);

}  // namespace warpmind::agents::builtin
