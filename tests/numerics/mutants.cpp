#include "tests/numerics/mutants.h"

#include "profilers/judge/elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpmind::numerics {
namespace {

constexpr std::size_t kTile = 128;

/// What the next narrower format would hold.
double downcast(double value, Dtype dtype) {
  switch (dtype) {
    case Dtype::f64: return static_cast<float>(value);
    case Dtype::f32: return profilers::round_to(value, Dtype::bf16);
    default: break;
  }
  // Four bits of mantissa, as the wider 8-bit formats nearly have.
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(mantissa * 16) / 16, exponent);
}

std::size_t tail(const Spoiled& output) {
  const std::size_t rest = output.count() % kTile;
  return output.count() - std::min(output.count(), rest == 0 ? kTile : rest);
}

template <class Change>
void for_each(Spoiled& output, const Change& change) {
  for (std::size_t i = 0; i < output.count(); ++i) change(i);
}

void transpose(Spoiled& output) {
  const Spoiled right = output;
  for_each(output, [&](std::size_t i) {
    const std::size_t from = i % output.rows() * output.columns() + i / output.rows();
    output.set(i, right.get(std::min(from, output.count() - 1)));
  });
}

void rows_too_long(Spoiled& output) {
  const Spoiled right = output;
  for_each(output, [&](std::size_t i) {
    const std::size_t from = i / output.columns() * (output.columns() + 1) + i % output.columns();
    output.set(i, right.get(from % output.count()));
  });
}

void shift(Spoiled& output) {
  for (std::size_t i = output.count(); i-- > 1;) output.copy_element(i, i - 1);
}

void flush(Spoiled& output) {
  for_each(output, [&](std::size_t i) {
    if (std::fabs(output.get(i)) < profilers::smallest_normal(output.dtype())) output.set(i, 0);
  });
}

}  // namespace

Spoiled::Spoiled(std::string bytes, std::string stale, Dtype dtype,
                 std::vector<std::int64_t> extents)
    : bytes_(std::move(bytes)),
      stale_(std::move(stale)),
      dtype_(dtype),
      size_(size_in_bytes(dtype)),
      count_(bytes_.size() / size_),
      columns_(extents.size() < 2 ? count_ : static_cast<std::size_t>(extents.back())) {}

double Spoiled::get(std::size_t index) const {
  return profilers::decode_element(bytes_, dtype_, index);
}
void Spoiled::set(std::size_t index, double value) {
  bytes_.replace(index * size_, size_, profilers::encode_elements({value}, dtype_));
}
void Spoiled::leave_unwritten(std::size_t index) {
  for (std::size_t i = 0; i < size_; ++i) {
    bytes_[index * size_ + i] = (index * size_ + i) % 2 == 0 ? '\xF3' : '\x7F';
  }
}
void Spoiled::leave_stale(std::size_t index) {
  bytes_.replace(index * size_, size_, stale_, index * size_, size_);
}
void Spoiled::copy_element(std::size_t to, std::size_t from) {
  bytes_.replace(to * size_, size_, bytes_.substr(from * size_, size_));
}
void Spoiled::swap_elements(std::size_t a, std::size_t b) {
  const std::string first = bytes_.substr(a * size_, size_);
  copy_element(a, b);
  bytes_.replace(b * size_, size_, first);
}
void Spoiled::step(std::size_t index, std::int64_t steps) {
  const double value = get(index);
  const double unit =
      is_floating(dtype_) && std::isfinite(value) ? profilers::last_place(value, dtype_) : 1;
  set(index, value + std::copysign(unit * static_cast<double>(steps), value));
}
std::size_t Spoiled::largest() const {
  std::size_t found = 0;
  for (std::size_t i = 1; i < count_; ++i) {
    if (std::fabs(get(i)) > std::fabs(get(found))) found = i;
  }
  return found;
}
double Spoiled::root_mean_square() const {
  double sum = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (std::isfinite(get(i))) sum += get(i) * get(i);
  }
  return count_ == 0 ? 0 : std::sqrt(sum / static_cast<double>(count_));
}

