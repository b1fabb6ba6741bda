#include "agents/builtin/pointwise/pure_code.h"

#include <algorithm>
#include <array>
#include <map>

namespace warpmind::agents::builtin {
namespace {

/// Functions of CUDA's headers that compute a value from values (math API, conversions, casts).
constexpr std::array<std::string_view, 193> kPureFunctions{"__ldg",
                                                           "__ldcs",
                                                           "__ldca",
                                                           "__ldcg",
                                                           "__ldlu",
                                                           "__ldcv",
                                                           "abs",
                                                           "fabsf",
                                                           "fabs",
                                                           "fmaf",
                                                           "fma",
                                                           "fmaxf",
                                                           "fmax",
                                                           "fminf",
                                                           "fmin",
                                                           "max",
                                                           "min",
                                                           "expf",
                                                           "exp",
                                                           "exp2f",
                                                           "exp2",
                                                           "exp10f",
                                                           "expm1f",
                                                           "expm1",
                                                           "logf",
                                                           "log",
                                                           "log2f",
                                                           "log2",
                                                           "log10f",
                                                           "log1pf",
                                                           "log1p",
                                                           "powf",
                                                           "pow",
                                                           "sqrtf",
                                                           "sqrt",
                                                           "rsqrtf",
                                                           "rsqrt",
                                                           "cbrtf",
                                                           "sinf",
                                                           "sin",
                                                           "cosf",
                                                           "cos",
                                                           "tanf",
                                                           "tan",
                                                           "asinf",
                                                           "acosf",
                                                           "atanf",
                                                           "atan2f",
                                                           "sinhf",
                                                           "coshf",
                                                           "tanhf",
                                                           "tanh",
                                                           "asinhf",
                                                           "acoshf",
                                                           "atanhf",
                                                           "erff",
                                                           "erf",
                                                           "erfcf",
                                                           "erfc",
                                                           "floorf",
                                                           "floor",
                                                           "ceilf",
                                                           "ceil",
                                                           "roundf",
                                                           "round",
                                                           "rintf",
                                                           "rint",
                                                           "truncf",
                                                           "trunc",
                                                           "fmodf",
                                                           "fmod",
                                                           "copysignf",
                                                           "signbit",
                                                           "isnan",
                                                           "isinf",
                                                           "isfinite",
                                                           "hypotf",
                                                           "fdividef",
                                                           "__fdividef",
                                                           "__expf",
                                                           "__exp10f",
                                                           "__logf",
                                                           "__log2f",
                                                           "__log10f",
                                                           "__powf",
                                                           "__sinf",
                                                           "__cosf",
                                                           "__tanf",
                                                           "__saturatef",
                                                           "__fmul_rn",
                                                           "__fadd_rn",
                                                           "__fsub_rn",
                                                           "__fdiv_rn",
                                                           "__fmaf_rn",
                                                           "__fsqrt_rn",
                                                           "__frcp_rn",
                                                           "__frsqrt_rn",
                                                           "__mul24",
                                                           "__umulhi",
                                                           "__mulhi",
                                                           "__popc",
                                                           "__clz",
                                                           "__ffs",
                                                           "__brev",
                                                           "__byte_perm",
                                                           "__half2float",
                                                           "__float2half",
                                                           "__float2half_rn",
                                                           "__float2half_rz",
                                                           "__int2half_rn",
                                                           "__half2int_rn",
                                                           "__half2int_rz",
                                                           "__bfloat162float",
                                                           "__float2bfloat16",
                                                           "__float2bfloat16_rn",
                                                           "__hadd",
                                                           "__hsub",
                                                           "__hmul",
                                                           "__hdiv",
                                                           "__hfma",
                                                           "__hneg",
                                                           "__habs",
                                                           "__hmax",
                                                           "__hmin",
                                                           "__hgt",
                                                           "__hge",
                                                           "__hlt",
                                                           "__hle",
                                                           "__heq",
                                                           "__hne",
                                                           "__hisnan",
                                                           "hexp",
                                                           "hexp2",
                                                           "hlog",
                                                           "hlog2",
                                                           "hsqrt",
                                                           "hrsqrt",
                                                           "hrcp",
                                                           "hsin",
                                                           "hcos",
                                                           "hfloor",
                                                           "hceil",
                                                           "hrint",
                                                           "htrunc",
                                                           "htanh",
                                                           "__float2int_rn",
                                                           "__float2int_rz",
                                                           "__float2int_rd",
                                                           "__float2uint_rn",
                                                           "__int2float_rn",
                                                           "__uint2float_rn",
                                                           "__float_as_int",
                                                           "__int_as_float",
                                                           "__float_as_uint",
                                                           "__uint_as_float",
                                                           "__half_as_short",
                                                           "__short_as_half",
                                                           "__half_as_ushort",
                                                           "__ushort_as_half",
                                                           "make_float2",
                                                           "make_float3",
                                                           "make_float4",
                                                           "make_int2",
                                                           "make_int4",
                                                           "make_uint2",
                                                           "make_uint4",
                                                           "__half2",
                                                           "__halves2half2",
                                                           "__low2float",
                                                           "__high2float",
                                                           "float",
                                                           "double",
                                                           "int",
                                                           "unsigned",
                                                           "half",
                                                           "__half",
                                                           "__nv_bfloat16",
                                                           "bool",
                                                           "char",
                                                           "short",
                                                           "long",
                                                           "int64_t",
                                                           "uint32_t",
                                                           "int32_t",
                                                           "size_t",
                                                           "uint8_t",
                                                           "int8_t",
                                                           "std::min",
                                                           "std::max",
                                                           "std::abs",
                                                           "__assume",
                                                           "__builtin_assume",
                                                           "__builtin_expect"};

bool is_known_pure(std::string_view name) {
  return std::find(kPureFunctions.begin(), kPureFunctions.end(), name) != kPureFunctions.end();
}

bool is_cast_template(std::string_view callee) {
  return callee.starts_with("static_cast<") || callee.starts_with("reinterpret_cast<") ||
         callee.starts_with("const_cast<");
}

std::string obstacle_below(const CudaSource& source, NodeId node, int depth);

std::string obstacle_of_call(const CudaSource& source, NodeId call, int depth) {
  const SyntaxTree& tree = source.tree;
  const auto callee = tree.plain_text(tree.field(call, "function"));
  const bool is_defined = std::any_of(source.functions.begin(), source.functions.end(),
                                      [&](const auto& f) { return f.name == callee; });
  if (!is_defined && (is_known_pure(callee) || is_cast_template(callee))) return {};
  const Function* function = source.device_function(callee);
  if (function == nullptr || depth > 4) return "it calls '" + callee + "', which is not known";
  if (auto why = reason_not_to_edit(source, *function); !why.empty()) return why;
  if (auto why = obstacle_below(source, function->body, depth + 1); !why.empty()) {
    return "it calls '" + callee + "', and " + why;
  }
  return {};
}

std::string obstacle_below(const CudaSource& source, NodeId node, int depth) {
  const SyntaxTree& tree = source.tree;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kKinds{
      {{"lambda_expression", "a lambda"},
       {"gnu_asm_expression", "inline assembly"},
       {"asm_statement", "inline assembly"},
       {"goto_statement", "goto"},
       {"labeled_statement", "a label"},
       {"new_expression", "new"},
       {"preproc_if", "#if"},
       {"preproc_ifdef", "#ifdef"}}};
  static constexpr std::array<std::string_view, 6> kNames{"threadIdx", "blockIdx", "blockDim",
                                                          "gridDim",   "warpSize", "__shared__"};
  for (const NodeId at : tree.descendants(node)) {
    for (const auto& [kind, what] : kKinds) {
      if (tree.is(at, kind)) return "it holds " + std::string(what);
    }
    if (tree.is(at, "return_statement") && depth == 0) return "it returns in between";
    if (tree.is(at, "storage_class_specifier")) {
      return "it declares something " + std::string(tree.text(at));
    }
    if (tree.node(at).first_child == kNoNode &&
        std::find(kNames.begin(), kNames.end(), tree.text(at)) != kNames.end()) {
      return "it reads " + std::string(tree.text(at));
    }
    if (!tree.is(at, "call_expression")) continue;
    if (auto why = obstacle_of_call(source, at, depth); !why.empty()) return why;
  }
  return {};
}

/// The variable that an assigned or incremented expression belongs to.
NodeId root_of(const SyntaxTree& tree, NodeId at) {
  for (;;) {
    at = tree.bare(at);
    if (tree.is(at, "subscript_expression") || tree.is(at, "field_expression") ||
        tree.is(at, "pointer_expression")) {
      at = tree.field(at, "argument");
    } else {
      return at;
    }
  }
}

}  // namespace

std::string obstacle_in(const CudaSource& source, NodeId node) {
  return obstacle_below(source, node, 0);
}

std::optional<std::int64_t> type_bytes(std::string_view type) {
  static const std::map<std::string_view, std::int64_t, std::less<>> bytes{
      {"float", 4},         {"double", 8},         {"__half", 2},        {"half", 2},
      {"__nv_bfloat16", 2}, {"nv_bfloat16", 2},    {"int", 4},           {"unsigned", 4},
      {"unsigned int", 4},  {"int32_t", 4},        {"uint32_t", 4},      {"std::int32_t", 4},
      {"short", 2},         {"unsigned short", 2}, {"int16_t", 2},       {"uint16_t", 2},
      {"char", 1},          {"signed char", 1},    {"unsigned char", 1}, {"int8_t", 1},
      {"uint8_t", 1},       {"std::int8_t", 1},    {"std::uint8_t", 1},  {"long long", 8},
      {"int64_t", 8},       {"std::int64_t", 8},   {"uint64_t", 8},      {"size_t", 8},
      {"bool", 1}};
  const auto found = bytes.find(type);
  if (found == bytes.end()) return std::nullopt;
  return found->second;
}

bool writes_variable(const SyntaxTree& tree, NodeId node, std::string_view name) {
  for (const NodeId at : tree.descendants(node)) {
    NodeId target = kNoNode;
    if (tree.is(at, "assignment_expression")) target = tree.field(at, "left");
    if (tree.is(at, "update_expression")) target = tree.field(at, "argument");
    if (tree.is(at, "pointer_expression") && tree.operator_of(at) == "&") {
      target = tree.field(at, "argument");
    }
    if (target == kNoNode) continue;
    if (tree.text(root_of(tree, target)) == name) return true;
  }
  return false;
}

bool declares(const SyntaxTree& tree, NodeId node, std::string_view name) {
  for (const NodeId at : tree.descendants(node)) {
    if (!tree.is(at, "declaration") && !tree.is(at, "parameter_declaration")) continue;
    for (const NodeId part : tree.all_children(at)) {
      if (tree.node(part).field == "declarator" && tree.text(tree.declared(part)) == name) {
        return true;
      }
    }
  }
  return false;
}

std::string unused_name(const SyntaxTree& tree, const std::string& wish) {
  const auto is_taken = [&](const std::string& name) {
    const auto& nodes = tree.descendants(tree.root());
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return tree.node(node).first_child == kNoNode && tree.text(node) == name;
    });
  };
  if (!is_taken(wish)) return wish;
  std::string name = wish.starts_with("wm_") ? wish : "wm_" + wish;
  if (name != wish && !is_taken(name)) return name;
  for (int number = 2;; ++number) {
    std::string numbered = name + std::to_string(number);
    if (!is_taken(numbered)) return numbered;
  }
}

Range whole_line(const SyntaxTree& tree, NodeId statement) {
  Range range = tree.node(statement).range;
  const std::string& source = tree.source();
  const std::size_t line = range.begin == 0 ? 0 : source.rfind('\n', range.begin - 1) + 1;
  const bool is_alone = source.find_first_not_of(" \t", line) == range.begin &&
                        range.end < source.size() && source[range.end] == '\n';
  return is_alone ? Range{line, range.end + 1} : range;
}

}  // namespace warpmind::agents::builtin
