#include "base/text.h"

#include <array>
#include <cstdio>

namespace warpmind {

std::string fixed(double value, int digits) {
  // Large enough for any double that is a time or a ratio; longer ones are cut.
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);  // NOLINT(cert-err33-c)
  return text.data();
}

std::string significant(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);  // NOLINT(cert-err33-c)
  return text.data();
}

std::string time_text(double ns) {
  const bool long_one = ns >= 999'500;
  const double value = ns / (long_one ? 1e6 : 1e3);
  return fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + (long_one ? " ms" : " µs");
}

}  // namespace warpmind
