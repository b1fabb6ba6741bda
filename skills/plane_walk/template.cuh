// Outputs of a window, tile by tile. Neighbouring threads take neighbours in memory (axis 0), and
// each thread walks kWalk outputs along axis kAxis. Where all of its outputs lie far from the edges,
// the walk is straight code without a test, in which loads that two outputs share are made once;
// elsewhere every output runs the kernel's own code.
template <class Problem, int kAxis, int kAcross, int kThreads, int kWalk>
__device__ __forceinline__ void wm_plane_walk(const Problem& problem) {
  constexpr unsigned kDown = kThreads / kAcross;
  // Outputs of a tile, and the distance from one output of a walk to the next.
  constexpr unsigned kTile0 = kAxis == 0 ? kAcross * kWalk : kAcross;
  constexpr unsigned kTile1 = kAxis == 1 ? kDown * kWalk : kDown;
  constexpr unsigned kTile2 = kAxis == 2 ? kWalk : 1;
  constexpr unsigned kStep0 = kAxis == 0 ? kAcross : 0;
  constexpr unsigned kStep1 = kAxis == 1 ? 1 : 0;
  constexpr unsigned kStep2 = kAxis == 2 ? 1 : 0;
  // Tiles begin where memory does: before the first output of a row that begins later.
  const unsigned wm_lead0 = kAxis == 0 ? 0 : problem.lead0();
  const unsigned wm_extent0 = problem.extent0();
  const unsigned wm_extent1 = problem.extent1();
  const unsigned wm_extent2 = problem.extent2();
  const unsigned wm_tiles0 = (wm_extent0 + wm_lead0 + kTile0 - 1) / kTile0;
  const unsigned wm_tiles1 = (wm_extent1 + kTile1 - 1) / kTile1;
  const unsigned wm_tiles2 = (wm_extent2 + kTile2 - 1) / kTile2;
  const unsigned wm_above0 = blockIdx.x / wm_tiles0;
  const unsigned wm_above1 = wm_above0 / wm_tiles1;
  const unsigned wm_c3 = wm_above1 / wm_tiles2;
  const unsigned wm_c0 =
      (blockIdx.x - wm_above0 * wm_tiles0) * kTile0 + threadIdx.x % kAcross - wm_lead0;
  const unsigned wm_c1 = (wm_above0 - wm_above1 * wm_tiles1) * kTile1 +
                         threadIdx.x / kAcross * (kTile1 / kDown);
  const unsigned wm_c2 = (wm_above1 - wm_c3 * wm_tiles2) * kTile2;
  const bool wm_is_there = wm_c0 < wm_extent0 && wm_c1 < wm_extent1 && wm_c3 < problem.extent3();
  const unsigned wm_left = !wm_is_there ? 0
                           : kAxis == 0 ? (wm_extent0 - wm_c0 + kAcross - 1) / kAcross
                           : kAxis == 1 ? wm_extent1 - wm_c1
                                        : wm_extent2 - wm_c2;
  const unsigned wm_steps = wm_left < kWalk ? wm_left : kWalk;
  constexpr unsigned kLast = kWalk - 1;
  const bool wm_is_inner =
      wm_steps == kWalk &&
      problem.is_inner(wm_c3, wm_c2, wm_c1, wm_c0, wm_c2 + kLast * kStep2, wm_c1 + kLast * kStep1,
                       wm_c0 + kLast * kStep0);
  if (wm_is_inner) {
#pragma unroll
    for (unsigned wm_step = 0; wm_step < kWalk; ++wm_step) {
      problem.compute_inner(wm_c3, wm_c2 + wm_step * kStep2, wm_c1 + wm_step * kStep1,
                            wm_c0 + wm_step * kStep0);
    }
  }
  // Lanes of a warp lie along axis 0. Where few of them are at an edge, all share their outputs.
  const unsigned wm_lane = threadIdx.x % 32;
  const unsigned wm_outer = __ballot_sync(0xffffffffu, wm_steps > 0 && !wm_is_inner);
  if (kAxis != 0 && __popc(wm_outer) <= 8) {
    // A lane without outputs has not counted its steps; those at the edge all have the same.
    const unsigned wm_from = wm_outer == 0 ? 0 : __ffs(wm_outer) - 1;
    const unsigned wm_count = __shfl_sync(0xffffffffu, wm_steps, wm_from);
    const unsigned wm_outputs = __popc(wm_outer) * wm_count;
    for (unsigned wm_output = wm_lane; wm_output < wm_outputs; wm_output += 32) {
      unsigned wm_lanes = wm_outer;
      for (unsigned wm_skip = wm_output / wm_count; wm_skip > 0; --wm_skip) wm_lanes &= wm_lanes - 1;
      const unsigned wm_step = wm_output % wm_count;
      problem.compute(wm_c3, wm_c2 + wm_step * kStep2, wm_c1 + wm_step * kStep1,
                      wm_c0 - wm_lane + (__ffs(wm_lanes) - 1));
    }
    return;
  }
  if (wm_is_inner) return;
#pragma unroll 1
  for (unsigned wm_step = 0; wm_step < wm_steps; ++wm_step) {
    const unsigned wm_at2 = wm_c2 + wm_step * kStep2;
    const unsigned wm_at1 = wm_c1 + wm_step * kStep1;
    const unsigned wm_at0 = wm_c0 + wm_step * kStep0;
    if (kWalk > 1 && problem.is_inner(wm_c3, wm_at2, wm_at1, wm_at0, wm_at2, wm_at1, wm_at0)) {
      problem.compute_inner(wm_c3, wm_at2, wm_at1, wm_at0);
    } else {
      problem.compute(wm_c3, wm_at2, wm_at1, wm_at0);
    }
  }
}
