// COPIES histograms a block in dynamic shared memory (4 * COPIES * bins bytes), added to the global
// one at the end. Warps take turns with the copies.
extern "C" __global__ void histogram(const unsigned* x, unsigned* counts, int n, int bins) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < bins * COPIES; i += blockDim.x) local[i] = 0;
  __syncthreads();
  unsigned* mine = local + threadIdx.x / 32 % COPIES * bins;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(mine + x[i], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) {
    unsigned sum = 0;
    for (int copy = 0; copy < COPIES; ++copy) sum += local[copy * bins + i];
    atomicAdd(counts + i, sum);
  }
}
