#pragma once
/// \file
/// Which walls stand around a sandboxed job on this machine (docs/sandbox.md).

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

struct SandboxLayer {
  std::string name;
  bool active = false;
  std::string detail;  ///< how, or why not
  bool operator==(const SandboxLayer&) const = default;
};

/// In the order from the outermost wall. Empty = no sandbox at all.
struct SandboxLayers {
  std::vector<SandboxLayer> list;
  bool operator==(const SandboxLayers&) const = default;

  [[nodiscard]] bool active(std::string_view name) const;
  /// Names of the layers that stand, separated by commas.
  [[nodiscard]] std::string standing() const;
  /// "name (why not)" of those that do not, separated by semicolons; empty = all stand.
  [[nodiscard]] std::string missing() const;
};

}  // namespace warpmind::profilers
