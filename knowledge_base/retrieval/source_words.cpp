#include "knowledge_base/retrieval/source_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>(
    {"__half",   "__half2",   "__nv_bfloat16", "__nv_bfloat162", "auto",       "bool",
     "char",     "char2",     "char4",         "double",         "double2",    "float",
     "float2",   "float3",    "float4",        "half",           "half2",      "int",
     "int16_t",  "int2",      "int32_t",       "int4",           "int64_t",    "int8_t",
     "long",     "longlong2", "nv_bfloat16",   "nv_bfloat162",   "short",      "short4",
     "signed",   "size_t",    "uchar4",        "uint",           "uint16_t",   "uint2",
     "uint32_t", "uint4",     "uint64_t",      "uint8_t",        "ulonglong2", "unsigned",
     "ushort4",  "void"});
static_assert(std::is_sorted(kTypes.begin(), kTypes.end()));

constexpr auto kKeywords = std::to_array<std::string_view>({"__device__",
                                                            "__forceinline__",
                                                            "__global__",
                                                            "__host__",
                                                            "__launch_bounds__",
                                                            "__restrict__",
                                                            "__shared__",
                                                            "asm",
                                                            "blockDim",
                                                            "blockIdx",
                                                            "break",
                                                            "case",
                                                            "class",
                                                            "const",
                                                            "const_cast",
                                                            "constexpr",
                                                            "continue",
                                                            "default",
                                                            "do",
                                                            "else",
                                                            "enum",
                                                            "extern",
                                                            "false",
                                                            "for",
                                                            "gridDim",
                                                            "if",
                                                            "inline",
                                                            "namespace",
                                                            "operator",
                                                            "reinterpret_cast",
                                                            "return",
                                                            "sizeof",
                                                            "static",
                                                            "static_assert",
                                                            "static_cast",
                                                            "struct",
                                                            "switch",
                                                            "template",
                                                            "threadIdx",
                                                            "true",
                                                            "typedef",
                                                            "typename",
                                                            "union",
                                                            "using",
                                                            "volatile",
                                                            "warpSize",
                                                            "while"});
static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));

using Word = std::pair<std::string_view, std::string_view>;

/// Sorted by name.
constexpr auto kWords = std::to_array<Word>({
    {"__activemask", "votes"},
    {"__all_sync", "votes"},
    {"__any_sync", "votes"},
    {"__ballot_sync", "votes"},
    {"__cosf", "math.fast"},
    {"__device__", "device_functions"},
    {"__dp4a", "dp4a"},
    {"__exp10f", "math.fast"},
    {"__expf", "math.fast"},
    {"__fdividef", "math.fast"},
    {"__fma_rn", "fma"},
    {"__fmaf_rn", "fma"},
    {"__frcp_rn", "math.fast"},
    {"__frsqrt_rn", "math.fast"},
    {"__global__", "kernels"},
    {"__hadd2", "half2"},
    {"__half", "half"},
    {"__half2", "half2"},
    {"__half22float2", "half2"},
    {"__half2float", "half"},
    {"__hfma2", "half2"},
    {"__hmul2", "half2"},
    {"__launch_bounds__", "launch_bounds"},
    {"__ldcg", "cache_hints"},
    {"__ldcs", "cache_hints"},
    {"__ldg", "ldg"},
    {"__log2f", "math.fast"},
    {"__logf", "math.fast"},
    {"__match_any_sync", "votes"},
    {"__nv_bfloat16", "bf16"},
    {"__nv_bfloat162", "bf16"},
    {"__pipeline_commit", "async_copies"},
    {"__pipeline_memcpy_async", "async_copies"},
    {"__pipeline_wait_prior", "async_copies"},
    {"__popc", "bit_tricks"},
    {"__powf", "math.fast"},
    {"__reduce_add_sync", "shuffles"},
    {"__reduce_max_sync", "shuffles"},
    {"__restrict__", "restrict"},
    {"__shfl_down_sync", "shuffles"},
    {"__shfl_sync", "shuffles"},
    {"__shfl_up_sync", "shuffles"},
    {"__shfl_xor_sync", "shuffles"},
    {"__sinf", "math.fast"},
    {"__stcs", "cache_hints"},
    {"__syncthreads", "barriers"},
    {"__syncwarp", "warp_barriers"},
    {"__threadfence", "fences"},
    {"__threadfence_block", "fences"},
    {"atomicAdd", "atomics"},
    {"atomicAnd", "atomics"},
    {"atomicCAS", "atomics"},
    {"atomicExch", "atomics"},
    {"atomicInc", "atomics"},
    {"atomicMax", "atomics"},
    {"atomicMin", "atomics"},
    {"atomicOr", "atomics"},
    {"cooperative_groups", "groups"},
    {"cos", "math.special"},
    {"cosf", "math.special"},
    {"double", "double"},
    {"double2", "vector_types"},
    {"erff", "math.special"},
    {"exp", "math.special"},
    {"exp2f", "math.special"},
    {"expf", "math.special"},
    {"fill_fragment", "mma"},
    {"float2", "vector_types"},
    {"float4", "vector_types"},
    {"fma", "fma"},
    {"fmaf", "fma"},
    {"half", "half"},
    {"half2", "half2"},
    {"int2", "vector_types"},
    {"int4", "vector_types"},
    {"int8_t", "int8"},
    {"load_matrix_sync", "mma"},
    {"log", "math.special"},
    {"log2f", "math.special"},
    {"logf", "math.special"},
    {"longlong2", "vector_types"},
    {"memcpy_async", "async_copies"},
    {"mma_sync", "mma"},
    {"nv_bfloat16", "bf16"},
    {"nv_bfloat162", "bf16"},
    {"pow", "math.special"},
    {"powf", "math.special"},
    {"reinterpret_cast", "casts"},
    {"rsqrtf", "math.fast"},
    {"sin", "math.special"},
    {"sincosf", "math.special"},
    {"sinf", "math.special"},
    {"sqrt", "math.special"},
    {"sqrtf", "math.special"},
    {"store_matrix_sync", "mma"},
    {"tanhf", "math.special"},
    {"template", "templates"},
    {"uchar4", "vector_types"},
    {"uint2", "vector_types"},
    {"uint4", "vector_types"},
    {"wmma", "mma"},
});
static_assert(std::is_sorted(kWords.begin(), kWords.end()));

/// First match wins.
constexpr auto kAssembly = std::to_array<Word>({
    {"wgmma", "mma"},
    {"mma.sync", "mma"},
    {"ldmatrix", "mma"},
    {"cp.async", "async_copies"},
    {"mbarrier", "async_copies"},
    {"ld.global.nc", "ldg"},
    {"createpolicy", "cache_hints"},
    {"red.", "atomics"},
    {"atom.", "atomics"},
    {"bar.", "barriers"},
});

}  // namespace

bool is_type_word(std::string_view name) {
  return std::binary_search(kTypes.begin(), kTypes.end(), name);
}

bool is_keyword(std::string_view name) {
  return std::binary_search(kKeywords.begin(), kKeywords.end(), name);
}

std::optional<std::string_view> feature_of_word(std::string_view name) {
  const auto found = std::lower_bound(kWords.begin(), kWords.end(), Word(name, {}));
  if (found == kWords.end() || found->first != name) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> feature_of_assembly(std::string_view text) {
  for (const auto& [piece, feature] : kAssembly) {
    if (text.find(piece) != std::string_view::npos) return feature;
  }
  return std::nullopt;
}

}  // namespace warpmind::knowledge_base
