#include "profilers/judge/input_generator.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

namespace warpmind::profilers {
namespace {

/// Elements that one random stream makes; streams are independent, so that threads can share.
constexpr std::int64_t kChunkElements = 1 << 16U;

using Fill = std::function<void(std::int64_t begin, std::vector<double>& values, SplitMix& random)>;

std::vector<Distribution> allowed(const Argument& argument) {
  if (!argument.distributions.empty()) return argument.distributions;
  std::vector<Distribution> all;
  for (const auto& [distribution, name] : EnumNames<Distribution>::table) {
    if (distribution != Distribution::index_range) all.push_back(distribution);
  }
  return all;
}

bool draws_indices(const Argument& argument) {
  return std::find(argument.distributions.begin(), argument.distributions.end(),
                   Distribution::index_range) != argument.distributions.end();
}

bool is_unsigned(Dtype dtype) { return dtype == Dtype::u8 || dtype == Dtype::u32; }

template <class Draw>
Fill each(Draw draw) {
  return [draw](std::int64_t /*begin*/, std::vector<double>& values, SplitMix& random) {
    for (double& value : values) value = draw(random);
  };
}

Fill integers(double low, double high, double step = 1) {
  const double first = std::ceil(low);
  const double choices = std::max(std::floor(high) - first + 1, 1.0);
  return each([first, choices, step](SplitMix& random) {
    return (first + std::floor(random.unit() * choices)) * step;
  });
}

Fill normals(double scale) {
  static const NormalQuantiles quantiles;
  return each([scale](SplitMix& random) { return scale * quantiles.draw(random); });
}

/// Magnitudes from 2^-`octaves` to 2^`octaves`, all octaves alike, of either sign.
Fill wide(int octaves) {
  return each([octaves](SplitMix& random) {
    const double octave = std::floor(random.unit() * 2 * octaves) - octaves;
    const double mantissa = 1 + random.unit();
    return std::ldexp(random.next() >> 63U != 0 ? -mantissa : mantissa, static_cast<int>(octave));
  });
}

Fill alternating(Dtype dtype, std::int64_t phase) {
  const double other = is_unsigned(dtype) ? 0 : -1;
  return [phase, other](std::int64_t begin, std::vector<double>& values, SplitMix&) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (begin + static_cast<std::int64_t>(i) + phase) % 2 == 0 ? 1 : other;
    }
  };
}

Fill one_hot(std::int64_t row_elements, std::uint64_t seed) {
  const auto row = static_cast<std::uint64_t>(std::max<std::int64_t>(row_elements, 1));
  return [row, seed](std::int64_t begin, std::vector<double>& values, SplitMix&) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t index = static_cast<std::uint64_t>(begin) + i;
      // By row and not by stream: a row may lie in two chunks.
      SplitMix of_row(seed ^ (index / row * 0xD1B54A32D192ED03U));
      values[i] = index % row == of_row.next() % row ? 1 : 0;
    }
  };
}

Fill integer_fill(Dtype dtype, Distribution distribution) {
  double high = 4;
  if (distribution == Distribution::large || distribution == Distribution::wide)
    high = size_in_bytes(dtype) == 1 ? 100 : 1000;
  return integers(is_unsigned(dtype) ? 0 : -high, high);
}

Fill floating_fill(Dtype dtype, Distribution distribution, SplitMix& random) {
  const bool half = size_in_bytes(dtype) == 2;
  switch (distribution) {
    case Distribution::uniform: return each([](SplitMix& r) { return 2 * r.unit() - 1; });
    case Distribution::exact: return integers(-4, 4);
    case Distribution::denormal: return integers(-8, 8, smallest_denormal(dtype));
    case Distribution::large: return normals(half ? 64 : 1024);
    case Distribution::wide: return wide(half ? 6 : 12);
    default: break;
  }
  // One scale a case, so that a kernel cannot rely on a spread of one.
  return normals(std::exp2(std::floor(random.unit() * 3) - 1));
}

/// Runs `work(first chunk .. )` for all chunks on as many threads as help.
template <class Work>
void for_each_chunk(std::int64_t chunks, const Work& work) {
  const auto threads =
      std::min<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()), (chunks + 3) / 4);
  std::atomic<std::int64_t> next = 0;
  auto serve = [&] {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++) work(chunk);
  };
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i) others.emplace_back(serve);
  serve();
}

}  // namespace

std::string draw_input(const Argument& argument, Distribution distribution, std::int64_t count,
                       std::int64_t row_elements, std::uint64_t seed) {
  const Dtype dtype = argument.dtype;
  SplitMix random(seed);
  Fill fill;
  if (distribution == Distribution::index_range) {
    fill = integers(argument.low, argument.high);
  } else if (distribution == Distribution::constant) {
    fill = alternating(dtype, static_cast<std::int64_t>(random.next() >> 63U));
  } else if (distribution == Distribution::one_hot) {
    fill = one_hot(row_elements, seed);
  } else {
    fill = is_floating(dtype) ? floating_fill(dtype, distribution, random)
                              : integer_fill(dtype, distribution);
  }
  const std::size_t size = size_in_bytes(dtype);
  std::string raw(static_cast<std::size_t>(count) * size, '\0');
  for_each_chunk((count + kChunkElements - 1) / kChunkElements, [&](std::int64_t chunk) {
    const std::int64_t begin = chunk * kChunkElements;
    std::vector<double> values(static_cast<std::size_t>(std::min(kChunkElements, count - begin)));
    SplitMix stream(seed + static_cast<std::uint64_t>(chunk + 1) * 0xA0761D6478BD642FU);
    fill(begin, values, stream);
    const std::string bytes = encode_elements(values, dtype);
    std::memcpy(raw.data() + static_cast<std::size_t>(begin) * size, bytes.data(), bytes.size());
  });
  return raw;
}

std::vector<Distribution> distributions_of(const Task& task) {
  std::vector<Distribution> all;
  bool has_input = false;
  for (const Argument& argument : task.arguments) {
    if (argument.kind != ArgumentKind::in && argument.kind != ArgumentKind::inout) continue;
    has_input = true;
    if (draws_indices(argument)) continue;
    for (const Distribution one : allowed(argument)) all.push_back(one);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.empty()) {
    all.push_back(has_input ? Distribution::index_range : Distribution::normal);
  }
  return all;
}

Distribution distribution_for(const Argument& argument, Distribution distribution,
                              std::size_t turn) {
  if (draws_indices(argument)) return Distribution::index_range;
  const std::vector<Distribution> own = allowed(argument);
  if (std::find(own.begin(), own.end(), distribution) != own.end()) return distribution;
  return own[turn % own.size()];
}

}  // namespace warpmind::profilers
