// expect: clean
// launch: grid 2 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x, half = t / 64 * 64;
  for (int turn = 0; turn < 3; ++turn) {
    s[t] = in[t] + turn;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    float other = s[half + 63 - t % 64];
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    out[blockIdx.x * 128 + t] = other;
  }
}
