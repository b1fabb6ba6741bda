#include "profilers/toolchain/strained_ptx.h"

#include "profilers/toolchain/ptx_statement.h"

#include <algorithm>
#include <array>
#include <vector>

namespace warpmind::profilers {
namespace {

constexpr std::uint32_t kGolden = 0x9E3779B1U;

/// What differs between the two floating types that are strained.
struct FloatType {
  std::string_view name;
  std::string_view zero;
  std::string_view up;    ///< 1 + 2^-23, 1 + 2^-52
  std::string_view down;  ///< 1 - 2^-23, 1 - 2^-52
  std::string_view half;
  std::string_view minus_half;
  std::string_view hash;  ///< statements: 32 bits of %wm_r to %wm_hash
};

constexpr FloatType kSingle = {"f32",
                               "0f00000000",
                               "0f3F800001",
                               "0f3F7FFFFE",
                               "0f3F000000",
                               "0fBF000000",
                               "mov.b32 %wm_hash, %wm_r; "};
constexpr FloatType kDouble = {"f64",
                               "0d0000000000000000",
                               "0d3FF0000000000001",
                               "0d3FEFFFFFFFFFFFFE",
                               "0d3FE0000000000000",
                               "0dBFE0000000000000",
                               "mov.b64 {%wm_low, %wm_hash}, %wm_r; "
                               "xor.b32 %wm_hash, %wm_hash, %wm_low; "};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_register(std::string_view operand) { return operand.starts_with('%'); }

class Strainer {
 public:
  explicit Strainer(std::uint32_t seed) : seed_(seed), number_(seed * 2 + 1) {}

  /// The line anew; nullopt if it cannot be strained.
  std::optional<std::string> line(std::string_view text);

 private:
  [[nodiscard]] std::string moved(const PtxStatement& read, const FloatType& type,
                                  std::string_view name);
  [[nodiscard]] std::string without_nan(const PtxStatement& read, const FloatType& type,
                                        std::string_view name) const;

  std::uint32_t seed_;
  std::uint32_t number_;
};

std::string in_braces(const PtxStatement& read, const std::string& body) {
  return std::string(read.before) + "{ " + body + "}" + std::string(read.after);
}

std::string statement_of(const PtxStatement& read) {
  return std::string(read.guard) + std::string(read.opcode) + " " + std::string(read.result) + "," +
         std::string(read.operands) + "; ";
}

/// A product with 0 is 0 whatever the other factor: kernels leave such terms out.
std::string without_zeros(const PtxStatement& read, const FloatType& type, std::string_view name) {
  std::string text;
  const auto operands = operands_of(read);
  const bool is_sum = name != "mul";
  if (operands.size() != (is_sum ? 3 : 2)) return text;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_register(operands[i])) continue;
    text += "setp.eq." + std::string(type.name) + " %wm_side, " + std::string(operands[i]) + ", " +
            std::string(type.zero) + "; @%wm_side mov." + std::string(type.name) + " %wm_r, " +
            std::string(is_sum ? operands[2] : type.zero) + "; ";
  }
  return text;
}

std::string Strainer::moved(const PtxStatement& read, const FloatType& type,
                            std::string_view name) {
  number_ = number_ * kGolden + 2;  // odd: a factor that loses no bit
  const std::string suffix(type.name);
  std::string text = ".reg ." + suffix + " %wm_r, %wm_step; .reg .b32 %wm_hash, %wm_low; " +
                     ".reg .pred %wm_side; ";
  text += std::string(read.opcode) + " %wm_r," + std::string(read.operands) + "; ";
  if (name == "mul" || name == "fma" || name == "mad") text += without_zeros(read, type, name);
  text += std::string(type.hash) + "mul.lo.u32 %wm_hash, %wm_hash, " +
          std::to_string(number_ | 1U) + "; setp.lt.s32 %wm_side, %wm_hash, 0; selp." + suffix +
          " %wm_step, " + std::string(type.up) + ", " + std::string(type.down) + ", %wm_side; ";
  text += std::string(read.guard) + "mul." + suffix + " " + std::string(read.result) +
          ", %wm_r, %wm_step; ";
  return in_braces(read, text);
}

