#include "daemon/lsp/wording.h"

#include "base/text.h"

#include <array>

namespace warpmind::daemon::lsp {

std::string time_text(double nanoseconds) {
  constexpr double kStep = 1000;
  constexpr std::array kUnits{"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  while (nanoseconds >= kStep && unit + 1 < kUnits.size()) {
    nanoseconds /= kStep;
    ++unit;
  }
  return significant(nanoseconds, 3) + " " + kUnits[unit];
}

std::string gain_text(double ratio) { return fixed(ratio, 2) + "× faster"; }

std::string bytes_text(std::int64_t bytes) {
  constexpr std::int64_t kKib = 1024;
  if (bytes < kKib) return std::to_string(bytes) + " B";
  return fixed(static_cast<double>(bytes) / static_cast<double>(kKib), 1) + " KiB";
}

std::string provider_text(Provider provider, std::string_view device) {
  std::string name(device);
  switch (provider) {
    case Provider::gpu: return "measured on " + name;
    case Provider::sim: return "predicted for " + name;
    case Provider::fixture: return "recorded on " + name;
  }
  return name;
}

std::string plain_markdown(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_{}[]()#+-.!|<>&~$";
  std::string plain;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      plain += ' ';
      continue;
    }
    if (kMarks.find(c) != std::string_view::npos) plain += '\\';
    plain += c;
  }
  return plain;
}

}  // namespace warpmind::daemon::lsp
