#include "profilers/judge/recorded_draws.h"

#include "base/expression.h"
#include "base/file.h"
#include "profilers/judge/case_comparison.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/reference_library.h"
#include "profilers/launch_record/buffer_contents.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

namespace warpmind::profilers {
namespace {

/// Elements within which an order changes; lengths that differ by one have the same whole blocks.
constexpr std::size_t kBlock = 16;
constexpr std::size_t kMostValuesBytes = std::size_t{1} << 20U;

/// Where each of `count` elements comes from. The end stays: the last of an array of lengths or
/// offsets bounds what lies behind.
std::vector<std::size_t> order_of(std::size_t count, std::uint64_t order) {
  std::vector<std::size_t> from(count);
  std::iota(from.begin(), from.end(), std::size_t{0});
  if (count < 3) return from;
  const std::size_t block = std::min(kBlock, std::max<std::size_t>((count - 2) / 2, 2));
  const std::size_t blocks = (count - 2) / block;
  for (std::size_t b = 0; b < std::max<std::size_t>(blocks, 1); ++b) {
    SplitMix random(order + b * 0xD1B54A32D192ED03U);
    const std::size_t first = b * block;
    const std::size_t size = std::min(block, count - 1 - first);
    for (std::size_t i = size; i > 1; --i) {
      std::swap(from[first + i - 1], from[first + random.next() % i]);
    }
  }
  return from;
}

std::vector<double> with_steps_reordered(const std::vector<double>& sorted, std::uint64_t order) {
  std::vector<double> values = sorted;
  const auto from = order_of(sorted.size() - 1, order);
  const auto step = [&](std::size_t i) { return sorted[i + 1] - sorted[i]; };
  bool is_even = true;
  for (std::size_t i = 1; i + 1 < sorted.size(); ++i) is_even = is_even && step(i) == step(0);
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = values[i - 1] + step(from[i - 1]);
  // Every order of equal steps is the same: instead, some join the next.
  SplitMix random(order);
  for (std::size_t i = 1; is_even && i + 1 < values.size(); i += 2) {
    if (random.next() >> 63U != 0) values[i] = values[i - 1];
  }
  return values;
}

std::vector<double> reordered(const std::vector<double>& values, std::uint64_t order) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  if (*least == *greatest) {
    std::vector<double> drawn(values.size());
    SplitMix random(order);
    for (double& value : drawn)
      value = std::trunc((*greatest + (*greatest < 0 ? -1 : 1)) * random.unit());
    return drawn;
  }
  if (std::is_sorted(values.begin(), values.end())) return with_steps_reordered(values, order);
  const auto from = order_of(values.size(), order);
  std::vector<double> all(values.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[from[i]];
  return all;
}

/// Of a range that ends at `most` instead of `high`.
double rescaled(double value, double low, double high, std::optional<std::int64_t> most) {
  if (!most || high <= low) return value;
  const double end = std::max(static_cast<double>(*most), low);
  return low + std::floor((value - low) * (end - low) / (high - low));
}

/// The value below which `part` of the recorded ones lie.
double quantile(const RecordedInput& recorded, double part, bool is_integer) {
  const auto& shares = recorded.shares;
  const double width = (recorded.high - recorded.low + (is_integer ? 1 : 0)) /
                       static_cast<double>(std::max<std::size_t>(shares.size(), 1));
  if (shares.empty()) return recorded.low + part * (recorded.high - recorded.low);
  double below = 0;
  std::size_t at = 0;
  while (at + 1 < shares.size() && below + shares[at] <= part) below += shares[at++];
  const double inside = shares[at] > 0 ? std::clamp((part - below) / shares[at], 0.0, 1.0) : 0;
  const double value = recorded.low + (static_cast<double>(at) + inside) * width;
  return std::clamp(is_integer ? std::floor(value) : value, recorded.low, recorded.high);
}

}  // namespace

Result<std::string> recorded_values(const Task& task, const RecordedInput& recorded) {
  const auto path = std::filesystem::path(task.directory) / kRecordedValuesFolder / recorded.values;
  WARPMIND_TRY(const std::string bytes, read_file(path, kMostValuesBytes));
  if (contents_name(bytes) != recorded.values) {
    return fail(Errc::corrupt_data, path.string() +
                                        " is not what the program was recorded with: record it "
                                        "again, or remove the argument's values from task.toml");
  }
  const auto offset = static_cast<std::size_t>(std::max<std::int64_t>(recorded.offset, 0));
  return bytes.substr(std::min(offset, bytes.size()));
}

std::string use_recorded_values(const Argument& argument, std::string_view values,
                                const RecordedUse& use) {
  const std::size_t size = size_in_bytes(argument.dtype);
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(use.count, 0));
  const std::size_t known = values.size() / size;
  if (known == 0 || wanted == 0) return std::string(wanted * size, '\0');
  if (known == wanted && use.order == 0 && !use.most)
    return std::string(values.substr(0, known * size));
  const std::vector<double> recorded = decode_elements(values, argument.dtype);
  std::vector<double> taken(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    // The ends stay the ends.
    const double place = wanted == 1 ? 0
                                     : static_cast<double>(i) * static_cast<double>(known - 1) /
                                           static_cast<double>(wanted - 1);
    taken[i] = known == wanted ? recorded[i] : recorded[static_cast<std::size_t>(place)];
  }
  const auto [least, greatest] = std::minmax_element(recorded.begin(), recorded.end());
  for (double& value : taken) value = rescaled(value, *least, *greatest, use.most);
  if (use.order != 0) taken = reordered(taken, use.order);
  return encode_elements(taken, argument.dtype);
}

