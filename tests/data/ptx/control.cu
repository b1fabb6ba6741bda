// Branches, barriers, shared memory of every kind, inline PTX with scopes.
// nvcc -std=c++17 -arch=compute_75 -ptx -lineinfo control.cu

extern __shared__ float dynamic_tile[];

__device__ __noinline__ float read_dynamic(int i) { return dynamic_tile[i]; }

__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[33];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(~0u, sum, delta);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / 32; ++w) sum += partial[w];
    out[blockIdx.x] = sum;
  }
}

__global__ void both(float* out, int n) {
  __shared__ double row[5];
  row[n] = n;
  __syncthreads();
  out[0] = read_dynamic(n) + static_cast<float>(row[n / 2]);
}

__global__ void only_dynamic(float* out, int n) { out[0] = read_dynamic(n) + dynamic_tile[1]; }

__global__ void choose(int* out, int n) {
  switch (n) {
    case 0: out[0] = 1; break;
    case 1: out[1] = 5; break;
    case 2: __syncthreads();
    case 3: out[3] = 9; break;
    case 4: out[5] = n * n; break;
    case 5: out[n] = atomicAdd(out, 1); break;
    default: out[6] = __syncthreads_count(n > 3) + __syncthreads_or(n);
  }
}

__global__ void inline_scopes(float* out) {
  asm volatile(
      "{\n .reg .pred p;\n .reg .b32 r<3>;\n setp.eq.s32 p, %1, 0;\n @p bra DONE;\n"
      " mov.u32 r1, WARP_SZ;\n @!p st.global.f32 [%0+-4], 0f3f800000;\n DONE: nanosleep.u32 20;\n}"
      ::"l"(out), "r"(threadIdx.x));
  asm volatile(
      "{\n .reg .pred p;\n .reg .b32 r<3>;\n setp.ne.s32 p, %1, 0;\n @p bra DONE;\n"
      " mov.b64 {r1, _}, %0;\n DONE: bar.sync 1, 64;\n}"
      ::"l"(out), "r"(threadIdx.x));
}
