#pragma once
/// \file
/// What joining two launches that follow each other does to the plan and to the file, whatever the
/// joined kernel looks like.

#include "agents/builtin/pointwise/fused_parameters.h"

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
  /// Whether anybody looks at the buffer after the two launches.
  [[nodiscard]] bool survives(const std::string& buffer) const;
  /// " __launch_bounds__(256) void " of a kernel; empty when it is written another way.
  [[nodiscard]] std::string head(std::size_t which) const;
  /// "add_scale", not yet in the file.
  [[nodiscard]] std::string joined_name() const;

  /// The kernel with `definition` instead of the two functions, which stay if others launch them,
  /// and one launch of `name`.
  [[nodiscard]] Kernel joined(const std::string& name, const std::string& definition,
                              const FusedParameters& parameters) const;

 private:
  [[nodiscard]] std::string source_with(const std::string& definition) const;

  const Scene& scene_;
  std::array<std::size_t, 2> launches_;
};

/// "const float* x, int n".
[[nodiscard]] std::string parameter_text(const FusedParameters& parameters);

}  // namespace warpmind::agents::builtin
