#include "knowledge_base/retrieval/stored_vector.h"

#include "base/half.h"

namespace warpmind::knowledge_base {

std::string encode_halves(std::span<const float> vector) {
  std::string bytes;
  bytes.reserve(vector.size() * 2);
  for (const float value : vector) {
    const std::uint16_t half = f16_from_float(value);
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
    out[i] = f16_to_float(static_cast<std::uint16_t>(low | (high << 8U)));
  }
  return {};
}

}  // namespace warpmind::knowledge_base
