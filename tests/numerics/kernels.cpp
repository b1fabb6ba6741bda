#include "tests/numerics/kernels.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>

namespace warpmind::numerics {
namespace {

using profilers::Values;
using Single = Arithmetic<float>;

constexpr float kEpsilon = 1e-5F;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

const std::vector<double>& input(const KernelRun& run, const char* name) {
  return run.inputs.find(name)->second;
}

float epsilon_of(const KernelRun& run) {
  if (run.flaw == Flaw::no_epsilon) return 0;
  return run.flaw == Flaw::wrong_epsilon ? 1e-3F : kEpsilon;
}

/// C = A B for each of `batch` products.
std::vector<double> multiply(const KernelRun& run, std::int64_t batch) {
  const Single math(run.order, run.flaw);
  const auto& a = input(run, "a");
  const auto& b = input(run, "b");
  const std::int64_t m = run.sizes.at("m"), n = run.sizes.at("n"), k = run.sizes.at("k");
  std::vector<double> c(at(batch * m * n));
  for (std::int64_t i = 0; i < batch * m * n; ++i) {
    const std::int64_t layer = i / (m * n);
    const std::int64_t row = i / n;  // of all batches together
    const std::int64_t column = i % n;
    c[at(i)] = math.dot(
        k, [&](std::int64_t p) { return a[at(row * k + p)]; },
        [&](std::int64_t p) { return b[at((layer * k + p) * n + column)]; });
  }
  return c;
}

Values gemm(const KernelRun& run) { return {{"c", multiply(run, 1)}}; }
Values batched_gemm(const KernelRun& run) { return {{"c", multiply(run, run.sizes.at("batch"))}}; }

Values conv2d(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const auto& filter = input(run, "filter");
  const std::int64_t channels = run.sizes.at("channels"), outputs = run.sizes.at("outputs");
  const std::int64_t height = run.sizes.at("height"), width = run.sizes.at("width");
  std::vector<double> y(at(run.sizes.at("images") * outputs * height * width));
  std::vector<double> taps(at(channels * 9));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t column = flat % width, row = flat / width % height;
    const std::int64_t output = flat / (width * height) % outputs;
    const std::int64_t image = flat / (width * height * outputs);
    for (std::int64_t tap = 0; tap < channels * 9; ++tap) {
      const std::int64_t r = row + tap % 9 / 3 - 1, c = column + tap % 3 - 1;
      const bool inside = r >= 0 && r < height && c >= 0 && c < width;
      taps[at(tap)] = inside ? x[at(((image * channels + tap / 9) * height + r) * width + c)] : 0.0;
    }
    y[i] = math.dot(
        channels * 9, [&](std::int64_t p) { return taps[at(p)]; },
        [&](std::int64_t p) { return filter[at(output * channels * 9 + p)]; });
  }
  return {{"y", y}};
}

template <class T>
Values dot(const KernelRun& run) {
  const Arithmetic<T> math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const auto& y = input(run, "y");
  return {{"result",
           {static_cast<double>(math.dot(
               run.sizes.at("n"), [&](std::int64_t i) { return x[at(i)]; },
               [&](std::int64_t i) { return y[at(i)]; }))}}};
}

Values row_sum(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const std::int64_t columns = run.sizes.at("columns");
  std::vector<double> sums(at(run.sizes.at("rows")));
  for (std::size_t row = 0; row < sums.size(); ++row) {
    const double* const values = x.data() + row * at(columns);
    sums[row] = math.sum(columns, [values](std::int64_t i) { return values[i]; });
  }
  return {{"sums", sums}};
}

Values column_sum(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const std::int64_t columns = run.sizes.at("columns");
  std::vector<double> sums(at(columns));
  for (std::size_t column = 0; column < sums.size(); ++column) {
    const double* const values = x.data() + column;
    sums[column] = math.sum(run.sizes.at("rows"),
                            [values, columns](std::int64_t i) { return values[i * columns]; });
  }
  return {{"sums", sums}};
}

Values softmax(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const std::int64_t columns = run.sizes.at("columns");
  std::vector<double> y(x.size());
  std::vector<double> powers(at(columns));
  for (std::size_t begin = 0; begin < x.size(); begin += at(columns)) {
    float top = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < at(columns); ++i) top = std::max(top, math.operand(x[begin + i]));
    if (run.flaw == Flaw::missing_scale) top = 0;
    for (std::size_t i = 0; i < at(columns); ++i) {
      const float shifted = math.operand(x[begin + i]) - top;
      const bool by_powers_of_two = run.order == Order::blocks64 || run.order == Order::lanes32;
      powers[i] = by_powers_of_two ? std::exp2(shifted * 1.44269504F) : std::exp(shifted);
    }
    const float sum = math.sum(columns, [&powers](std::int64_t i) { return powers[at(i)]; });
    const float inverse = 1 / sum;
    for (std::size_t i = 0; i < at(columns); ++i) {
      const auto power = static_cast<float>(powers[i]);
      y[begin + i] = run.order == Order::sequential ? power / sum : power * inverse;
    }
  }
  return {{"y", y}};
}

