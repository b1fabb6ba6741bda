#pragma once
/// \file
/// Words and phrases of CUDA optimisation that mean the same. Private to text analysis.

#include <array>
#include <string_view>

namespace warpmind::knowledge_base {

/// `phrase` adds the token `concept_name` wherever it stands. Words of a phrase are compared by
/// their stems, hyphens and underscores count as spaces.
struct ConceptPhrase {
  std::string_view concept_name;
  std::string_view phrase;  ///< at most kLongestPhrase words, lower case
};
inline constexpr std::size_t kLongestPhrase = 3;

// A concept is named by a token that its most usual word has anyway, where there is one.
inline constexpr auto kConceptPhrases = std::to_array<ConceptPhrase>({
    {"smem", "shared memory"},
    {"smem", "scratchpad"},
    {"gmem", "global memory"},
    {"gmem", "device memory"},
    {"dram", "hbm"},
    {"dram", "off chip"},
    {"lmem", "local memory"},
    {"lmem", "spill"},
    {"coalesc", "uncoalesced"},
    {"coalesc", "noncoalesced"},
    {"coalesc", "sectors per request"},
    {"vectoriz", "vector load"},
    {"vectoriz", "vector store"},
    {"vectoriz", "wide load"},
    {"vectoriz", "128 bit"},
    {"vectoriz", "16 byte"},
    {"vectoriz", "float4"},
    {"vectoriz", "float2"},
    {"vectoriz", "int4"},
    {"vectoriz", "uint4"},
    {"vectoriz", "double2"},
    {"occupancy", "active warps"},
    {"occupancy", "resident warps"},
    {"occupancy", "resident blocks"},
    {"regist", "reg"},
    {"bankconflict", "bank conflict"},
    {"bankconflict", "conflicting banks"},
    {"divergenc", "divergent"},
    {"divergenc", "diverge"},
    {"tensorcor", "tensor core"},
    {"tensorcor", "tensor cores"},
    {"tensorcor", "wmma"},
    {"tensorcor", "mma"},
    {"tensorcor", "wgmma"},
    {"tensorcor", "matrix unit"},
    {"asynccopy", "cp async"},
    {"asynccopy", "memcpy async"},
    {"asynccopy", "async copy"},
    {"asynccopy", "asynchronous copy"},
    {"pipelin", "double buffer"},
    {"pipelin", "ping pong"},
    {"pipelin", "multistage"},
    {"fus", "fusion"},
    {"fus", "merge kernels"},
    {"shuffl", "shfl"},
    {"barrier", "syncthreads"},
    {"barrier", "synchronisation"},
    {"atomic", "atomicadd"},
    {"gemm", "matmul"},
    {"gemm", "matrix multiply"},
    {"gemm", "matrix multiplication"},
    {"gemm", "matrix product"},
    {"f16", "half"},
    {"f16", "fp16"},
    {"f16", "half2"},
    {"bf16", "bfloat16"},
    {"f32", "fp32"},
    {"f32", "single precision"},
    {"f64", "fp64"},
    {"f64", "double precision"},
    {"noalias", "restrict"},
    {"noalias", "alias"},
    {"noalias", "aliasing"},
    {"readonlypath", "ldg"},
    {"readonlypath", "read only cache"},
    {"readonlypath", "read only path"},
    {"launchbound", "launch bounds"},
    {"launchbound", "maxrregcount"},
    {"blocksiz", "block size"},
    {"blocksiz", "block shape"},
    {"blocksiz", "threads per block"},
    {"blocksiz", "blockdim"},
    {"gridstrid", "grid stride"},
    {"launchoverhead", "launch overhead"},
    {"launchoverhead", "launch latency"},
    {"launchoverhead", "launch cost"},
    {"layernorm", "layer norm"},
    {"layernorm", "layer normalisation"},
    {"rmsnorm", "rms norm"},
    {"fastmath", "fast math"},
    {"fastmath", "approximate"},
    {"fastmath", "intrinsic"},
    {"ilp", "instruction level parallelism"},
    {"ilp", "independent instructions"},
});

}  // namespace warpmind::knowledge_base
