#include "profilers/worker/argument_bytes.h"

#include <charconv>
#include <cstring>

namespace warpmind::profilers {

Result<ArgumentBytes> argument_bytes(const CallArgument& argument, const Addresses& addresses) {
  ArgumentBytes result;
  if (!argument.buffer.empty()) {
    const auto found = addresses.find(argument.buffer);
    if (found == addresses.end()) {
      return fail(Errc::invalid_argument,
                  "the plan passes " + argument.buffer + ", which is no argument and no scratch");
    }
    std::memcpy(result.bytes.data(), &found->second, sizeof(std::byte*));
    result.size = sizeof(std::byte*);
    return result;
  }
  const std::string& hex = argument.scalar_hex;
  result.size = hex.size() / 2;
  bool valid = hex.size() % 2 == 0 && result.size >= 1 && result.size <= result.bytes.size();
  for (std::size_t i = 0; valid && i < result.size; ++i) {
    unsigned value = 0;
    const char* const first = hex.data() + 2 * i;
    const auto parsed = std::from_chars(first, first + 2, value, 16);
    valid = parsed.ec == std::errc() && parsed.ptr == first + 2;
    result.bytes[i] = static_cast<std::byte>(value);
  }
  if (!valid) {
    return fail(Errc::invalid_argument, "'" + hex + "' is no scalar of 1 to 8 bytes in hex");
  }
  return result;
}

}  // namespace warpmind::profilers
