// 64 threads arrive where 65 are expected.
// expect: clean
// ends: deadlock
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ __align__(8) unsigned long long gate;
  unsigned at = (unsigned)__cvta_generic_to_shared(&gate);
  int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 65;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(at) : "memory");
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
  }
  out[t] = in[t];
}
