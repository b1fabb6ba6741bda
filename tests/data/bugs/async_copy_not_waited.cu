// expect: async copy not waited for
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

__device__ __forceinline__ void copy(float* to, const float* from) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int keep>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(keep) : "memory");
}

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  copy(&s[t], in + t);
  commit();
  __syncthreads();
  out[t] = s[63 - t];  // here
}
