#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_technique.h"
#include "agents/builtin/techniques/all_techniques.h"

namespace warpmind::agents::builtin {

std::vector<Technique> techniques_with(const SkillLibrary& library) {
  std::vector<Technique> table = {wgmma_pipeline_technique(), async_copy_pipeline_technique(),
                                  implicit_gemm_technique(),  tensor_core_mma_technique(),
                                  tf32_math_technique(),      simt_contraction_technique(),
                                  split_k_technique()};
  for (Technique& contraction : table) contraction.writes_anew = true;
  const std::vector<Technique> others = {
      block_scan_technique(),
      warp_per_output_technique(),
      coalesced_mapping_technique(),
      split_rows_technique(),
      row_in_registers_technique(),
      shuffle_reduction_technique(),
      block_size_technique(),
      launch_bounds_technique(),
      restrict_technique(),
      unroll_technique(),
      fast_math_technique(),
      fast_intrinsics_technique(),
      register_limit_technique(),
      fuse_pointwise_technique(),
      shape_specialization_technique(),
      thread_coarsening_technique(),
      grid_stride_technique(),
      demote_double_technique(),
      shared_padding_technique(),
      index_32bit_technique(),
      fast_divmod_technique(),
      tiled_transpose_technique(),
      vectorized_loads_technique(),
  };
  table.insert(table.end(), others.begin(), others.end());
  for (const KnownSkill& known : library.skills()) table.push_back(technique_of(known.skill));
  return table;
}

const std::vector<Technique>& techniques() {
  static const std::vector<Technique> table = techniques_with(SkillLibrary::shipped());
  return table;
}

}  // namespace warpmind::agents::builtin
