#pragma once
/// \file
/// printf of device code.

#include "base/result.h"
#include "profilers/simulator/exec/warp.h"

#include <cstdint>
#include <optional>
#include <string>

namespace warpmind::simulator {

/// `bytes` bytes at a generic address as a lane of the current frame sees it; nullptr where they
/// are not all inside one live allocation, the lane's local memory, the block's shared memory or
/// the parameters.
[[nodiscard]] const std::byte* view_generic(const Warp& warp, int lane, std::uint64_t address,
                                            std::uint64_t bytes);

/// Text up to its zero byte, at most kMostText bytes; nullopt where it leaves memory before.
inline constexpr std::uint64_t kMostText = 65536;
[[nodiscard]] std::optional<std::string> text_at(const Warp& warp, int lane, std::uint64_t address);

struct FormattedText {
  std::string text;
  int conversions = 0;  ///< what vprintf returns
};

/// Formats as vprintf(format, arguments) would for one lane. `arguments` points to what nvcc packs:
/// each value at its natural alignment, integers of 4 or 8 bytes, reals as double.
/// Errors: invalid_argument naming what is wrong with the format or where it points.
[[nodiscard]] Result<FormattedText> format_device_text(const Warp& warp, int lane,
                                                       std::uint64_t format,
                                                       std::uint64_t arguments);

}  // namespace warpmind::simulator
