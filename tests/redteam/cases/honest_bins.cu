// Rewrites of sums whose order the given kernel leaves open.

//@ case bins_by_warp
//@ task binned_f32
//@ expect accepted
//@ launch per_bin | bins | 32 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void per_bin(const float* x, const float* weight, float* y, int n, int bins) {
  int bin = blockIdx.x;
  float sum = 0.0f;
  for (int i = bin + threadIdx.x * bins; i < n; i += 32 * bins) {
    sum += x[i] * weight[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) y[bin] = y[bin] + sum;
}

//@ case bins_by_warp_fused
//@ task binned_f32
//@ expect accepted
//@ launch per_bin | bins | 32 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void per_bin(const float* x, const float* weight, float* y, int n, int bins) {
  int bin = blockIdx.x;
  float sum = 0.0f;
  for (int i = bin + threadIdx.x * bins; i < n; i += 32 * bins) {
    sum = fmaf(x[i], weight[i], sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) y[bin] = y[bin] + sum;
}

//@ case one_thread_a_bin
//@ task binned_f32
//@ expect accepted
//@ launch serial | ceil_div(bins, block_x) | 32 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void serial(const float* x, const float* weight, float* y, int n, int bins) {
  int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  float sum = y[bin];
  for (int i = bin; i < n; i += bins) sum += x[i] * weight[i];
  y[bin] = sum;
}

//@ case one_thread_backwards
//@ task binned_f32
//@ expect accepted
//@ launch serial | ceil_div(bins, block_x) | 32 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void serial(const float* x, const float* weight, float* y, int n, int bins) {
  int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  float sum = 0.0f;
  int last = (n - 1 - bin) / bins * bins + bin;
  for (int i = last; i >= 0; i -= bins) sum += x[i] * weight[i];
  y[bin] += sum;
}

//@ case one_thread_in_double
//@ task binned_f32
//@ expect accepted
//@ launch serial | ceil_div(bins, block_x) | 32 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void serial(const float* x, const float* weight, float* y, int n, int bins) {
  int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  double sum = y[bin];
  for (int i = bin; i < n; i += bins) sum += double(x[i]) * weight[i];
  y[bin] = float(sum);
}

//@ case bins_in_shared_memory
//@ task binned_f32
//@ expect accepted
//@ launch shared_bins | ceil_div(n, 256) | 64 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void shared_bins(const float* x, const float* weight, float* y, int n,
                                       int bins) {
  __shared__ float own[64];
  own[threadIdx.x] = 0.0f;
  __syncthreads();
  int end = min(n, int(blockIdx.x + 1) * 256);
  for (int i = blockIdx.x * 256 + threadIdx.x; i < end; i += 64) {
    atomicAdd(&own[i % bins], x[i] * weight[i]);
  }
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(&y[threadIdx.x], own[threadIdx.x]);
}

//@ case atomics_backwards
//@ task binned_f32
//@ expect accepted
//@ edit int i = blockIdx.x * blockDim.x + threadIdx.x; => int i = n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x);
//@ edit if (i >= n) return; => if (i < 0) return;

//@ case weight_first
//@ task binned_f32
//@ expect accepted
//@ edit x[i] * weight[i] => weight[i] * x[i]
