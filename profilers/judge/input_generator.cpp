#include "profilers/judge/input_generator.h"

#include "base/sequence.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"
#include "profilers/judge/recorded_draws.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
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
    if (distribution == Distribution::recorded ? argument.recorded.has_value()
                                               : distribution != Distribution::index_range) {
      all.push_back(distribution);
    }
  }
  return all;
}

/// Whether its integers mean something: whatever a case draws, they come from one place.
bool draws_indices(const Argument& argument) {
  if (argument.recorded && !is_floating(argument.dtype)) return true;
  return contains(argument.distributions, Distribution::index_range);
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

Fill integer_fill(Dtype dtype, const InputDraw& draw) {
  if (draw.distribution == Distribution::wide && !draw.calm) {
    // Beyond 2^53 doubles, which the reference computes in, leave integers out.
    const double bits = std::min(8.0 * static_cast<double>(size_in_bytes(dtype)), 53.0);
    const double high = std::exp2(bits - (is_unsigned(dtype) ? 0 : 1) - draw.halvings);
    return integers(is_unsigned(dtype) ? 0 : -high, high - 1);
  }
  double high = 4;
  if (draw.distribution == Distribution::large || draw.distribution == Distribution::wide)
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
    // 2^26: beyond what 16 bits hold, and where single precision no longer counts ones.
    case Distribution::wide: return wide(half ? 6 : 26);
    default: break;
  }
  // One scale a case, so that a kernel cannot rely on a spread of one.
  return normals(std::exp2(std::floor(random.unit() * 3) - 1));
}

bool allows(const Argument& argument, Distribution distribution) {
  const auto own = allowed(argument);
  return contains(own, distribution);
}

/// Numbers of one of `families` in each stretch of `stretch` elements; neighbours have different
/// ones, so that a few rows show all.
struct Stretches {
  std::uint64_t elements = 1;
  std::uint64_t families = 1;
  std::uint64_t seed = 0;
};

template <class Draw>
Fill by_stretch(const Stretches& all, Draw draw) {
  return [all, draw](std::int64_t begin, std::vector<double>& values, SplitMix& random) {
    for (std::size_t i = 0; i < values.size();) {
      const std::uint64_t index = static_cast<std::uint64_t>(begin) + i;
      const std::uint64_t stretch = index / all.elements;
      const std::size_t end =
          std::min<std::size_t>(values.size(), i + (all.elements - index % all.elements));
      SplitMix row(all.seed ^ (stretch * 0xD1B54A32D192ED03U + 1));
      const std::uint64_t family = (stretch + all.seed % all.families) % all.families;
      draw(family, row, random, values.data() + i, values.data() + end);
      i = end;
    }
  };
}

/// All magnitudes alike, in stretches that leave the greatest out in turn: of some sums nothing
/// overflows.
Fill whole_range(Dtype dtype, std::uint64_t stretch, std::uint64_t seed) {
  constexpr std::uint64_t kFamilies = 8;
  const bool is_signed = !is_unsigned(dtype);
  // Of 64 bits half: products fit.
  const double bits =
      std::min(8.0 * static_cast<double>(size_in_bytes(dtype)), 32.0) - (is_signed ? 1 : 0);
  const auto fill = [=](std::uint64_t family, SplitMix& /*row*/, SplitMix& random, double* from,
                        const double* end) {
    const double most = std::ceil(bits - bits * static_cast<double>(family) / (2 * kFamilies));
    for (; from != end; ++from) {
      const double magnitude = std::floor(std::exp2(most * (1 - random.unit()))) - 1;
      *from = is_signed && random.next() >> 63U != 0 ? -magnitude : magnitude;
    }
  };
  return by_stretch({stretch, kFamilies, seed}, fill);
}

double near_zero(Dtype dtype) { return std::exp2(dtype == Dtype::f16 ? -12 : -100); }

/// A vector has one row: it is uneven in pieces, numbers half of the time as a whole.
std::uint64_t uneven_stretch(std::int64_t count, std::int64_t row_elements, bool may_be_whole) {
  constexpr std::int64_t kPieces = 8;
  const std::int64_t row = std::max<std::int64_t>(row_elements, 1);
  if (row < count || may_be_whole) return static_cast<std::uint64_t>(row);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(row / kPieces, 1));
}

/// How far from 0 a row may lie, and how wide it is: as far as an honest kernel that adds in single
/// precision stays within its tolerance (docs/numerics.md).
struct FarRow {
  double mean = 0;
  double spread = 1;
};

FarRow far_row(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return {128, 0.5};
    case Dtype::bf16: return {64, 1};
    default: return {256, 64};
  }
}

