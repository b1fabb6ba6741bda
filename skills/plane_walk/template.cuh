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
  const unsigned wm_extent0 = problem.extent0();
  const unsigned wm_extent1 = problem.extent1();
  const unsigned wm_extent2 = problem.extent2();
  const unsigned wm_tiles0 = (wm_extent0 + kTile0 - 1) / kTile0;
  const unsigned wm_tiles1 = (wm_extent1 + kTile1 - 1) / kTile1;
  const unsigned wm_tiles2 = (wm_extent2 + kTile2 - 1) / kTile2;
  const unsigned wm_above0 = blockIdx.x / wm_tiles0;
  const unsigned wm_above1 = wm_above0 / wm_tiles1;
  const unsigned wm_c3 = wm_above1 / wm_tiles2;
  const unsigned wm_c0 = (blockIdx.x - wm_above0 * wm_tiles0) * kTile0 + threadIdx.x % kAcross;
  const unsigned wm_c1 = (wm_above0 - wm_above1 * wm_tiles1) * kTile1 +
                         threadIdx.x / kAcross * (kTile1 / kDown);
  const unsigned wm_c2 = (wm_above1 - wm_c3 * wm_tiles2) * kTile2;
  if (wm_c0 >= wm_extent0 || wm_c1 >= wm_extent1) return;
  const unsigned wm_left = kAxis == 0   ? (wm_extent0 - wm_c0 + kAcross - 1) / kAcross
                           : kAxis == 1 ? wm_extent1 - wm_c1
                                        : wm_extent2 - wm_c2;
  constexpr unsigned kLast = kWalk - 1;
  if (wm_left >= kWalk &&
      problem.is_inner(wm_c3, wm_c2, wm_c1, wm_c0, wm_c2 + kLast * kStep2, wm_c1 + kLast * kStep1,
                       wm_c0 + kLast * kStep0)) {
#pragma unroll
    for (unsigned wm_step = 0; wm_step < kWalk; ++wm_step) {
      problem.compute_inner(wm_c3, wm_c2 + wm_step * kStep2, wm_c1 + wm_step * kStep1,
                            wm_c0 + wm_step * kStep0);
    }
    return;
  }
  const unsigned wm_steps = wm_left < kWalk ? wm_left : kWalk;
#pragma unroll 1
  for (unsigned wm_step = 0; wm_step < wm_steps; ++wm_step) {
    problem.compute(wm_c3, wm_c2 + wm_step * kStep2, wm_c1 + wm_step * kStep1,
                    wm_c0 + wm_step * kStep0);
  }
}
