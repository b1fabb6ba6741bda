#include "profilers/simulator/exec/device_printf.h"

#include "profilers/simulator/memory/device_memory.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace warpmind::simulator {
namespace {

constexpr std::int32_t kMostWidth = 9999;

/// A conversion specification: "%-8.3f".
struct Conversion {
  std::string flags;     ///< with width and precision; '*' replaced by its number
  bool is_long = false;  ///< 8 bytes
  char type = 0;
};

/// Walks over the packed arguments of one lane.
class ArgumentReader {
 public:
  ArgumentReader(const Warp& warp, int lane, std::uint64_t address)
      : warp_(warp), lane_(lane), address_(address) {}

  template <class T>
  Result<T> next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const std::byte* const at = view_generic(warp_, lane_, address_, sizeof(T));
    if (at == nullptr) {
      return fail(Errc::invalid_argument, "printf reads more arguments than it was given");
    }
    T value{};
    std::memcpy(&value, at, sizeof value);
    address_ += sizeof(T);
    return value;
  }
  [[nodiscard]] Result<std::string> text() {
    WARPMIND_TRY(const auto address, next<std::uint64_t>());
    if (address == 0) return std::string("(null)");
    auto found = text_at(warp_, lane_, address);
    if (!found) return fail(Errc::invalid_argument, "printf: %s points to no memory");
    return std::move(*found);
  }

 private:
  const Warp& warp_;
  int lane_;
  std::uint64_t address_;
};

template <class T>
std::string format_value(const std::string& specification, T value) {
  std::array<char, 512> buffer{};
// The format is put together from a checked conversion specification.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length =
      std::snprintf(buffer.data(), buffer.size(), specification.c_str(), value);  // NOLINT
  if (length < 0) return {};
  const auto bytes = static_cast<std::size_t>(length);
  if (bytes < buffer.size()) return {buffer.data(), bytes};
  std::string longer(bytes + 1, '\0');
  std::snprintf(longer.data(), longer.size(), specification.c_str(), value);  // NOLINT
#pragma GCC diagnostic pop
  longer.resize(bytes);
  return longer;
}

/// More than four digits in sequence: a width beyond reason, which would only fill memory.
bool has_long_number(std::string_view flags) {
  int digits = 0;
  for (const char letter : flags) {
    digits = letter >= '0' && letter <= '9' ? digits + 1 : 0;
    if (digits > 4) return true;
  }
  return false;
}

/// Reads the specification after '%'; `at` ends behind it.
Result<Conversion> read_conversion(std::string_view format, std::size_t& at,
                                   ArgumentReader& arguments) {
  Conversion conversion;
  while (at < format.size() && std::strchr("-+ #0.123456789*", format[at]) != nullptr) {
    if (format[at] == '*') {
      WARPMIND_TRY(const auto number, arguments.next<std::int32_t>());
      if (number > kMostWidth || number < -kMostWidth) {
        return fail(Errc::invalid_argument, "printf: a width of " + std::to_string(number));
      }
      conversion.flags += std::to_string(number);
    } else {
      conversion.flags += format[at];
    }
    ++at;
  }
  if (has_long_number(conversion.flags)) {
    return fail(Errc::invalid_argument, "printf: a width or precision in %" + conversion.flags);
  }
  while (at < format.size() && std::strchr("hlLqjzt", format[at]) != nullptr) {
    if (format[at] != 'h') conversion.is_long = true;
    ++at;
  }
  if (at == format.size()) return fail(Errc::invalid_argument, "printf: the format ends after %");
  conversion.type = format[at++];
  return conversion;
}

Result<std::string> convert(const Conversion& conversion, ArgumentReader& arguments) {
  const std::string start = "%" + conversion.flags;
  switch (conversion.type) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (conversion.is_long) {
        WARPMIND_TRY(const auto value, arguments.next<std::uint64_t>());
        return format_value(start + "ll" + conversion.type, value);
      } else {
        WARPMIND_TRY(const auto value, arguments.next<std::uint32_t>());
        return format_value(start + conversion.type, value);
      }
    case 'c': {
      WARPMIND_TRY(const auto value, arguments.next<std::int32_t>());
      return format_value(start + "c", value);
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      WARPMIND_TRY(const auto value, arguments.next<double>());
      return format_value(start + conversion.type, value);
    }
    case 'p': {
      WARPMIND_TRY(const auto value, arguments.next<const void*>());
      return format_value(start + "p", value);
    }
    case 's': {
      WARPMIND_TRY(const std::string value, arguments.text());
      return format_value(start + "s", value.c_str());
    }
    default:
      return fail(Errc::invalid_argument,
                  std::string("printf: the conversion %") + conversion.type + " is not known");
  }
}

}  // namespace

const std::byte* view_generic(const Warp& warp, int lane, std::uint64_t address,
                              std::uint64_t bytes) {
  const auto inside = [&](std::uint64_t window, std::uint64_t size) {
    const std::uint64_t offset = address - window;
    return offset < size && bytes <= size - offset;
  };
  const BlockState& block = *warp.block;
  if (inside(kLocalWindow, warp.local_stride)) {
    return warp.local + static_cast<std::size_t>(lane) * warp.local_stride +
           (address - kLocalWindow);
  }
  if (inside(kSharedWindow, block.shared_bytes)) return block.shared + (address - kSharedWindow);
  const LaunchState& launch = *warp.launch;
  if (inside(kParamWindow, launch.parameters.size())) {
    return launch.parameters.data() + (address - kParamWindow);
  }
  const DeviceMemory& memory = *launch.memory;
  if (!memory.contains(address)) return nullptr;
  const Allocation* const allocation = memory.find(address);
  if (allocation == nullptr || !allocation->live) return nullptr;
  if (!inside(allocation->address, allocation->bytes)) return nullptr;
  return memory.host(address);
}

std::optional<std::string> text_at(const Warp& warp, int lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kMostText) {
    const std::byte* const at = view_generic(warp, lane, address + text.size(), 1);
    if (at == nullptr) return std::nullopt;
    if (*at == std::byte{0}) return text;
    text += static_cast<char>(*at);
  }
  return text;
}

Result<FormattedText> format_device_text(const Warp& warp, int lane, std::uint64_t format,
                                         std::uint64_t arguments) {
  const auto pattern = text_at(warp, lane, format);
  if (!pattern) return fail(Errc::invalid_argument, "printf: the format points to no memory");
  ArgumentReader reader(warp, lane, arguments);
  FormattedText result;
  for (std::size_t at = 0; at < pattern->size();) {
    const char letter = (*pattern)[at++];
    if (letter != '%') {
      result.text += letter;
    } else if (at < pattern->size() && (*pattern)[at] == '%') {
      result.text += '%';
      ++at;
    } else {
      WARPMIND_TRY(const Conversion conversion, read_conversion(*pattern, at, reader));
      WARPMIND_TRY(const std::string value, convert(conversion, reader));
      result.text += value;
      ++result.conversions;
    }
  }
  return result;
}

}  // namespace warpmind::simulator
