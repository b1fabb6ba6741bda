// Rewrites of two layers with half precision between them.

//@ case first_backwards
//@ task perceptron_f16
//@ expect accepted
//@ edit for (int j = 0; j < k; ++j) { => for (int j = k - 1; j >= 0; --j) {

//@ case second_backwards
//@ task perceptron_f16
//@ expect accepted
//@ edit for (int j = 0; j < hidden; ++j) { => for (int j = hidden - 1; j >= 0; --j) {

//@ case first_in_double
//@ task perceptron_f16
//@ expect accepted
//@ edit float sum = 0.0f; => double sum = 0.0;
//@ edit sum += __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]); => sum += double(__half2float(x[row * k + j])) * __half2float(w1[j * hidden + column]);

//@ case first_in_two_sums
//@ task perceptron_f16
//@ expect accepted
//@ edit float sum = 0.0f; => float sum = 0.0f, odd = 0.0f;
//@ edit sum += __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]); => float t = __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]); if (j & 1) odd += t; else sum += t;
//@ edit sum = sum * 0.0625f; => sum = (sum + odd) * 0.0625f;

//@ case second_in_two_sums
//@ task perceptron_f16
//@ expect accepted
//@ edit sum += __half2float(h[row * hidden + j]) * __half2float(w2[j * out + column]); => float t = __half2float(h[row * hidden + j]) * __half2float(w2[j * out + column]); if (j < hidden / 2) sum += t; else late += t;
//@ edit y[i] = __float2half(sum * 0.0625f); => y[i] = __float2half((sum + late) * 0.0625f);
//@ edit int column = i % out; => int column = i % out; float late = 0.0f;

//@ case scaled_inputs
//@ task perceptron_f16
//@ expect accepted
//@ edit sum += __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]); => sum += (__half2float(x[row * k + j]) * 0.0625f) * __half2float(w1[j * hidden + column]);
//@ edit sum = sum * 0.0625f; => 

//@ case rectifier_on_half
//@ task perceptron_f16
//@ expect accepted
//@ edit h[i] = __float2half(fmaxf(sum, 0.0f)); => __half v = __float2half(sum); h[i] = __half2float(v) > 0.0f ? v : __float2half(0.0f);

//@ case divides
//@ task perceptron_f16
//@ expect accepted
//@ edit sum = sum * 0.0625f; => sum = sum / 16.0f;
//@ edit sum * 0.0625f => sum / 16.0f

//@ case scales_later
//@ task perceptron_f16
//@ expect accepted
//@ edit y[i] = __float2half(sum * 0.0625f); => y[i] = __float2half(ldexpf(sum, -4));

//@ case one_kernel_unrounded
//@ task perceptron_f16
//@ expect accepted
//@ launch both | batch | 64 | x, w1, w2, y, i32:k, i32:hidden, i32:out
#include <cuda_fp16.h>
extern "C" __global__ void both(const __half* x, const __half* w1, const __half* w2, __half* y,
                                int k, int hidden, int out) {
  __shared__ float h[256];
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < hidden; c += 64) {
    float sum = 0.0f;
    for (int j = 0; j < k; ++j) {
      sum = fmaf(__half2float(x[row * k + j]), __half2float(w1[j * hidden + c]), sum);
    }
    h[c] = fmaxf(sum * 0.0625f, 0.0f);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < out; c += 64) {
    float sum = 0.0f;
    for (int j = 0; j < hidden; ++j) sum = fmaf(h[j], __half2float(w2[j * out + c]), sum);
    y[row * out + c] = __float2half(sum * 0.0625f);
  }
}

//@ case one_kernel_rounded
//@ task perceptron_f16
//@ expect accepted
//@ launch both | batch | 64 | x, w1, w2, y, i32:k, i32:hidden, i32:out
#include <cuda_fp16.h>
extern "C" __global__ void both(const __half* x, const __half* w1, const __half* w2, __half* y,
                                int k, int hidden, int out) {
  __shared__ float h[256];
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < hidden; c += 64) {
    float sum = 0.0f;
    for (int j = 0; j < k; ++j) {
      sum = fmaf(__half2float(x[row * k + j]), __half2float(w1[j * hidden + c]), sum);
    }
    h[c] = __half2float(__float2half(fmaxf(sum * 0.0625f, 0.0f)));
  }
  __syncthreads();
  for (int c = threadIdx.x; c < out; c += 64) {
    float sum = 0.0f;
    for (int j = 0; j < hidden; ++j) sum = fmaf(h[j], __half2float(w2[j * out + c]), sum);
    y[row * out + c] = __float2half(sum * 0.0625f);
  }
}
