// Row 55: errors that hide behind an exponential of rounded scores (given kernel as reference).

//@ case last_key_left_out
//@ task attention_row_f16
//@ expect wrong
//@ edit for (int c = 0; c < n; ++c) sum += => for (int c = 0; c < n - 1; ++c) sum +=

//@ case another_scale
//@ task attention_row_f16
//@ expect wrong
//@ edit sum * 0.25f => sum * 0.26f

//@ case stale_rescaling
//@ task attention_row_f16
//@ expect wrong
//@ launch attend | rows | 32 | q, keys, values, y, i32:n, i32:d
#include <cuda_fp16.h>
extern "C" __global__ void attend(const __half* q, const __half* keys, const __half* values,
                                  __half* y, int n, int d) {
  int row = blockIdx.x;
  for (int j = threadIdx.x; j < d; j += 32) {
    float largest = -3.0e38f;
    float sum = 0.0f;
    float weighted = 0.0f;
    for (int c = 0; c < n; ++c) {
      float score = 0.0f;
      for (int e = 0; e < d; ++e) {
        score += __half2float(q[row * d + e]) * __half2float(keys[c * d + e]);
      }
      score = score * 0.25f;
      float before = largest;
      largest = fmaxf(largest, score);
      float old = expf(before - largest);
      float now = expf(score - largest);
      sum = sum * old + now;
      weighted = weighted * 1.0f + now * __half2float(values[c * d + j]);
    }
    y[row * d + j] = __float2half(weighted / sum);
  }
}

//@ case largest_only
//@ task attention_row_f16
//@ expect wrong
//@ edit / sum); => / sum > 0.05f ? expf(__half2float(s[row * n + c]) - largest) / sum : 0.0f);

//@ case keys_of_five_bits
//@ task attention_row_f16
//@ expect wrong
//@ edit __half2float(keys[i % n * d + j]) => (rintf(__half2float(keys[i % n * d + j]) * 8.0f) / 8.0f)

//@ case a_dimension_less
//@ task attention_row_f16
//@ expect wrong
//@ edit for (int j = 0; j < d; ++j) { => for (int j = 0; j < d - 1; ++j) {

//@ case last_value_of_the_first
//@ task attention_row_f16
//@ expect wrong
//@ edit values[c * d + i % d] => values[(c == n - 1 ? 0 : c) * d + i % d]