Fill uneven_floats(const Argument& argument, const InputDraw& draw, std::uint64_t stretch,
                   std::uint64_t seed) {
  static const NormalQuantiles quantiles;
  const bool is_far = !draw.calm && allows(argument, Distribution::large);
  const bool is_level = !draw.calm && allows(argument, Distribution::exact);
  const FarRow far = far_row(argument.dtype);
  const auto fill = [=](std::uint64_t family, SplitMix& row, SplitMix& random, double* from,
                        const double* end) {
    const double sign = row.next() >> 63U != 0 ? -1 : 1;
    double mean = family >= 2 && family < 6 ? sign * (1 + row.unit()) : 0;
    double spread = std::exp2(std::floor(row.unit() * 3) - 1);
    if (is_far && (family == 2 || family == 3)) {
      mean = sign * std::ldexp(far.mean, -draw.halvings) * (1 + row.unit());
      spread = far.spread;
    }
    if (is_level && family < 2) {
      // Few bits, so that sums of many are exact: equal roundings would add up.
      mean = family == 0 ? 0 : sign * std::ceil(row.unit() * 32) / 8;
      spread = 0;
    }
    for (; from != end; ++from) *from = mean + (spread > 0 ? spread * quantiles.draw(random) : 0);
  };
  return by_stretch({stretch, 8, seed}, fill);
}

