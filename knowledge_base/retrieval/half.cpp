#include "knowledge_base/retrieval/half.h"

#include <bit>

namespace warpmind::knowledge_base {
namespace {

// Exponents of the two formats differ by 127 - 15.
constexpr float kExponentShift = 0x1p112F;
constexpr std::uint32_t kHalfInfinity = 0x7c00;
constexpr std::uint32_t kFloatInfinity = 0x7f800000;
constexpr unsigned kMantissaShift = 23 - 10;

}  // namespace

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > kFloatInfinity) return static_cast<std::uint16_t>(sign | 0x7e00U);
  // Scaling first lets the hardware round what becomes subnormal.
  const auto scaled =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * (1.0F / kExponentShift));
  const std::uint32_t odd = (scaled >> kMantissaShift) & 1U;
  std::uint32_t half = (scaled + 0xfffU + odd) >> kMantissaShift;
  if (half > kHalfInfinity) half = kHalfInfinity;
  return static_cast<std::uint16_t>(sign | half);
}

float from_half(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
  if (magnitude >= kHalfInfinity) {
    return std::bit_cast<float>(sign | kFloatInfinity | ((magnitude & 0x3ffU) << kMantissaShift));
  }
  const float value = std::bit_cast<float>(magnitude << kMantissaShift) * kExponentShift;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

std::string encode_halves(std::span<const float> vector) {
  std::string bytes;
  bytes.reserve(vector.size() * 2);
  for (const float value : vector) {
    const std::uint16_t half = to_half(value);
    bytes += static_cast<char>(half & 0xffU);
    bytes += static_cast<char>(half >> 8U);
  }
  return bytes;
}

Result<void> decode_halves(std::string_view bytes, std::span<float> out) {
  if (bytes.size() != 2 * out.size()) {
    return fail(Errc::corrupt_data, "a stored vector has " + std::to_string(bytes.size()) +
                                        " bytes, expected " + std::to_string(2 * out.size()));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto low = static_cast<unsigned char>(bytes[2 * i]);
    const auto high = static_cast<unsigned char>(bytes[2 * i + 1]);
    out[i] = from_half(static_cast<std::uint16_t>(low | (high << 8U)));
  }
  return {};
}

}  // namespace warpmind::knowledge_base
