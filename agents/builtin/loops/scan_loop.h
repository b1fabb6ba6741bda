#pragma once
/// \file
/// Loops that leave something for every prefix of their terms: running sums, products, extremes.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/loops/thread_dependence.h"
#include "agents/builtin/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// The one statement of a loop's body that takes a term into a variable.
struct ScanUpdate {
  const Local* variable = nullptr;
  Combining how = Combining::sum;
  NodeId write = kNoNode;      ///< assignment or `++`
  NodeId value = kNoNode;      ///< kNoNode: one
  NodeId whole = kNoNode;      ///< what names the variable: the write, or `if (e > v) v = e;`
  bool is_negative = false;    ///< the value is taken away
  NodeId statement = kNoNode;  ///< child of the loop's body around it: itself, or an if
  std::vector<NodeId> before;  ///< statements of the body in front of it that its term needs
};

/// `for (i = a; i < b; ++i) { acc += x[i]; y[i] = acc; }`, also with `--i`.
struct ScanLoop : LoopMemory {
  bool counts_down = false;
  ScanUpdate update;
};

/// The header of `for (int i = a; i >= b; --i)`; the bound is the last value. nullopt: another one.
[[nodiscard]] std::optional<CountedLoop> counting_down(const KernelBody& body, NodeId loop);

/// Whether an expression shows that it has no fractions.
[[nodiscard]] bool has_no_fractions(const KernelBody& body, NodeId expression);

/// Statements of a loop's body.
[[nodiscard]] std::vector<NodeId> body_statements(const SyntaxTree& tree, NodeId body);

/// nullopt: the loop has another form altogether (its header, or no variable runs through it).
[[nodiscard]] std::optional<ScanLoop> scan_loop(const KernelBody& body, NodeId loop,
                                                const BufferNames& buffer,
                                                const Injective& injective);

/// A loop of all threads of a block over outputs, each of which sums its own prefix anew:
/// `for (c = threadIdx.x; c < n; c += blockDim.x) { acc = 0; for (k = 0; k <= c; ++k) acc += x[k];
/// y[c] = acc; }`.
struct PrefixLoops {
  StridedLoop outer;
  CountedLoop inner;
  bool is_inclusive = false;     ///< the output's own term is in
  NodeId declaration = kNoNode;  ///< of the sum
  ScanUpdate update;
  std::string obstacle;
};

/// nullopt: there is no inner loop that ends at the outer one's variable.
[[nodiscard]] std::optional<PrefixLoops> prefix_loops(const Scene& scene, const KernelBody& body,
                                                      NodeId loop, const BufferNames& buffer,
                                                      const Injective& injective);

}  // namespace warpmind::agents::builtin