/// Variance of a row about `mean`.
float variance(const Single& math, const double* x, std::int64_t columns, float mean) {
  const auto count = static_cast<float>(columns);
  const auto off = [x, mean](std::int64_t i) {
    return static_cast<double>(static_cast<float>(x[i]) - mean);
  };
  return math.dot(columns, off, off) / count;
}

Values layernorm(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const auto& gamma = input(run, "gamma");
  const auto& beta = input(run, "beta");
  const std::int64_t columns = run.sizes.at("columns");
  std::vector<double> y(x.size());
  for (std::size_t begin = 0; begin < x.size(); begin += at(columns)) {
    const double* const row = x.data() + begin;
    const float mean =
        math.sum(columns, [row](std::int64_t i) { return row[i]; }) / static_cast<float>(columns);
    const float scale = 1 / std::sqrt(variance(math, row, columns, mean) + epsilon_of(run));
    for (std::size_t i = 0; i < at(columns); ++i) {
      const float normal = (math.operand(row[i]) - mean) * scale;
      const float factor = run.flaw == Flaw::missing_scale ? 1 : math.operand(gamma[i]);
      y[begin + i] = normal * factor + math.operand(beta[i]);
    }
  }
  return {{"y", y}};
}

Values rmsnorm(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const auto& weight = input(run, "weight");
  const std::int64_t columns = run.sizes.at("columns");
  std::vector<double> y(x.size());
  for (std::size_t begin = 0; begin < x.size(); begin += at(columns)) {
    const double* const row = x.data() + begin;
    const auto value = [row](std::int64_t i) { return row[i]; };
    const float squares = math.dot(columns, value, value) / static_cast<float>(columns);
    const float scale = 1 / std::sqrt(squares + epsilon_of(run));
    for (std::size_t i = 0; i < at(columns); ++i) {
      const float factor = run.flaw == Flaw::missing_scale ? 1 : math.operand(weight[i]);
      y[begin + i] = math.operand(row[i]) * scale * factor;
    }
  }
  return {{"y", y}};
}

/// Rounded after every operation where the flaw is narrow sums.
Values gelu_bias(const KernelRun& run) {
  const auto narrow = [&run](float value) {
    if (run.flaw == Flaw::sums_f16)
      return static_cast<float>(profilers::round_to(value, Dtype::f16));
    if (run.flaw == Flaw::sums_bf16) {
      return static_cast<float>(profilers::round_to(value, Dtype::bf16));
    }
    return value;
  };
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const auto& bias = input(run, "bias");
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float v = narrow(math.operand(x[i]) + math.operand(bias[i % bias.size()]));
    const float cubic = run.flaw == Flaw::missing_scale ? 0 : narrow(0.044715F * narrow(v * v));
    const bool fused = run.order == Order::fused;
    const float inner = narrow(0.7978845608028654F *
                               (fused ? std::fma(v, cubic, v) : narrow(v + narrow(v * cubic))));
    const bool sigmoid = run.order == Order::pairwise || run.order == Order::lanes4;
    y[i] = sigmoid ? v / (1 + narrow(std::exp(-2 * inner)))
                   : 0.5F * v * narrow(1 + narrow(std::tanh(inner)));
  }
  return {{"y", y}};
}

Values stencil(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& u = input(run, "u");
  const auto& f = input(run, "f");
  const std::int64_t height = run.sizes.at("height"), width = run.sizes.at("width");
  std::vector<double> v(u.size());
  for (std::int64_t i = 0; i < height * width; ++i) {
    const std::int64_t row = i / width, column = i % width;
    if (row == 0 || row == height - 1 || column == 0 || column == width - 1) {
      v[at(i)] = math.operand(u[at(i)]);
      continue;
    }
    const std::array<double, 5> terms{u[at(i - 1)], u[at(i + 1)], u[at(i - width)],
                                      u[at(i + width)], f[at(i)]};
    const float factor = run.flaw == Flaw::missing_scale ? 1.0F : 0.25F;
    v[at(i)] = factor * math.sum(5, [&terms](std::int64_t t) { return terms[at(t)]; });
  }
  return {{"v", v}};
}

