#pragma once
/// \file
/// What admission and counting ask of 32 addresses, in one pass.

#include <array>
#include <cstdint>

namespace warpmind::simulator {

struct AddressExtent {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  ///< start of the highest access
  std::uint64_t any = 0;   ///< all addresses or-ed: low bits tell what is misaligned
  bool is_run = false;     ///< lane i is at low + i * bytes
};

/// Of a full warp. Addresses from 2^63 on would be ordered wrongly: `any` shows them.
void measure_extent(const std::array<std::uint64_t, 32>& addresses, std::uint32_t bytes,
                    AddressExtent& out);

}  // namespace warpmind::simulator
