#include "profilers/sandbox/layers.h"

#include <algorithm>

namespace warpmind::profilers {

bool SandboxLayers::active(std::string_view name) const {
  return std::any_of(list.begin(), list.end(),
                     [&](const SandboxLayer& layer) { return layer.active && layer.name == name; });
}

std::string SandboxLayers::standing() const {
  std::string text;
  for (const auto& layer : list) {
    if (layer.active) text += (text.empty() ? "" : ", ") + layer.name;
  }
  return text;
}

std::string SandboxLayers::missing() const {
  std::string text;
  for (const auto& layer : list) {
    if (layer.active) continue;
    text += (text.empty() ? "" : "; ") + layer.name + " (" + layer.detail + ")";
  }
  return text;
}

}  // namespace warpmind::profilers
