#pragma once
/// \file
/// The hardware counters that the simulator's counts are held against.

#include "base/result.h"

#include <string>
#include <vector>

namespace warpmind::validation {

/// Metrics of CUPTI's range profiler. smsp__sass_… are left out: a range miscounts them.
[[nodiscard]] inline std::vector<std::string> counter_names() {
  return {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
          "smsp__thread_inst_executed_per_inst_executed.ratio",
          "smsp__inst_executed.sum",
          "smsp__inst_executed_pipe_fma.sum",
          "smsp__inst_executed_pipe_alu.sum",
          "smsp__inst_executed_pipe_xu.sum",
          "smsp__inst_executed_pipe_lsu.sum",
          "sm__inst_executed_pipe_tensor.sum",
          "dram__bytes_read.sum",
          "dram__bytes_write.sum",
          "lts__t_sectors_op_read.sum",
          "lts__t_sectors_op_write.sum",
          "lts__t_sectors_op_atom.sum",
          "lts__t_sectors_op_red.sum",
          "sm__warps_active.avg.pct_of_peak_sustained_active",
          "l1tex__t_sector_hit_rate.pct",
          "lts__t_sector_hit_rate.pct",
          "sm__cycles_elapsed.max",
          "gpu__time_duration.sum"};
}

}  // namespace warpmind::validation
