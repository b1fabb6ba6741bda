#pragma once
/// \file
/// PTX in which floating-point results are rounded up or down at random (stochastic arithmetic:
/// J. Vignes, CESTAC; CADNA and Verificarlo do it to programs of the CPU).

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::profilers {

/// Additions, products, quotients, roots and conversions to half precision of f32 and f64 take the
/// upper or the lower neighbour, as a hash of the result and `seed` says: the same in every run.
/// Arithmetic in f16, approximations and tensor products stay.
[[nodiscard]] std::string round_at_random(std::string_view ptx, std::uint32_t seed);

}  // namespace warpmind::profilers
