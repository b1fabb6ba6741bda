#include "profilers/flops/operation.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>

namespace warpmind::profilers {
namespace {

constexpr double kWarpLanes = 32;

/// Iterates over the parts of "ld.global.v4.f32".
class Parts {
 public:
  explicit Parts(std::string_view opcode) : rest_(opcode) {}
  [[nodiscard]] bool has(std::string_view part) const {
    return any([&](std::string_view one) { return one == part; });
  }
  template <class Test>
  [[nodiscard]] bool any(Test test) const {
    std::string_view rest = rest_;
    while (!rest.empty()) {
      const std::size_t dot = rest.find('.');
      if (test(rest.substr(0, dot))) return true;
      rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
    }
    return false;
  }
  [[nodiscard]] std::string_view first() const { return rest_.substr(0, rest_.find('.')); }
  [[nodiscard]] std::string_view last() const {
    const std::size_t dot = rest_.rfind('.');
    return dot == std::string_view::npos ? rest_ : rest_.substr(dot + 1);
  }

 private:
  std::string_view rest_;
};

enum class Number { integer, half, half_pair, single, pair_of_singles, binary64, other };

Number number_of(const Parts& parts) {
  const std::string_view type = parts.last();
  if (type == "f32") return Number::single;
  if (type == "f64") return Number::binary64;
  if (type == "f16" || type == "bf16") return Number::half;
  if (type == "f16x2" || type == "bf16x2") return Number::half_pair;
  if (type == "f32x2") return Number::pair_of_singles;
  return Number::integer;
}

/// add, mul, fma of any real type; `of_single` is the class of the f32 form.
OperationShare real_share(Number number, Operation of_half, Operation of_single,
                          Operation of_double, double flops) {
  switch (number) {
    case Number::half: return {of_half, 1, FlopType::f16, flops};
    case Number::half_pair: return {of_half, 2, FlopType::f16, 2 * flops};
    case Number::single: return {of_single, 1, FlopType::f32, flops};
    case Number::pair_of_singles: return {of_single, 2, FlopType::f32, 2 * flops};
    case Number::binary64: return {of_double, 1, FlopType::f64, flops};
    case Number::integer:
    case Number::other: break;
  }
  return {Operation::integer};
}

int number_at(std::string_view text, std::size_t at) {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

/// "m16n8k16" -> 2048.
double macs_of_shape(std::string_view part) {
  const std::size_t n = part.find('n');
  const std::size_t k = part.find('k');
  if (!part.starts_with("m") || n == std::string_view::npos || k == std::string_view::npos) {
    return 0;
  }
  return double(number_at(part, 1)) * number_at(part, n + 1) * number_at(part, k + 1);
}

std::optional<OperationShare> tensor_share(const Parts& parts) {
  const std::string_view name = parts.first();
  const bool multiplies = (name == "mma" || name == "wmma" || name == "wgmma") &&
                          (name == "mma" || parts.has("mma") || parts.has("mma_async"));
  if (!multiplies) return std::nullopt;
  double macs = 0;
  (void)parts.any([&](std::string_view part) {
    macs = macs_of_shape(part);
    return macs > 0;
  });
  // wgmma's shape is of four warps.
  if (name == "wgmma") macs /= 4;
  return OperationShare{Operation::tensor, macs / kWarpLanes, FlopType::tensor,
                        2 * macs / kWarpLanes};
}

OperationShare memory_share(const Parts& parts, bool is_store) {
  if (parts.has("shared")) return {is_store ? Operation::store_shared : Operation::load_shared};
  if (parts.has("local") || parts.has("param") || parts.has("const")) {
    return {is_store ? Operation::store_other : Operation::load_other};
  }
  return {is_store ? Operation::store_global : Operation::load_global};
}

OperationShare atomic_share(const Parts& parts) {
  OperationShare share{Operation::atomic};
  if (parts.has("add") && parts.last() == "f32") {
    share.type = FlopType::f32;
    share.flops = 1;
    if (parts.has("v2")) share.flops = 2;
    if (parts.has("v4")) share.flops = 4;
  }
  return share;
}

struct NamedClass {
  std::string_view name;
  Operation operation;
};

constexpr std::array kByName = {
    NamedClass{"cvt", Operation::convert},
    NamedClass{"bra", Operation::control},
    NamedClass{"brx", Operation::control},
    NamedClass{"ret", Operation::control},
    NamedClass{"exit", Operation::control},
    NamedClass{"call", Operation::control},
    NamedClass{"trap", Operation::control},
    NamedClass{"bar", Operation::barrier},
    NamedClass{"barrier", Operation::barrier},
    NamedClass{"mbarrier", Operation::barrier},
    NamedClass{"membar", Operation::barrier},
    NamedClass{"fence", Operation::barrier},
    NamedClass{"shfl", Operation::shuffle},
    NamedClass{"vote", Operation::shuffle},
    NamedClass{"match", Operation::shuffle},
    NamedClass{"redux", Operation::shuffle},
    NamedClass{"activemask", Operation::shuffle},
    NamedClass{"elect", Operation::shuffle},
    NamedClass{"cp", Operation::async_copy},
    NamedClass{"mov", Operation::move},
    NamedClass{"cvta", Operation::move},
    NamedClass{"selp", Operation::move},
    NamedClass{"ldmatrix", Operation::load_shared},
    NamedClass{"stmatrix", Operation::store_shared},
    NamedClass{"ldu", Operation::load_global},
    NamedClass{"wgmma", Operation::control},
    NamedClass{"nanosleep", Operation::control},
    NamedClass{"prefetch", Operation::control},
    NamedClass{"griddepcontrol", Operation::control},
    NamedClass{"setmaxnreg", Operation::control},
    NamedClass{"discard", Operation::control},
    NamedClass{"isspacep", Operation::integer},
};

/// Roots and their like: "rcp", "ex2" …
bool is_special(std::string_view name) {
  constexpr std::array kNames = {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* one) { return name == one; });
}

OperationShare special_share(Number number) {
  switch (number) {
    case Number::binary64: return {Operation::special, 1, FlopType::f64, 1};
    case Number::half: return {Operation::special, 1, FlopType::f16, 1};
    case Number::half_pair: return {Operation::special, 2, FlopType::f16, 2};
    default: return {Operation::special, 1, FlopType::f32, 1};
  }
}

}  // namespace

OperationShare share_of_ptx(std::string_view opcode) {
  using enum Operation;
  const Parts parts(opcode);
  const std::string_view name = parts.first();
  if (auto product = tensor_share(parts)) return *product;
  const Number number = number_of(parts);
  if (name == "add" || name == "sub") return real_share(number, f16_add, f32_add, f64_add, 1);
  if (name == "mul") return real_share(number, f16_mul, f32_mul, f64_mul, 1);
  if (name == "fma" || name == "mad") return real_share(number, f16_fma, f32_fma, f64_fma, 2);
  if (name == "div" && number != Number::integer) {
    return real_share(number, f32_div, f32_div, f64_div, 1);
  }
  if (is_special(name)) return special_share(number);
  if (name == "ld") return memory_share(parts, false);
  if (name == "st") return memory_share(parts, true);
  if (name == "atom" || name == "red") return atomic_share(parts);
  const auto found = std::find_if(kByName.begin(), kByName.end(),
                                  [&](const NamedClass& one) { return one.name == name; });
  if (found != kByName.end()) return {found->operation};
  const bool compares = name == "min" || name == "max" || name == "set" || name == "setp" ||
                        name == "abs" || name == "neg" || name == "copysign" || name == "testp";
  if (compares) return {number == Number::integer && name != "copysign" ? integer : real_other};
  constexpr std::array kIntegers = {
      "mul24", "mad24", "rem",  "and",  "or",   "xor",  "not",   "cnot",  "shl",  "shr",
      "shf",   "bfe",   "bfi",  "brev", "popc", "clz",  "bfind", "fns",   "prmt", "lop3",
      "sad",   "addc",  "subc", "madc", "dp4a", "dp2a", "div",   "szext", "bmsk", "slct"};
  if (std::any_of(kIntegers.begin(), kIntegers.end(),
                  [&](const char* one) { return name == one; })) {
    return {integer};
  }
  return {unknown};
}

double OperationCounts::all_flops() const {
  return std::accumulate(flops.begin() + 1, flops.end(), 0.0);
}

void OperationCounts::add(const OperationShare& share, double lanes) {
  operations[static_cast<std::size_t>(share.operation)] += share.operations * lanes;
  if (share.type != FlopType::none)
    flops[static_cast<std::size_t>(share.type)] += share.flops * lanes;
}

void OperationCounts::add(const OperationCounts& other, double times) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i] += other.operations[i] * times;
  }
  for (std::size_t i = 0; i < flops.size(); ++i) flops[i] += other.flops[i] * times;
}

std::optional<double> global_bytes_of_ptx(std::string_view opcode) {
  constexpr double kBits = 8;
  constexpr double kLargestCopy = 16;  // of cp.async, whose size is an operand
  const Parts parts(opcode);
  const OperationShare share = share_of_ptx(opcode);
  if (share.operation == Operation::async_copy) {
    if (parts.has("bulk")) return std::nullopt;
    return parts.has("shared") && parts.has("global") ? kLargestCopy : 0;
  }
  const bool moves = share.operation == Operation::load_global ||
                     share.operation == Operation::store_global ||
                     (share.operation == Operation::atomic && !parts.has("shared"));
  if (!moves) return 0;
  // The digits of the last type: "b128", "f32", "f16x2", "bf16".
  const std::string_view type = parts.last();
  const std::size_t digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  double bytes = number_at(type, digits) / kBits;
  if (type.ends_with("x2")) bytes *= 2;
  for (const int lanes : {2, 4, 8}) {
    if (parts.has("v" + std::to_string(lanes))) bytes *= lanes;
  }
  return bytes;
}

}  // namespace warpmind::profilers
