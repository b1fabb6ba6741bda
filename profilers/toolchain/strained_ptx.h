#pragma once
/// \file
/// PTX whose arithmetic is as unlike the given as that of any honest rewrite may be: what it leaves
/// as it was on some inputs, every honest kernel must compute there (decision 0062).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::profilers {

/// - Sums, products, quotients, roots and approximations of f32 and f64 move by one or two steps,
///   exact ones as well.
/// - 32-bit integers that would wrap become the largest or least instead.
/// - A NaN that was compared, or multiplied by 0, is one no longer: a comparison may be written the
///   other way, and a product with 0 left out.
///
/// `seed` decides directions, the same in every run. nullopt for what it cannot strain: arithmetic
/// in 16 bits or on pairs, and tensor products.
[[nodiscard]] std::optional<std::string> strain(std::string_view ptx, std::uint32_t seed);

}  // namespace warpmind::profilers
