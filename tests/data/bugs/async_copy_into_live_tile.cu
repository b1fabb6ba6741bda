// The copy of the next tile begins while others read this one.
// expect: shared race
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 4

__device__ __forceinline__ void copy(float* to, const float* from) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");  // here
}
extern "C" __global__ void kernel(const float* in, float* out, int tiles) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    copy(&s[t], in + k * 64 + t);  // here
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += s[63 - t];
  }
  out[t] = sum;
}
