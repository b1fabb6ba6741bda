// expect: clean
// launch: grid 2 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 8

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
  __shared__ float s[3][64];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    copy(&s[k][t], in + k * 64 + t);
    commit();
  }
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    wait<1>();
    __syncthreads();
    if (k + 2 < tiles) copy(&s[(k + 2) % 3][t], in + (k + 2) * 64 + t);
    commit();
    sum += s[k % 3][63 - t];
  }
  out[blockIdx.x * 64 + t] = sum;
}
