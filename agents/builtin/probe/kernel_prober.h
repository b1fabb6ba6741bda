#pragma once
/// \file
/// What single threads of one launch compute with integers: indices, guards, trip counts. Runs the
/// kernel's own code on the launch's numbers, so that facts come from values and not from the way
/// in which the code is written.

#include "agents/builtin/scene.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

class ProbeProgram;
struct Value;

struct ThreadPosition {
  std::array<std::int64_t, 3> block{};
  std::array<std::int64_t, 3> thread{};
};

/// What `p[i]` or `*p` touches.
struct Access {
  std::string buffer;  ///< pointer parameter of the kernel, or a local array
  std::int64_t element = 0;
  bool operator==(const Access&) const = default;
};

/// What a probe finds. `absent`: the thread does not get there.
enum class ProbeState { found, absent, unknown };
struct Probe {
  ProbeState state = ProbeState::unknown;
  std::int64_t value = 0;
};

/// Which iteration of a loop, counted from 0, by its for_statement. A loop that is absent is in its
/// first.
using Iterations = std::map<NodeId, std::int64_t>;

/// One function in one launch. Everything it refers to must outlive it. For one thread at a time.
class KernelProber {
 public:
  KernelProber(const CudaSource& source, const Function& function, const SceneLaunch& launch);

  /// Threads of the grid.
  [[nodiscard]] std::int64_t threads() const;
  /// x fastest: threads of a row of blocks side by side.
  [[nodiscard]] ThreadPosition position(std::int64_t flat) const;

  /// Value of an integer (or bool) expression of the body where it stands: what stands before it on
  /// the way is run first. Of the name in `int i = …;` it is the value after that. A pointer counts
  /// in elements from the buffer that it points into. nullopt: the thread does not get there (a
  /// guard, a return, a `continue`, the loop is shorter), or it depends on what is not known (data,
  /// floating point, an unknown call). Where a guard is not known, the value is that of a thread
  /// that gets past it.
  [[nodiscard]] std::optional<std::int64_t> value(NodeId expression, const ThreadPosition& thread,
                                                  const Iterations& at = {}) const;
  /// As value(), telling the two cases apart.
  [[nodiscard]] Probe probe(NodeId expression, const ThreadPosition& thread,
                            const Iterations& at = {}) const;
  /// Of a subscript, a dereference, or where another pointer expression points; nullopt as value().
  [[nodiscard]] std::optional<Access> access(NodeId expression, const ThreadPosition& thread,
                                             const Iterations& at = {}) const;
  /// Whether the thread gets to that statement or expression; nullopt: it cannot be told.
  [[nodiscard]] std::optional<bool> reaches(NodeId node, const ThreadPosition& thread,
                                            const Iterations& at = {}) const;
  /// Iterations of a `for` loop with a constant step; nullopt as value().
  [[nodiscard]] std::optional<std::int64_t> trips(NodeId loop, const ThreadPosition& thread,
                                                  const Iterations& at = {}) const;

  /// Integers and bools in scope just before `place`, those that are known; nullopt as value().
  [[nodiscard]] std::optional<std::map<std::string, std::int64_t, std::less<>>> integers_at(
      NodeId place, const ThreadPosition& thread, const Iterations& at = {}) const;

  [[nodiscard]] const CudaSource& source() const { return *source_; }
  [[nodiscard]] const Function& function() const { return *function_; }
  [[nodiscard]] const SceneLaunch& launch() const { return *launch_; }

 private:
  const CudaSource* source_;
  const Function* function_;
  const SceneLaunch* launch_;
  std::shared_ptr<const ProbeProgram> program_;
};

/// Facts that hold at every point that was probed: corners of grid and loops, and random points
/// from a fixed seed. nullopt: it does not hold, or nothing could be probed.

/// Change of the value from one thread of a block to the next along `axis` (0 = x).
[[nodiscard]] std::optional<std::int64_t> stride_along_thread(const KernelProber& prober,
                                                              NodeId expression, int axis);
/// Change of the value from one iteration of `loop` to the next.
[[nodiscard]] std::optional<std::int64_t> stride_along_loop(const KernelProber& prober,
                                                            NodeId expression, NodeId loop);
/// Whether all threads of the grid compute the same value.
[[nodiscard]] std::optional<bool> is_uniform(const KernelProber& prober, NodeId expression);
/// Whether the value is the flat number of the thread, x fastest, at every probe.
[[nodiscard]] std::optional<bool> is_flat_thread(const KernelProber& prober, NodeId expression);
/// The largest value over the probes, corners included.
[[nodiscard]] std::optional<std::int64_t> largest_value(const KernelProber& prober,
                                                        NodeId expression);

}  // namespace warpmind::agents::builtin
