#include "profilers/health/pci_address.h"

#include "base/file.h"
#include "base/text.h"

#include <array>
#include <charconv>
#include <optional>
#include <system_error>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} * 1024;

/// Domain, bus and device.
std::optional<std::array<unsigned, 3>> parse_address(std::string_view text) {
  text = text.substr(0, text.find('.'));
  std::array<unsigned, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const std::size_t end = last ? text.size() : text.find(':');
    if (end == std::string_view::npos) return std::nullopt;
    const char* const stop = text.data() + end;
    const auto read = std::from_chars(text.data(), stop, parts[i], 16);
    if (read.ec != std::errc{} || read.ptr != stop) return std::nullopt;
    if (!last) text.remove_prefix(end + 1);
  }
  return parts;
}

/// The value of a line "GPU UUID:   GPU-…".
std::string uuid_in(std::string_view information) {
  constexpr std::string_view kName = "GPU UUID:";
  const std::size_t at = information.find(kName);
  if (at == std::string_view::npos) return {};
  information.remove_prefix(at + kName.size());
  information = information.substr(0, information.find('\n'));
  return std::string(trim_text(trim_left(information, " \t"), " \t\r"));
}

}  // namespace

std::string pci_address_of(const std::string& uuid, const fs::path& gpus) {
  if (uuid.empty()) return {};
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(gpus, ec)) {
    const auto information = read_file(entry.path() / "information", kMostBytes);
    if (information && uuid_in(*information) == uuid) return entry.path().filename().string();
  }
  return {};
}

bool is_same_device(std::string_view a, std::string_view b) {
  const auto first = parse_address(a);
  return first && first == parse_address(b);
}

}  // namespace warpmind::profilers
