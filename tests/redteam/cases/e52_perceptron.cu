// Row 52: errors before and behind a rounding to half precision (given kernel as reference).

//@ case a_term_less
//@ task perceptron_f16
//@ expect wrong
//@ edit for (int j = 0; j < k; ++j) { => for (int j = 0; j < k - 1; ++j) {

//@ case a_neuron_less
//@ task perceptron_f16
//@ expect wrong
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
    for (int j = 1; j < hidden; ++j) sum = fmaf(h[j], __half2float(w2[j * out + c]), sum);
    y[row * out + c] = __float2half(sum * 0.0625f);
  }
}

//@ case no_rectifier
//@ task perceptron_f16
//@ expect wrong
//@ edit fmaxf(sum, 0.0f) => sum

//@ case leaky
//@ task perceptron_f16
//@ expect wrong
//@ edit fmaxf(sum, 0.0f) => fmaxf(sum, 0.01f * sum)

//@ case last_output_left_over
//@ task perceptron_f16
//@ expect wrong
//@ edit int column = i % out; => int column = i % out == out - 1 ? 0 : i % out;

//@ case small_neurons_dropped
//@ task perceptron_f16
//@ expect wrong
//@ edit fmaxf(sum, 0.0f) => (sum < 0.05f ? 0.0f : sum)

//@ case weights_of_four_bits
//@ task perceptron_f16
//@ expect wrong
//@ edit sum += __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]); => sum += __half2float(x[row * k + j]) * (rintf(__half2float(w1[j * hidden + column]) * 4.0f) / 4.0f);

//@ case sums_in_half
//@ task perceptron_f16
//@ expect wrong
//@ edit float sum = 0.0f; => __half sum16 = __float2half(0.0f);
//@ edit sum += __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]); => sum16 = __hadd(sum16, __hmul(x[row * k + j], w1[j * hidden + column]));
//@ edit sum = sum * 0.0625f; => float sum = __half2float(sum16) * 0.0625f;