/// A stretch is even, holds one value, mostly one value, only the least, only the greatest, or both
/// ends of the range.
Fill crowded_indices(double low, double high, std::uint64_t stretch, std::uint64_t seed) {
  const double first = std::ceil(low);
  const double choices = std::max(std::floor(high) - first + 1, 1.0);
  const double last = first + choices - 1;
  const double hot = first + std::floor(SplitMix(seed).unit() * choices);
  const auto fill = [=](std::uint64_t family, SplitMix& /*row*/, SplitMix& random, double* from,
                        const double* end) {
    for (; from != end; ++from) {
      const double even = first + std::floor(random.unit() * choices);
      switch (family) {
        case 0: *from = hot; break;
        case 1: *from = random.next() % 8 != 0 ? hot : even; break;
        case 2: *from = first; break;
        case 3: *from = last; break;
        case 4: *from = random.next() >> 63U != 0 ? first : last; break;
        default: *from = even;
      }
    }
  };
  return by_stretch({stretch, 6, seed}, fill);
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

std::string draw_input(const Argument& argument, const InputDraw& draw, std::int64_t count,
                       std::int64_t row_elements, std::uint64_t seed) {
  const Dtype dtype = argument.dtype;
  const Distribution distribution = draw.distribution;
  SplitMix random(seed);
  const bool is_uneven = draw.trait == InputTrait::uneven &&
                         (distribution == Distribution::index_range ||
                          (!draw.indices_only && allows(argument, Distribution::normal)));
  const bool may_be_whole =
      is_floating(dtype) && !draw.in_pieces && SplitMix(~seed).next() >> 63U != 0;
  const std::uint64_t stretch = uneven_stretch(count, row_elements, may_be_whole);
  Fill fill;
  if (draw.trait == InputTrait::whole_range && is_open_integer(argument)) {
    fill = whole_range(dtype, stretch, seed);
  } else if (draw.trait == InputTrait::near_zero && is_floating(dtype) &&
             allows(argument, Distribution::denormal)) {
    fill = normals(near_zero(dtype));
  } else if (distribution == Distribution::index_range) {
    fill = is_uneven ? crowded_indices(argument.low, argument.high, stretch, seed)
                     : integers(argument.low, argument.high);
  } else if (distribution == Distribution::recorded && argument.recorded &&
             !(is_uneven && is_floating(dtype))) {
    fill = fill_like_recorded(argument, draw, count);
  } else if (is_uneven && is_floating(dtype)) {
    fill = uneven_floats(argument, draw, stretch, seed);
  } else if (distribution == Distribution::constant) {
    fill = alternating(dtype, static_cast<std::int64_t>(random.next() >> 63U));
  } else if (distribution == Distribution::one_hot) {
    fill = one_hot(row_elements, seed);
  } else {
    fill =
        is_floating(dtype) ? floating_fill(dtype, distribution, random) : integer_fill(dtype, draw);
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

std::string with_special_values(const Argument& argument, const InputDraw& draw, std::string raw,
                                std::uint64_t seed, std::optional<double> stand_in) {
  constexpr std::int64_t kMost = 8;
  constexpr std::int64_t kElementsEach = 64;
  const std::size_t size = size_in_bytes(argument.dtype);
  const auto count = static_cast<std::int64_t>(raw.size() / size);
  if (count == 0) return raw;
  SplitMix random(seed);
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> kinds{std::numeric_limits<double>::quiet_NaN()};
  if (draw.infinities) kinds.insert(kinds.end(), {infinity, -infinity});
  if (draw.probe == Probe::infinities) kinds.erase(kinds.begin());
  const std::int64_t wanted = std::clamp<std::int64_t>(count / kElementsEach, 1, kMost);
  for (std::int64_t i = 0; i < wanted; ++i) {
    const auto at = random.next() % static_cast<std::uint64_t>(count);
    const double value = kinds[static_cast<std::size_t>(i) % kinds.size()];
    raw.replace(at * size, size, encode_elements({stand_in.value_or(value)}, argument.dtype));
  }
  return raw;
}

std::string describe(const InputDraw& draw) {
  std::string text(name_of(draw.distribution));
  if (draw.trait == InputTrait::uneven) text += ", uneven rows";
  if (draw.trait == InputTrait::special) text += ", some not finite";
  if (draw.trait == InputTrait::whole_range) text += ", whole ranges";
  if (draw.trait == InputTrait::near_zero) text += ", near zero";
  return text;
}

bool takes_special_values(const Argument& argument) {
  return is_input(argument) && is_floating(argument.dtype) && argument.distributions.empty();
}

bool is_open_integer(const Argument& argument) {
  return is_input(argument) && !is_floating(argument.dtype) && !draws_indices(argument) &&
         allows(argument, Distribution::wide);
}

namespace {

/// What a task without reference may be tried with, if its given kernel says what is fair of it.
std::vector<InputDraw> probes_of(const Task& task, Distribution plainest) {
  std::vector<InputDraw> probes;
  const auto add = [&](Distribution distribution, InputTrait trait, Probe probe) {
    InputDraw draw{distribution, trait};
    draw.infinities = probe == Probe::infinities;
    draw.probe = probe;
    probes.push_back(draw);
  };
  const auto any = [&](const auto& fits) {
    return std::any_of(task.arguments.begin(), task.arguments.end(), fits);
  };
  const auto any_number = [&](const auto& fits) {
    return any(
        [&](const Argument& one) { return is_input(one) && is_floating(one.dtype) && fits(one); });
  };
  const auto takes_rows = [](const Argument& one) {
    return allows(one, Distribution::normal) &&
           (allows(one, Distribution::large) || allows(one, Distribution::exact));
  };
  const auto takes_small = [](const Argument& one) { return allows(one, Distribution::denormal); };
  if (any(is_open_integer)) add(Distribution::wide, InputTrait::whole_range, Probe::numbers);
  if (any_number(takes_rows) && !any(draws_indices)) {
    add(plainest, InputTrait::uneven, Probe::numbers);
  }
  if (any_number(takes_small)) add(plainest, InputTrait::near_zero, Probe::numbers);
  if (any(takes_special_values)) {
    add(plainest, InputTrait::special, Probe::nan);
    add(plainest, InputTrait::special, Probe::infinities);
  }
  return probes;
}

}  // namespace

std::vector<InputDraw> draws_of(const Task& task, bool probes) {
  std::vector<InputDraw> draws;
  for (const Distribution one : distributions_of(task)) draws.push_back({one});
  draws.push_back({draws.front().distribution, InputTrait::uneven});
  for (InputDraw& one : draws) one.calm = task.reference.empty();
  // Level rows gathered by a crowded index are equal terms of many bits, whose roundings add up.
  draws.back().indices_only =
      std::any_of(task.arguments.begin(), task.arguments.end(), draws_indices);
  draws.back().calm = draws.back().calm || draws.back().indices_only;
  // What a reduction makes of NaN depends on how its comparisons are written; a task without
  // reference has nothing that says whether its kernel meant what it does with them.
  const bool is_open =
      std::any_of(task.arguments.begin(), task.arguments.end(), takes_special_values);
  const ToleranceClass kind = task.contract.tolerance;
  if (is_open && !task.reference.empty() && kind != ToleranceClass::reduction) {
    InputDraw special{draws.front().distribution, InputTrait::special};
    special.infinities = kind != ToleranceClass::contraction;
    draws.push_back(special);
  }
  if (probes && task.reference.empty()) {
    const auto more = probes_of(task, draws.front().distribution);
    draws.insert(draws.end(), more.begin(), more.end());
  }
  return draws;
}

std::vector<Distribution> distributions_of(const Task& task) {
  std::vector<Distribution> all;
  bool has_input = false;
  for (const Argument& argument : task.arguments) {
    if (!is_input(argument)) continue;
    has_input = true;
    if (argument.recorded) all.push_back(Distribution::recorded);
    if (draws_indices(argument)) continue;
    for (const Distribution one : allowed(argument)) all.push_back(one);
  }
  sort_unique(all);
  if (all.empty()) {
    all.push_back(has_input ? Distribution::index_range : Distribution::normal);
  }
  return all;
}

Distribution distribution_for(const Argument& argument, Distribution distribution,
                              std::size_t turn) {
  if (draws_indices(argument)) {
    return argument.recorded ? Distribution::recorded : Distribution::index_range;
  }
  const std::vector<Distribution> own = allowed(argument);
  if (contains(own, distribution)) return distribution;
  if (distribution == Distribution::recorded) return own.front();  // the plainest
  return own[turn % own.size()];
}

}  // namespace warpmind::profilers
