#pragma once
/// \file
/// What joining two launches that follow each other does to the plan and to the file, whatever the
/// joined kernel looks like.

#include "agents/builtin/pointwise/fused_parameters.h"
#include "agents/builtin/pointwise/pointwise_fusion.h"
#include "agents/builtin/pointwise/pointwise_kernel.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace warpmind::agents::builtin {

/// Launches `first` and `first + 1` of the plan; each runs a function that is defined exactly once.
class LaunchPair {
 public:
  LaunchPair(const Scene& scene, std::size_t first) : scene_(scene), launches_{first, first + 1} {}

  [[nodiscard]] const std::array<std::size_t, 2>& launches() const { return launches_; }
  [[nodiscard]] const std::string& kernel(std::size_t which) const;
  /// What the plan gives to that parameter, or empty.
  [[nodiscard]] std::string argument_of(std::size_t which, std::string_view parameter) const;
  /// That launch as work on one element a thread, which may be moved into the other kernel.
  [[nodiscard]] PointwiseFinding element_part(std::size_t which) const;
  /// Why the launch does not reach each of these elements (a number a workload), or empty.
  [[nodiscard]] std::string elements_left_out(
      std::size_t which, const std::map<std::string, std::int64_t>& bounds) const;
  /// Whether anybody looks at the buffer after the two launches.
  [[nodiscard]] bool survives(const std::string& buffer) const;
  /// " __launch_bounds__(256) void " of a kernel; empty when it is written another way.
  [[nodiscard]] std::string head(std::size_t which) const;
  /// The text of the joined kernel of that name.
  using Writer = std::function<std::string(const std::string& name, FusedParameters& parameters)>;
  /// The two as one. Every buffer that one of them writes must be in `written`.
  [[nodiscard]] Fusion fused(const std::set<std::string>& written, const Writer& write) const;

 private:
  /// "add_scale", not yet in the file.
  [[nodiscard]] std::string joined_name() const;
  /// The kernel with `definition` instead of the two functions, which stay if others launch them,
  /// and one launch of `name`.
  [[nodiscard]] Kernel joined(const std::string& name, const std::string& definition,
                              const FusedParameters& parameters) const;
  [[nodiscard]] std::string source_with(const std::string& definition) const;

  const Scene& scene_;
  std::array<std::size_t, 2> launches_;
};

/// "const float* x, int n".
[[nodiscard]] std::string parameter_text(const FusedParameters& parameters);

}  // namespace warpmind::agents::builtin
