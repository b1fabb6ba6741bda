#include "profilers/simulator/memory/address_extent.h"

#include <cstddef>
#include <immintrin.h>

namespace warpmind::simulator {
namespace {

using Addresses = std::array<std::uint64_t, 32>;

__m256i four_at(const Addresses& addresses, std::size_t first) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(addresses.data() + first));
}

template <class Join>
std::uint64_t fold(__m256i vector, Join&& join) {
  const auto part = [](long long value) { return static_cast<std::uint64_t>(value); };
  return join(join(part(_mm256_extract_epi64(vector, 0)), part(_mm256_extract_epi64(vector, 1))),
              join(part(_mm256_extract_epi64(vector, 2)), part(_mm256_extract_epi64(vector, 3))));
}

bool is_run_of(const Addresses& addresses, std::uint32_t bytes) {
  // What is none mostly shows it at once.
  if (addresses[1] - addresses[0] != bytes) return false;
  if (addresses.back() - addresses[0] != std::uint64_t{bytes} * (addresses.size() - 1))
    return false;
  const auto first = static_cast<long long>(addresses[0]);
  const auto step = static_cast<long long>(bytes);
  const __m256i four_on = _mm256_set1_epi64x(4 * step);
  __m256i expected = _mm256_setr_epi64x(first, first + step, first + 2 * step, first + 3 * step);
  __m256i differs = _mm256_setzero_si256();
  for (std::size_t i = 0; i < addresses.size(); i += 4) {
    differs = _mm256_or_si256(differs, _mm256_xor_si256(four_at(addresses, i), expected));
    expected = _mm256_add_epi64(expected, four_on);
  }
  return _mm256_testz_si256(differs, differs) != 0;
}

/// Minimum and maximum so far, of one of two chains that the processor works on side by side.
struct Chain {
  __m256i low;
  __m256i high;

  void take(__m256i now) {
    low = _mm256_blendv_epi8(low, now, _mm256_cmpgt_epi64(low, now));
    high = _mm256_blendv_epi8(high, now, _mm256_cmpgt_epi64(now, high));
  }
};

}  // namespace

void measure_extent(const Addresses& addresses, std::uint32_t bytes, AddressExtent& out) {
  __m256i any = four_at(addresses, 0);
  for (std::size_t i = 4; i < addresses.size(); i += 4) {
    any = _mm256_or_si256(any, four_at(addresses, i));
  }
  out.any = fold(any, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  out.is_run = is_run_of(addresses, bytes);
  if (out.is_run) {
    out.low = addresses.front();
    out.high = addresses.back();
    return;
  }
  Chain even{four_at(addresses, 0), four_at(addresses, 0)};
  Chain odd{four_at(addresses, 4), four_at(addresses, 4)};
  for (std::size_t i = 8; i < addresses.size(); i += 8) {
    even.take(four_at(addresses, i));
    odd.take(four_at(addresses, i + 4));
  }
  even.take(odd.low);
  even.take(odd.high);
  out.low = fold(even.low, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
  out.high = fold(even.high, [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; });
}

}  // namespace warpmind::simulator
