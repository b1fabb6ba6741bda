#include "base/hash.h"

#include <openssl/sha.h>

namespace warpmind {

Digest sha256(std::string_view bytes) {
  Digest digest{};
  // The pointer only changes signedness: OpenSSL reads unsigned bytes.
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

std::string to_hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(digest.size() * 2);
  for (const auto byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string short_hash(std::string_view bytes, std::size_t digits) {
  return to_hex(sha256(bytes)).substr(0, digits);
}

std::uint64_t seed_of(const Digest& digest) {
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < sizeof seed; ++i) seed = (seed << 8U) | digest.at(i);
  return seed;
}

std::string hash_input(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const auto part : parts) {
    joined += std::to_string(part.size());
    joined += ':';
    joined += part;
  }
  return joined;
}

}  // namespace warpmind
