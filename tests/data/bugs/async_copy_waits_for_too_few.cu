// expect: async copy not waited for
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 4

__device__ __forceinline__ void copy(float* to, const float* from) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int keep>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(keep) : "memory");
}

extern "C" __global__ void kernel(const float* in, float* out, int tiles) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  copy(&s[0][t], in + t);
  commit();
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) copy(&s[(k + 1) & 1][t], in + (k + 1) * 64 + t);
    if (k + 1 < tiles) commit();
    wait<1>();  // the last tile would need wait<0>()
    __syncthreads();
    sum += s[k & 1][63 - t];  // here
    __syncthreads();
  }
  out[t] = sum;
}
