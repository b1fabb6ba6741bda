// Reads shared memory with STRIDE words between neighbouring threads, so that up to 32 lanes ask
// the same bank.
extern "C" __global__ void shared_stride(const float* x, float* y, int n, int steps) {
  __shared__ float words[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = x[i];
  __syncthreads();
  int at = threadIdx.x * STRIDE;
  float sum = 0.0f;
  for (int step = 0; step < steps; step += 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum += words[(at + (step + i) * 37) % 4096];
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sum;
}
