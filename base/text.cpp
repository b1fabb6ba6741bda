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

}  // namespace warpmind
