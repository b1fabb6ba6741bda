// A producer warp and a consumer warp.
// expect: clean
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 4

extern "C" __global__ void kernel(const float* in, float* out, int tiles) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    if (t < 32) {
      s[t] = in[k * 32 + t];
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += s[63 - t];
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (t >= 32) out[t - 32] = sum;
}