Values spmv(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& lengths = input(run, "lengths");
  const auto& columns = input(run, "columns");
  const auto& values = input(run, "values");
  const auto& x = input(run, "x");
  std::vector<double> y(lengths.size());
  for (std::size_t row = 0; row < y.size(); ++row) {
    y[row] = math.dot(
        static_cast<std::int64_t>(lengths[row]),
        [&](std::int64_t i) { return values[row * 32 + at(i)]; },
        [&](std::int64_t i) { return x[static_cast<std::size_t>(columns[row * 32 + at(i)])]; });
  }
  return {{"y", y}};
}

Values vector_add(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const auto& y = input(run, "y");
  std::vector<double> z(x.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::array<double, 2> terms{x[i], y[i]};
    z[i] = math.sum(2, [&terms](std::int64_t t) { return terms[at(t)]; });
  }
  return {{"z", z}};
}

Values vector_add_chain(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& a = input(run, "a");
  const auto& b = input(run, "b");
  const auto& c = input(run, "c");
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    // (a + b) c + a, or with c taken into the bracket: both are fair.
    const std::array<double, 3> left{a[i], b[i], run.flaw == Flaw::missing_scale ? 0 : a[i]};
    const std::array<double, 3> right{c[i], c[i], 1};
    d[i] = math.dot(
        3, [&left](std::int64_t t) { return left[at(t)]; },
        [&right](std::int64_t t) { return right[at(t)]; });
  }
  return {{"d", d}};
}

Values transpose(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "input");
  const std::size_t rows = at(run.sizes.at("rows")), columns = at(run.sizes.at("columns"));
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i % columns * rows + i / columns] = math.operand(x[i]);
  }
  return {{"output", y}};
}

/// Blocks of 64 with carried sums; integers do not mind the order.
Values exclusive_scan(const KernelRun& run) {
  const auto& x = input(run, "x");
  std::vector<double> y(x.size());
  double carry = 0;
  for (std::size_t begin = 0; begin < x.size(); begin += 64) {
    double local = 0;
    for (std::size_t i = begin; i < std::min(begin + 64, x.size()); ++i) {
      y[i] = carry + local;
      local += x[i];
    }
    if (run.flaw == Flaw::drop_last && local != 0 && begin + 64 >= x.size()) y.back() -= 1;
    carry += local;
  }
  return {{"y", y}};
}

/// Eight passes, each the largest of what is left; the first of equals.
Values top8(const KernelRun& run) {
  const Single math(run.order, run.flaw);
  const auto& x = input(run, "x");
  const std::size_t columns = at(run.sizes.at("columns")), rows = at(run.sizes.at("rows"));
  std::vector<double> values(rows * 8);
  std::vector<double> positions(rows * 8);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<bool> taken(columns);
    for (std::size_t rank = 0; rank < 8; ++rank) {
      std::size_t best = columns;
      for (std::size_t i = 0; i < columns - (run.flaw == Flaw::drop_last ? 1 : 0); ++i) {
        if (taken[i]) continue;
        const bool better = best == columns || math.operand(x[row * columns + i]) >
                                                   math.operand(x[row * columns + best]);
        if (better) best = i;
      }
      best = std::min(best, columns - 1);
      taken[best] = true;
      values[row * 8 + rank] = math.operand(x[row * columns + best]);
      positions[row * 8 + rank] = static_cast<double>(best);
    }
  }
  return {{"values", values}, {"positions", positions}};
}

}  // namespace

double round_to_tf32(double value) {
  constexpr std::uint32_t kDropped = 13;
  auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!std::isfinite(std::bit_cast<float>(bits))) return value;
  bits += ((bits >> kDropped) & 1U) + (1U << (kDropped - 1)) - 1U;
  bits &= ~((1U << kDropped) - 1U);
  return double{std::bit_cast<float>(bits)};
}

CpuKernel cpu_kernel(const std::string& name) {
  static const std::map<std::string, CpuKernel> kernels{{"gemm_f32", gemm},
                                                        {"gemm_f16", gemm},
                                                        {"batched_gemm_f16", batched_gemm},
                                                        {"conv2d_3x3_f16", conv2d},
                                                        {"dot", dot<float>},
                                                        {"dot_f64", dot<double>},
                                                        {"row_sum", row_sum},
                                                        {"column_sum", column_sum},
                                                        {"row_softmax_f16", softmax},
                                                        {"layernorm_f16", layernorm},
                                                        {"rmsnorm_bf16", rmsnorm},
                                                        {"gelu_bias_f16", gelu_bias},
                                                        {"stencil_5point", stencil},
                                                        {"spmv_ell", spmv},
                                                        {"vector_add", vector_add},
                                                        {"vector_add_chain", vector_add_chain},
                                                        {"transpose", transpose},
                                                        {"exclusive_scan", exclusive_scan},
                                                        {"top8_rows", top8}};
  return kernels.at(name);
}

}  // namespace warpmind::numerics