std::function<void(std::int64_t begin, std::vector<double>& values, SplitMix& random)>
fill_like_recorded(const Argument& argument, const InputDraw& draw, std::int64_t count) {
  const RecordedInput recorded = *argument.recorded;
  const bool is_integer = !is_floating(argument.dtype);
  if (is_integer || recorded.sorted) {
    return [=](std::int64_t begin, std::vector<double>& values, SplitMix& random) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t index = begin + static_cast<std::int64_t>(i);
        double part = random.unit();
        if (recorded.sorted) {
          part = (static_cast<double>(index) + part) / static_cast<double>(count);
          if (index == 0) part = 0;
          if (index == count - 1) part = 1;
        }
        const double value = quantile(recorded, part, is_integer);
        values[i] = is_integer ? rescaled(value, recorded.low, recorded.high, draw.most) : value;
      }
    };
  }
  // Mean and deviation of what is not zero.
  const double others = std::max(1 - recorded.zeros, 1e-9);
  const double mean = recorded.mean / others;
  const double square = (recorded.deviation * recorded.deviation + recorded.mean * recorded.mean);
  const double deviation = std::sqrt(std::max(square / others - mean * mean, 0.0));
  return [=](std::int64_t /*begin*/, std::vector<double>& values, SplitMix& random) {
    static const NormalQuantiles quantiles;
    for (double& value : values) {
      const bool is_zero = random.unit() < recorded.zeros;
      const double drawn = mean + deviation * quantiles.draw(random);
      value = is_zero ? 0 : std::clamp(drawn, recorded.low, recorded.high);
    }
  };
}

Result<std::string> draw_argument(const Task& task, const Argument& argument, const Sizes& sizes,
                                  InputDraw draw, std::uint64_t seed) {
  WARPMIND_TRY(const std::int64_t count, element_count(argument, sizes));
  WARPMIND_TRY(const auto extents, extents_of(argument, sizes));
  const auto& recorded = argument.recorded;
  if (recorded && !recorded->most.empty()) {
    WARPMIND_TRY(draw.most, evaluate(recorded->most, sizes));
  }
  const bool is_recorded = draw.distribution == Distribution::recorded && recorded;
  if (is_recorded && !is_floating(argument.dtype) && !recorded->values.empty()) {
    WARPMIND_TRY(const std::string values, recorded_values(task, *recorded));
    const RecordedUse use{count, recorded->reorder ? draw.order : 0, draw.most};
    return use_recorded_values(argument, values, use);
  }
  return draw_input(argument, draw, count, extents.empty() ? 1 : extents.back(), seed);
}

}  // namespace warpmind::profilers