std::string Strainer::without_nan(const PtxStatement& read, const FloatType& type,
                                  std::string_view name) const {
  const std::string suffix(type.name);
  const std::string number(seed_ % 2 == 0 ? type.half : type.minus_half);
  std::string text = ".reg .pred %wm_side; ";
  auto operands = operands_of(read);
  if (name != "min" && name != "max") operands.resize(std::min<std::size_t>(operands.size(), 2));
  for (const std::string_view operand : operands) {
    if (!is_register(operand)) continue;
    const std::string seen(operand);
    text.append("setp.nan.").append(suffix).append(" %wm_side, ").append(seen).append(", ");
    text.append(seen).append("; ").append(read.guard).append("selp.").append(suffix);
    text.append(" ").append(seen).append(", ").append(number).append(", ").append(seen);
    text.append(", %wm_side; ");
  }
  return in_braces(read, text + statement_of(read));
}

/// An integer operation that ends at the type's limits instead of wrapping; empty for others.
std::string saturated(const PtxStatement& read) {
  const std::string result(read.result);
  const std::string operands(read.operands);
  const std::string guard(read.guard);
  if (read.opcode == "add.s32" || read.opcode == "sub.s32") {
    return std::string(read.before) + guard + std::string(read.opcode.substr(0, 3)) + ".sat.s32 " +
           result + "," + operands + ";" + std::string(read.after);
  }
  const auto all = operands_of(read);
  const std::string wide = ".reg .b64 %wm_wide; mul.wide.s32 %wm_wide, ";
  if (read.opcode == "mul.lo.s32" && all.size() == 2) {
    return in_braces(read, wide + std::string(all[0]) + ", " + std::string(all[1]) + "; " + guard +
                               "cvt.sat.s32.s64 " + result + ", %wm_wide; ");
  }
  if (read.opcode == "mad.lo.s32" && all.size() == 3) {
    return in_braces(read, ".reg .b32 %wm_product; " + wide + std::string(all[0]) + ", " +
                               std::string(all[1]) + "; cvt.sat.s32.s64 %wm_product, %wm_wide; " +
                               guard + "add.sat.s32 " + result + ", %wm_product, " +
                               std::string(all[2]) + "; ");
  }
  // By 16, halves of a word are put together: a bfloat16 becomes a float.
  if (read.opcode == "shl.b32" && all.size() == 2 && is_register(all[0]) && all[1] != "16") {
    return in_braces(read, ".reg .b64 %wm_wide; cvt.s64.s32 %wm_wide, " + std::string(all[0]) +
                               "; shl.b64 %wm_wide, %wm_wide, " + std::string(all[1]) + "; " +
                               guard + "cvt.sat.s32.s64 " + result + ", %wm_wide; ");
  }
  return {};
}

std::optional<std::string> Strainer::line(std::string_view text) {
  constexpr std::array<std::string_view, 14> kArithmetic = {"add", "sub",  "mul", "fma",   "mad",
                                                            "div", "sqrt", "rcp", "rsqrt", "ex2",
                                                            "lg2", "sin",  "cos", "tanh"};
  constexpr std::array<std::string_view, 4> kComparisons = {"setp", "set", "min", "max"};
  constexpr std::array<std::string_view, 5> kNarrow = {"f16", "bf16", "f16x2", "bf16x2", "f32x2"};
  constexpr std::array<std::string_view, 3> kTensor = {"mma", "wmma", "wgmma"};
  const PtxStatement read = read_statement(text);
  if (read.opcode.empty()) return std::string(text);
  const auto parts = parts_of(read.opcode);
  const std::string_view name = parts.front();
  if (is_one_of(name, kTensor)) return std::nullopt;
  const bool computes = is_one_of(name, kArithmetic);
  const bool compares = is_one_of(name, kComparisons);
  if (computes || compares) {
    for (const std::string_view part : parts) {
      if (is_one_of(part, kNarrow)) return std::nullopt;
    }
    if (parts.back() == "f32" || parts.back() == "f64") {
      const FloatType& type = parts.back() == "f32" ? kSingle : kDouble;
      return computes ? moved(read, type, name) : without_nan(read, type, name);
    }
  }
  std::string integers = saturated(read);
  return integers.empty() ? std::string(text) : std::move(integers);
}

}  // namespace

std::optional<std::string> strain(std::string_view ptx, std::uint32_t seed) {
  Strainer strainer(seed);
  std::string strained;
  strained.reserve(4 * ptx.size());
  while (!ptx.empty()) {
    const auto end = std::min(ptx.find('\n'), ptx.size());
    const auto line = strainer.line(ptx.substr(0, end));
    if (!line) return std::nullopt;
    strained += *line + "\n";
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
  }
  return strained;
}

}  // namespace warpmind::profilers
