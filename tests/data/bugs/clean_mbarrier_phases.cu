// expect: clean
// launch: grid 2 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[64];
  __shared__ __align__(8) unsigned long long gate;
  unsigned at = (unsigned)__cvta_generic_to_shared(&gate);
  int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  float sum = 0;
  for (int phase = 0; phase < 6; ++phase) {
    if (phase % 2 == 0) s[t] = in[t] + phase;
    asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(at)
                 : "memory");
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(at), "r"(phase & 1)
          : "memory");
    }
    if (phase % 2 == 0) sum += s[63 - t];
  }
  out[blockIdx.x * 64 + t] = sum;
}
