#include "profilers/simulator/program/frame_layout.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

/// The largest alignment of an access, so that lanes' parts are aligned alike.
constexpr std::uint64_t kFrameAlignment = 16;

std::uint32_t append(std::uint64_t& end, std::uint64_t bytes, std::uint32_t alignment) {
  const std::uint64_t step = std::max<std::uint32_t>(alignment, 1);
  const std::uint64_t begin = (end + step - 1) / step * step;
  end = begin + bytes;
  return static_cast<std::uint32_t>(begin);
}

}  // namespace

CallLayout lay_out_call(const std::vector<ptx::Parameter>& results,
                        const std::vector<ptx::Parameter>& parameters) {
  CallLayout layout;
  for (const auto& one : results) {
    layout.results.push_back(append(layout.bytes, one.bytes, one.alignment));
  }
  for (const auto& one : parameters) {
    layout.parameters.push_back(append(layout.bytes, one.bytes, one.alignment));
  }
  return layout;
}

FrameLayout lay_out_frame(const ptx::Function& function) {
  FrameLayout layout;
  if (!function.is_entry) {
    const CallLayout call = lay_out_call(function.results, function.parameters);
    for (std::size_t i = 0; i < function.results.size(); ++i) {
      layout.offsets.emplace(function.results[i].name, call.results[i]);
    }
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      layout.offsets.emplace(function.parameters[i].name, call.parameters[i]);
    }
    layout.bytes = call.bytes;
  }
  for (const auto& variable : function.variables) {
    if (variable.space != ptx::Space::local && variable.space != ptx::Space::param) continue;
    layout.offsets.emplace(variable.name, append(layout.bytes, variable.bytes, variable.alignment));
  }
  layout.bytes = (layout.bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
  return layout;
}

}  // namespace warpmind::simulator
