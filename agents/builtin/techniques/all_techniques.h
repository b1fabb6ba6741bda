#pragma once
/// \file
/// What each file of this folder offers to the table of agents/builtin/techniques.cpp.

#include "agents/builtin/technique.h"

namespace warpmind::agents::builtin {

// Of the plan and the build.
[[nodiscard]] Technique block_size_technique();
[[nodiscard]] Technique fast_math_technique();
[[nodiscard]] Technique register_limit_technique();

// Marks in the source.
[[nodiscard]] Technique launch_bounds_technique();
[[nodiscard]] Technique restrict_technique();
[[nodiscard]] Technique unroll_technique();
[[nodiscard]] Technique fast_intrinsics_technique();
[[nodiscard]] Technique fast_divmod_technique();

// Of one element after the other.
[[nodiscard]] Technique fuse_pointwise_technique();
[[nodiscard]] Technique shape_specialization_technique();
[[nodiscard]] Technique thread_coarsening_technique();
[[nodiscard]] Technique grid_stride_technique();
[[nodiscard]] Technique demote_double_technique();
[[nodiscard]] Technique shared_padding_technique();
[[nodiscard]] Technique index_32bit_technique();
[[nodiscard]] Technique tiled_transpose_technique();
[[nodiscard]] Technique vectorized_loads_technique();

// Serial loops over rows and columns.
[[nodiscard]] Technique block_scan_technique();
[[nodiscard]] Technique warp_per_output_technique();
[[nodiscard]] Technique coalesced_mapping_technique();
[[nodiscard]] Technique split_rows_technique();
[[nodiscard]] Technique row_in_registers_technique();
[[nodiscard]] Technique shuffle_reduction_technique();

// Contractions around a tile.
[[nodiscard]] Technique wgmma_pipeline_technique();
[[nodiscard]] Technique async_copy_pipeline_technique();
[[nodiscard]] Technique implicit_gemm_technique();
[[nodiscard]] Technique tensor_core_mma_technique();
[[nodiscard]] Technique tf32_math_technique();
[[nodiscard]] Technique simt_contraction_technique();
[[nodiscard]] Technique split_k_technique();

}  // namespace warpmind::agents::builtin
