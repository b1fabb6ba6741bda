#include "agents/builtin/loops/kernel_body.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr int kDeepestCall = 4;

constexpr std::array<std::string_view, 10> kPurePrefixes{
    "__half", "__float", "__int",    "__uint",  "__ll",
    "__ull",  "__h",     "__ushort", "__short", "__bfloat16"};
constexpr std::array<std::string_view, 5> kMathNames{"max", "min", "abs", "float", "double"};
constexpr std::array<std::string_view, 47> kMathStems{
    "fmax",     "fmin",      "fabs",  "exp",      "exp2",   "exp10",   "expm1", "log",
    "log2",     "log10",     "log1p", "pow",      "sqrt",   "rsqrt",   "cbrt",  "sin",
    "cos",      "tan",       "sinh",  "cosh",     "tanh",   "asin",    "acos",  "atan",
    "atan2",    "erf",       "erfc",  "fma",      "fmod",   "floor",   "ceil",  "round",
    "rint",     "trunc",     "hypot", "copysign", "lgamma", "tgamma",  "isnan", "isinf",
    "isfinite", "nearbyint", "asinh", "acosh",    "atanh",  "normcdf", "fdim"};
constexpr std::array<std::string_view, 33> kPureIntrinsics{
    "__ldg",        "__ldcs",       "__ldca",           "__ldcg",      "__ldlu",      "__ldcv",
    "__expf",       "__logf",       "__log2f",          "__log10f",    "__powf",      "__sinf",
    "__cosf",       "__tanf",       "__fdividef",       "__fmaf_rn",   "__fadd_rn",   "__fmul_rn",
    "__fdiv_rn",    "__frcp_rn",    "__fsqrt_rn",       "__frsqrt_rn", "__saturatef", "__mul24",
    "__umulhi",     "__mulhi",      "__popc",           "__clz",       "__brev",      "__low2float",
    "__high2float", "__lows2half2", "__double2float_rn"};
constexpr std::array<std::string_view, 12> kCastsAndValues{
    "static_cast", "reinterpret_cast", "const_cast", "make_float2", "make_float4", "make_int2",
    "make_int4",   "make_uint4",       "half",       "int",         "unsigned",    "sizeof"};

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_known_pure(std::string_view name) {
  if (holds(kMathNames, name) || holds(kPureIntrinsics, name) || holds(kCastsAndValues, name)) {
    return true;
  }
  if (holds(kMathStems, name)) return true;
  if (name.starts_with("wm_") && name.ends_with("_of::of")) return true;  // templates/lanes
  if (name.ends_with('f') && holds(kMathStems, name.substr(0, name.size() - 1))) return true;
  return std::any_of(kPurePrefixes.begin(), kPurePrefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

/// A function of the file that only computes from its arguments and from what they point to.
bool is_pure_function(const CudaSource& source, const Function& function, int depth) {
  const SyntaxTree& tree = source.tree;
  if (function.has_error) return false;
  for (const std::string_view kind :
       {"gnu_asm_expression", "lambda_expression", "goto_statement"}) {
    if (!tree.descendants(function.body, kind).empty()) return false;
  }
  for (const std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}) {
    if (!tree.uses(function.body, name).empty()) return false;
  }
  for (const auto& parameter : function.parameters) {
    if (parameter.type.find('&') != std::string::npos && !parameter.is_const) return false;
  }
  for (const NodeId call : tree.descendants(function.body, "call_expression")) {
    const NodeId callee = tree.field(call, "function");
    if (tree.is(callee, "primitive_type")) continue;
    const auto name = tree.is(callee, "template_function")
                          ? std::string(tree.text(tree.field(callee, "name")))
                          : tree.plain_text(callee);
    if (kind_of_call(source, name, depth + 1) != CallKind::pure) return false;
  }
  for (const NodeId node : tree.descendants(function.body)) {
    NodeId target = kNoNode;
    if (tree.is(node, "assignment_expression")) target = tree.field(node, "left");
    if (tree.is(node, "update_expression")) target = tree.field(node, "argument");
    if (target == kNoNode) continue;
    const NodeId written = tree.bare(target);
    if (!tree.is(written, "identifier")) return false;  // through a pointer, or not understood
    bool is_own = function.parameter(tree.text(written)) != nullptr;
    for (const NodeId declaration : tree.descendants(function.body, "declaration")) {
      for (const NodeId part : tree.all_children(declaration)) {
        if (tree.node(part).field != "declarator") continue;
        is_own = is_own || tree.text(tree.declared(part)) == tree.text(written);
      }
    }
    if (!is_own) return false;
  }
  return true;
}

}  // namespace

CallKind kind_of_call(const CudaSource& source, std::string_view name, int depth) {
  if (name.starts_with("std::")) name.remove_prefix(5);
  if (name.starts_with("::")) name.remove_prefix(2);
  if (name.starts_with("atomic")) return CallKind::atomic;
  if (name.starts_with("__syncthreads") || name == "__syncwarp" ||
      name.starts_with("__threadfence") || name == "__nanosleep") {
    return CallKind::barrier;
  }
  for (const std::string_view warp :
       {"__shfl", "__ballot", "__any", "__all", "__activemask", "__match", "__reduce_"}) {
    if (name.starts_with(warp)) return CallKind::warp;
  }
  const auto same = [&](const Function& f) { return f.name == name; };
  if (std::any_of(source.functions.begin(), source.functions.end(), same)) {
    const Function* function = source.device_function(name);
    const bool pure =
        function != nullptr && depth < kDeepestCall && is_pure_function(source, *function, depth);
    return pure ? CallKind::pure : CallKind::unknown;
  }
  return is_known_pure(name) ? CallKind::pure : CallKind::unknown;
}

int size_of_type(std::string_view type) {
  struct Size {
    std::string_view name;
    int bytes;
  };
  static constexpr std::array<Size, 36> kSizes{{{"float", 4},
                                                {"double", 8},
                                                {"half", 2},
                                                {"__half", 2},
                                                {"__nv_bfloat16", 2},
                                                {"nv_bfloat16", 2},
                                                {"bool", 1},
                                                {"char", 1},
                                                {"signed char", 1},
                                                {"unsigned char", 1},
                                                {"int8_t", 1},
                                                {"uint8_t", 1},
                                                {"short", 2},
                                                {"unsigned short", 2},
                                                {"int16_t", 2},
                                                {"uint16_t", 2},
                                                {"int", 4},
                                                {"unsigned", 4},
                                                {"unsigned int", 4},
                                                {"int32_t", 4},
                                                {"uint32_t", 4},
                                                {"long long", 8},
                                                {"unsigned long long", 8},
                                                {"int64_t", 8},
                                                {"uint64_t", 8},
                                                {"size_t", 8},
                                                {"long", 8},
                                                {"unsigned long", 8},
                                                {"std::size_t", 8},
                                                {"long long int", 8},
                                                {"std::int64_t", 8},
                                                {"std::int32_t", 4},
                                                {"std::uint32_t", 4},
                                                {"std::uint64_t", 8},
                                                {"uint", 4},
                                                {"ptrdiff_t", 8}}};
  const auto* found = std::find_if(kSizes.begin(), kSizes.end(),
                                   [&](const Size& size) { return size.name == type; });
  return found == kSizes.end() ? 0 : found->bytes;
}

bool is_integer_type(std::string_view type) {
  static constexpr std::array<std::string_view, 7> kOthers{
      "float", "double", "half", "__half", "__nv_bfloat16", "nv_bfloat16", "bool"};
  return size_of_type(type) > 0 && !holds(kOthers, type);
}

}  // namespace warpmind::agents::builtin
