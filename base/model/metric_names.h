#pragma once
/// \file
/// Names of the metrics of a profile that more than one place reads or writes: CUPTI's where CUPTI
/// has one (as its Range Profiler spells them), else `warpmind__…`. What each says:
/// docs/measuring.md.

namespace warpmind::metric_names {

// Time and cycles.
inline constexpr auto kTime = "gpu__time_duration.sum";
inline constexpr auto kCyclesElapsed = "sm__cycles_elapsed.max";
inline constexpr auto kCyclesActive = "sm__cycles_active.avg";
inline constexpr auto kCyclesActiveMost = "sm__cycles_active.max";

// Memory.
inline constexpr auto kDramRead = "dram__bytes_read.sum";
inline constexpr auto kDramWritten = "dram__bytes_write.sum";
inline constexpr auto kDramPct = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr auto kMemoryPct =
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr auto kL2SectorsRead = "lts__t_sectors_op_read.sum";
inline constexpr auto kL2SectorsWritten = "lts__t_sectors_op_write.sum";
inline constexpr auto kL2Pct = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed";
inline constexpr auto kL2AtomicPct =
    "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed";
inline constexpr auto kL2Hits = "lts__t_sector_hit_rate.pct";
inline constexpr auto kL1Hits = "l1tex__t_sector_hit_rate.pct";
inline constexpr auto kL1Pct = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
inline constexpr auto kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr auto kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr auto kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr auto kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
inline constexpr auto kAtomicRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
inline constexpr auto kReductionRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum";
inline constexpr auto kLocalLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
inline constexpr auto kLocalStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
inline constexpr auto kSharedWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
inline constexpr auto kSharedAtomicWavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
inline constexpr auto kBankConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
inline constexpr auto kAtomicBankConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum";

// Multiprocessors.
inline constexpr auto kSmPct = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr auto kIssuePct = "smsp__issue_active.avg.pct_of_peak_sustained_active";
inline constexpr auto kFmaPct = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active";
inline constexpr auto kAluPct = "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active";
inline constexpr auto kFp64Pct = "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active";
inline constexpr auto kSpecialPct = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active";
inline constexpr auto kTensorPct = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
inline constexpr auto kWarpsActivePct = "sm__warps_active.avg.pct_of_peak_sustained_active";
inline constexpr auto kInstructions = "smsp__inst_executed.sum";
inline constexpr auto kFmaThreadInstructions = "smsp__thread_inst_executed_pipe_fma_pred_on.sum";
inline constexpr auto kLanes = "smsp__thread_inst_executed_per_inst_executed.ratio";

// Warps that wait for a reason, on average, a cycle in which one issues.
inline constexpr auto kStalledPrefix = "smsp__average_warps_issue_stalled_";
inline constexpr auto kStalledSuffix = "_per_issue_active.ratio";
inline constexpr auto kStalledLongScoreboard =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
inline constexpr auto kStalledShortScoreboard =
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio";
inline constexpr auto kStalledLgThrottle =
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio";
inline constexpr auto kStalledMioThrottle =
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio";
inline constexpr auto kStalledBarrier =
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
inline constexpr auto kStalledMembar =
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio";
inline constexpr auto kStalledWait =
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";
inline constexpr auto kStalledBranchResolving =
    "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio";
inline constexpr auto kStalledNotSelected =
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio";
inline constexpr auto kStalledMathPipeThrottle =
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio";

// The simulator's, in place of counters.
inline constexpr auto kAtomicsPct = "warpmind__atomics_pct";
inline constexpr auto kAtomics = "warpmind__atomics";
inline constexpr auto kAtomicConflicts = "warpmind__atomic_conflicts";
inline constexpr auto kBarriers = "warpmind__barriers";
inline constexpr auto kBranches = "warpmind__branches";
inline constexpr auto kDivergentBranches = "warpmind__divergent_branches";
inline constexpr auto kLoadBytes = "warpmind__load_bytes";
inline constexpr auto kStoreBytes = "warpmind__store_bytes";
inline constexpr auto kLocalSectors = "warpmind__local_sectors";
inline constexpr auto kModelledSharedWavefronts = "warpmind__shared_wavefronts";
inline constexpr auto kPtxWarpInstructions = "warpmind__ptx_warp_instructions";
inline constexpr auto kFlopsF16 = "warpmind__flops_f16";
inline constexpr auto kFlopsF32 = "warpmind__flops_f32";
inline constexpr auto kFlopsF64 = "warpmind__flops_f64";
inline constexpr auto kFlopsTensor = "warpmind__flops_tensor";

// Of the build and the launch plan.
inline constexpr auto kOccupancyPct = "warpmind__theoretical_occupancy_pct";
inline constexpr auto kWaves = "warpmind__waves";
inline constexpr auto kGridBlocks = "warpmind__grid_blocks";
inline constexpr auto kBlockThreads = "warpmind__block_threads";
inline constexpr auto kRegisters = "warpmind__registers_per_thread";
inline constexpr auto kSpillBytes = "warpmind__spill_bytes";
inline constexpr auto kStaticSharedBytes = "warpmind__static_shared_bytes";
inline constexpr auto kDynamicSharedBytes = "warpmind__dynamic_shared_bytes";

// Of the measured time.
inline constexpr auto kPlanTime = "warpmind__time_ns";
inline constexpr auto kShareOfLimitPct = "warpmind__share_of_limit_pct";
inline constexpr auto kBytesPerSecond = "warpmind__achieved_bytes_per_s";
inline constexpr auto kBandwidthPct = "warpmind__bandwidth_pct";
inline constexpr auto kFlopsPerSecond = "warpmind__achieved_flops_per_s";
inline constexpr auto kFlopsPct = "warpmind__flops_pct";

// Of a line.
inline constexpr auto kLineCyclesPct = "warpmind__line_cycles_pct";
inline constexpr auto kLineCyclesPrefix = "warpmind__line_cycles_";
inline constexpr auto kLineSamplesPct = "warpmind__line_samples_pct";
inline constexpr auto kLineStalledPrefix = "smsp__pcsamp_warps_issue_stalled_";
inline constexpr auto kLineSectorsPerRequest = "warpmind__line_sectors_per_request";
inline constexpr auto kLineNeededSectors = "warpmind__line_needed_sectors_per_request";
inline constexpr auto kLineBankConflicts = "warpmind__line_bank_conflicts";
inline constexpr auto kLineAtomicConflicts = "warpmind__line_atomic_conflicts";

}  // namespace warpmind::metric_names
