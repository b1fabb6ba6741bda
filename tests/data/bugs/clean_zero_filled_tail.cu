// expect: clean
// launch: grid 1 block 64
// argument: buffer 200 ramp
// argument: buffer 4096 zero
// argument: int 50

extern "C" __global__ void kernel(const float* in, float* out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(in + t),
               "r"(t < n ? 4 : 0)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = s[63 - t];
}
