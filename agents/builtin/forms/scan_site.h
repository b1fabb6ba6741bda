#pragma once
/// \file
/// A serial loop of a kernel that leaves something for every prefix, with what stands around it and
/// which threads walk it.

#include "agents/builtin/loops/carried_loop.h"
#include "agents/builtin/scene.h"

#include <array>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

enum class ScanWalkers {
  every_thread,  ///< each thread of the grid has a row, maybe an empty one
  one_a_block,   ///< the first thread of each block has
  one            ///< the first thread of the grid has
};

struct ScanSite {
  const Function* function = nullptr;
  CarriedLoop loop;
  /// Statements in front of the loop and conditions of `if` around it, as they are met.
  std::vector<NodeId> before;
  std::vector<NodeId> after;  ///< statements behind it
  ScanWalkers walkers = ScanWalkers::every_thread;
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< threads of the given launches
};

/// Errors: not_found with a clause. `body` is that of the function and must outlive the site.
[[nodiscard]] Result<ScanSite> find_scan_site(const Scene& scene, const KernelBody& body);

/// Of ScanSite::before: whether it is the condition of an `if` around the loop.
[[nodiscard]] bool is_condition(const SyntaxTree& tree, NodeId part);
/// Whether it is `if (…) return;`.
[[nodiscard]] bool is_guard(const SyntaxTree& tree, NodeId statement);
/// Whether a store to memory stands at or below it.
[[nodiscard]] bool has_store(const KernelBody& body, NodeId node);
/// A loop behind the scan that threads may share; nullopt: it is another statement.
[[nodiscard]] std::optional<CountedLoop> shared_tail_loop(const KernelBody& body, NodeId statement,
                                                          const BufferNames& buffer,
                                                          const Injective& injective);

}  // namespace warpmind::agents::builtin
