#include "knowledge_base/toolchain_distance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace warpmind::knowledge_base {
namespace {

constexpr double kMajorToolkit = 4;
constexpr double kDriverBranch = 5;
constexpr double kPatch = 0.25;
/// Driver branches have three digits; below, it is a CUDA version in their place.
constexpr double kLeastBranch = 100;
constexpr double kMostNumber = 9999;

struct Version {
  double major = 0;
  double minor = 0;
};

/// The number at the head of `text`, which it takes off.
std::optional<double> take_number(std::string_view& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > kMostNumber) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Version> parse(std::string_view text) {
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  Version version{*major, 0};
  if (text.empty()) return version;
  if (text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  version.minor = *minor;
  return version;
}

}  // namespace

double toolkit_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a == b) return 0;
  const auto left = parse(a);
  const auto right = parse(b);
  if (!left || !right) return 1;
  if (left->major != right->major) return kMajorToolkit * std::abs(left->major - right->major);
  return std::max(kPatch, std::abs(left->minor - right->minor));
}

double driver_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a == b) return 0;
  const auto left = parse(a);
  const auto right = parse(b);
  const bool comparable =
      left && right && (left->major < kLeastBranch) == (right->major < kLeastBranch);
  if (!comparable) return 1;
  if (left->major < kLeastBranch) return toolkit_distance(a, b);
  if (left->major == right->major) return kPatch;
  return std::max(1.0, std::abs(left->major - right->major) / kDriverBranch);
}

double variance_factor(const Toolchain& seen, const Toolchain& now) {
  const double factor = (1 + kVariancePerToolkit * toolkit_distance(seen.toolkit, now.toolkit)) *
                        (1 + kVariancePerDriver * driver_distance(seen.driver, now.driver));
  return std::min(factor, kMostVarianceFactor);
}

}  // namespace warpmind::knowledge_base