const std::vector<Mutant>& mutants() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<Mutant> all{
      {"nothing written", [](Spoiled& o) { for_each(o, [&](auto i) { o.leave_unwritten(i); }); }},
      {"last element unwritten", [](Spoiled& o) { o.leave_unwritten(o.count() - 1); }},
      {"last tile unwritten",
       [](Spoiled& o) {
         for (auto i = tail(o); i < o.count(); ++i) o.leave_unwritten(i);
       }},
      {"last tile zero",
       [](Spoiled& o) {
         for (auto i = tail(o); i < o.count(); ++i) o.set(i, 0);
       }},
      {"first tile stale",
       [](Spoiled& o) {
         for (std::size_t i = 0; i < std::min(kTile, o.count()); ++i) o.leave_stale(i);
       }},
      {"last row zero",
       [](Spoiled& o) {
         for (auto i = o.count() - o.columns(); i < o.count(); ++i) o.set(i, 0);
       }},
      {"last column zero",
       [](Spoiled& o) {
         for (auto i = o.columns() - 1; i < o.count(); i += o.columns()) o.set(i, 0);
       }},
      {"first column repeated",
       [](Spoiled& o) {
         if (o.columns() < 2) return;
         for (std::size_t i = 1; i < o.count(); i += o.columns()) o.copy_element(i, i - 1);
       }},
      {"half a row unwritten",
       [](Spoiled& o) {
         const auto begin = o.rows() / 2 * o.columns() + o.columns() / 2;
         for (auto i = begin; i < o.rows() / 2 * o.columns() + o.columns(); ++i)
           o.leave_unwritten(i);
       }},
      {"all stale", [](Spoiled& o) { for_each(o, [&](auto i) { o.leave_stale(i); }); }},
      {"all zero", [](Spoiled& o) { for_each(o, [&](auto i) { o.set(i, 0); }); }},
      {"every 32nd zero",
       [](Spoiled& o) {
         for (std::size_t i = 31; i < o.count(); i += 32) o.set(i, 0);
       }},
      {"one element zero", [](Spoiled& o) { o.set(o.largest(), 0); }},
      {"one element negated", [](Spoiled& o) { o.set(o.largest(), -o.get(o.largest())); }},
      {"one element off by 10 %", [](Spoiled& o) { o.set(o.largest(), 1.1 * o.get(o.largest())); }},
      {"one element off by 64 ulp", [](Spoiled& o) { o.step(o.largest(), 64); }},
      {"all off by 64 ulp", [](Spoiled& o) { for_each(o, [&](auto i) { o.step(i, 64); }); }},
      {"one NaN", [=](Spoiled& o) { o.set(o.count() / 2, kNan); }},
      {"one infinity",
       [](Spoiled& o) { o.set(o.count() / 3, std::numeric_limits<double>::infinity()); }},
      {"all NaN", [=](Spoiled& o) { for_each(o, [&](auto i) { o.set(i, kNan); }); }},
      {"two neighbours swapped",
       [](Spoiled& o) {
         if (o.count() > 1) o.swap_elements(o.largest(), o.largest() == 0 ? 1 : o.largest() - 1);
       }},
      {"two rows swapped",
       [](Spoiled& o) {
         if (o.rows() < 2) return;
         for (std::size_t i = 0; i < o.columns(); ++i) o.swap_elements(i, i + o.columns());
       }},
      {"transposed", transpose},
      {"rows one too long", rows_too_long},
      {"shifted by one", shift},
      {"reversed",
       [](Spoiled& o) {
         for (std::size_t i = 0; i < o.count() / 2; ++i) o.swap_elements(i, o.count() - 1 - i);
       }},
      {"downcast",
       [](Spoiled& o) { for_each(o, [&](auto i) { o.set(i, downcast(o.get(i), o.dtype())); }); }},
      {"denormals flushed", flush},
      {"all scaled by 1.02",
       [](Spoiled& o) { for_each(o, [&](auto i) { o.set(i, 1.02 * o.get(i)); }); }},
      {"all shifted by 2 % of the rms",
       [](Spoiled& o) {
         const double by = 0.02 * o.root_mean_square();
         for_each(o, [&](auto i) { o.set(i, o.get(i) + by); });
       }},
      {"magnitudes only",
       [](Spoiled& o) { for_each(o, [&](auto i) { o.set(i, std::fabs(o.get(i))); }); }},
      {"clamped to half the largest",
       [](Spoiled& o) {
         const double top = std::fabs(o.get(o.largest())) / 2;
         for_each(o, [&](auto i) { o.set(i, std::clamp(o.get(i), -top, top)); });
       }},
      {"last row off by 4 % of the rms",
       [](Spoiled& o) {
         const double by = 0.04 * o.root_mean_square();
         for (auto i = o.count() - o.columns(); i < o.count(); ++i) o.set(i, o.get(i) + by);
       }},
  };
  return all;
}

}  // namespace warpmind::numerics
