// Row 54: errors that hide behind the order of atomics (given kernel as reference).

//@ case last_element_left_out
//@ task binned_f32
//@ expect wrong
//@ edit if (i >= n) return; => if (i >= n - 1) return;

//@ case first_element_twice
//@ task binned_f32
//@ expect wrong
//@ edit atomicAdd(&y[i % bins], term); => atomicAdd(&y[i % bins], i == 0 ? 2.0f * term : term);

//@ case forgets_what_was_there
//@ task binned_f32
//@ expect wrong
//@ launch per_bin | bins | 32 | x, weight, y, i32:n, i32:bins
extern "C" __global__ void per_bin(const float* x, const float* weight, float* y, int n, int bins) {
  int bin = blockIdx.x;
  float sum = 0.0f;
  for (int i = bin + threadIdx.x * bins; i < n; i += 32 * bins) {
    sum += x[i] * weight[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) y[bin] = sum;
}

//@ case next_bin
//@ task binned_f32
//@ expect wrong
//@ edit y[i % bins] => y[i == 17 ? 4 : i % bins]

//@ case weights_in_half
//@ task binned_f32
//@ expect wrong
//@ edit x[i] * weight[i] => x[i] * __half2float(__float2half(weight[i]))
//@ edit extern "C" => #include <cuda_fp16.h>\nextern "C"

//@ case small_terms_dropped
//@ task binned_f32
//@ expect wrong
//@ edit atomicAdd(&y[i % bins], term); => if (fabsf(term) > 0.01f) atomicAdd(&y[i % bins], term);
