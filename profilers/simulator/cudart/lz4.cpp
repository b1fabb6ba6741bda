#include "profilers/simulator/cudart/lz4.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kLongNibble = 15;  ///< more bytes of the length follow
constexpr std::size_t kLongByte = 255;   ///< likewise
constexpr std::size_t kLeastMatch = 4;

/// Reads from the front of a block; every read says whether there was enough.
struct Reader {
  std::span<const char> rest;

  bool byte(std::size_t& value) {
    if (rest.empty()) return false;
    value = static_cast<unsigned char>(rest.front());
    rest = rest.subspan(1);
    return true;
  }
  /// A length that began in a nibble of the token.
  bool length(std::size_t& value) {
    if (value != kLongNibble) return true;
    std::size_t more = kLongByte;
    while (more == kLongByte) {
      if (!byte(more)) return false;
      value += more;
    }
    return true;
  }
};

}  // namespace

std::optional<std::size_t> lz4_decompress(std::span<const char> block, std::span<char> out) {
  Reader in{block};
  std::size_t at = 0;
  std::size_t token = 0;
  while (in.byte(token)) {
    std::size_t literals = token >> 4U;
    if (!in.length(literals) || literals > in.rest.size() || literals > out.size() - at) {
      return std::nullopt;
    }
    std::copy_n(in.rest.begin(), literals, out.begin() + static_cast<std::ptrdiff_t>(at));
    in.rest = in.rest.subspan(literals);
    at += literals;
    if (in.rest.empty()) return at;  // the last sequence has literals alone
    std::size_t low = 0;
    std::size_t high = 0;
    if (!in.byte(low) || !in.byte(high)) return std::nullopt;
    const std::size_t distance = low | high << 8U;
    std::size_t match = token & kLongNibble;
    if (!in.length(match)) return std::nullopt;
    match += kLeastMatch;
    if (distance == 0 || distance > at || match > out.size() - at) return std::nullopt;
    // Byte by byte: a match may overlap what it writes.
    for (; match > 0; --match, ++at) out[at] = out[at - distance];
  }
  return std::nullopt;  // it ended without its last literals
}

}  // namespace warpmind::simulator
