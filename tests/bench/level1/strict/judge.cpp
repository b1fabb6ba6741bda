#include "judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace level1_strict {
namespace {

constexpr std::int64_t kTile = 4096;
constexpr double kTimesEager = 4;

double number(const torch::Tensor& scalar) { return scalar.to(torch::kFloat64).item<double>(); }

/// Rows of one tile each; the last is filled up with zeros.
torch::Tensor tiles_of(const torch::Tensor& flat) {
  const std::int64_t missing = (kTile - flat.numel() % kTile) % kTile;
  return flat.numel() < kTile
             ? flat.reshape({1, -1})
             : torch::cat({flat, torch::zeros({missing}, flat.options())}).reshape({-1, kTile});
}

double relative_error(const torch::Tensor& value, const torch::Tensor& exact) {
  const double scale = number(exact.square().sum());
  return std::sqrt(number((value - exact).square().sum()) / std::max(scale, 1e-300));
}

StrictVerdict judge_discrete(const torch::Tensor& candidate, const torch::Tensor& exact) {
  StrictVerdict verdict;
  verdict.tiles = 1;
  const auto wrong = static_cast<std::int64_t>(number((candidate != exact).sum()));
  verdict.passed = wrong == 0;
  if (verdict.passed) return verdict;
  verdict.bad_tiles = 1;
  verdict.reason = std::to_string(wrong) + " of " + std::to_string(exact.numel()) +
                   " whole numbers differ (one of several equal ones counts, too)";
  return verdict;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

double unit_of(torch::ScalarType type) {
  if (type == torch::kHalf) return 0x1p-11;
  if (type == torch::kBFloat16) return 0x1p-8;
  return type == torch::kFloat64 ? 0x1p-53 : 0x1p-24;
}

StrictVerdict judge_values(const torch::Tensor& candidate, const torch::Tensor& eager,
                           const torch::Tensor& exact, torch::ScalarType type) {
  if (!c10::isFloatingType(type)) return judge_discrete(candidate, exact);
  StrictVerdict verdict;
  // Where the exact value is none that the output's type has, eager says what is right.
  const auto rounded = exact.to(type).to(torch::kFloat64);
  const auto finite = torch::isfinite(rounded) & torch::isfinite(eager);
  const auto odd = ~finite;
  const auto same = (candidate == eager) | (torch::isnan(candidate) & torch::isnan(eager));
  const auto odd_wrong = static_cast<std::int64_t>(number((odd & ~same).sum()));
  const auto lost = static_cast<std::int64_t>(number((finite & ~torch::isfinite(candidate)).sum()));
  const auto zero = torch::zeros_like(exact);
  const auto x = torch::where(finite, exact, zero);
  const auto c = torch::where(finite & torch::isfinite(candidate), candidate, x);
  const auto e = torch::where(finite, eager, zero);

  const double unit = unit_of(type);
  const auto xt = tiles_of(x);
  const auto ce = tiles_of(c - x);
  const auto ee = tiles_of(e - x);
  const double tiny = type == torch::kHalf ? 0x1p-25 : 1e-40;
  const auto floor_rms = (xt.square().mean(1).sqrt() * (unit / 2)).clamp_min(tiny);
  const auto floor_max = (std::get<0>(xt.abs().max(1)) * unit).clamp_min(tiny);
  const auto rms =
      ce.square().mean(1).sqrt() / torch::maximum(ee.square().mean(1).sqrt(), floor_rms);
  const auto most =
      std::get<0>(ce.abs().max(1)) / torch::maximum(std::get<0>(ee.abs().max(1)), floor_max);
  const auto times = torch::maximum(rms, most);
  verdict.worst = number(times.max());
  verdict.tiles = times.numel();
  verdict.bad_tiles = static_cast<std::int64_t>(number((times > kTimesEager).sum()));
  verdict.candidate_error = relative_error(c, x);
  verdict.eager_error = relative_error(e, x);
  if (lost > 0) {
    verdict.reason = std::to_string(lost) + " of " + std::to_string(exact.numel()) +
                     " elements are not written or not finite";
  } else if (odd_wrong > 0) {
    verdict.reason = std::to_string(odd_wrong) +
                     " elements that overflow or are not a number differ from eager's";
  } else if (verdict.bad_tiles > 0) {
    verdict.reason = "the error of " + std::to_string(verdict.bad_tiles) + " of " +
                     std::to_string(verdict.tiles) + " tiles is above 4 times eager's, at most " +
                     text_of(verdict.worst) + " times (relative L2 " +
                     text_of(verdict.candidate_error) + ", eager " + text_of(verdict.eager_error) +
                     ")";
  }
  verdict.passed = verdict.reason.empty();
  return verdict;
}

}  // namespace level1_strict
