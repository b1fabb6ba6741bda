#pragma once
/// \file
/// Where variables lie in a frame's local memory, one lane's part.

#include "profilers/simulator/ptx/syntax.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// Offsets of a device function's results and parameters in its frame. Caller and callee compute
/// them alike, from sizes and alignments alone, so that calls through pointers fit, too.
struct CallLayout {
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> parameters;
  std::uint64_t bytes = 0;
};
[[nodiscard]] CallLayout lay_out_call(const std::vector<ptx::Parameter>& results,
                                      const std::vector<ptx::Parameter>& parameters);

/// Offsets by name: results and parameters (not of an entry, whose parameters are elsewhere), then
/// .local and .param variables of the body.
struct FrameLayout {
  std::map<std::string, std::uint32_t, std::less<>> offsets;
  std::uint64_t bytes = 0;  ///< a multiple of 16
};
[[nodiscard]] FrameLayout lay_out_frame(const ptx::Function& function);

}  // namespace warpmind::simulator
