// A value and the number of its term as one key: the greatest key is that of the greatest value (or
// of the smallest, wm_smaller_key), of equal values that of the smallest number, which is -1 or
// more. NaN never wins, but as a start it stays, as it does where values are compared.
static __device__ __forceinline__ int wm_ordered_bits(float value) {
  const int bits = __float_as_int(value + 0.0f);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
static __device__ __forceinline__ long long wm_key_of(int high, long long number) {
  const unsigned low = ~static_cast<unsigned>(number + 1);
  return static_cast<long long>(static_cast<unsigned long long>(high) << 32 | low);
}
static __device__ __forceinline__ long long wm_greater_key(float value, long long number) {
  return wm_key_of(isnan(value) ? -2147483647 - 1 : wm_ordered_bits(value), number);
}
static __device__ __forceinline__ long long wm_smaller_key(float value, long long number) {
  return wm_key_of(isnan(value) ? -2147483647 - 1 : ~wm_ordered_bits(value), number);
}
static __device__ __forceinline__ long long wm_first_greater_key(float value, long long number) {
  return wm_key_of(isnan(value) ? 2147483647 : wm_ordered_bits(value), number);
}
static __device__ __forceinline__ long long wm_first_smaller_key(float value, long long number) {
  return wm_key_of(isnan(value) ? 2147483647 : ~wm_ordered_bits(value), number);
}
static __device__ __forceinline__ float wm_greater_value(long long key) {
  const int high = static_cast<int>(key >> 32);
  return __int_as_float(high ^ ((high >> 31) & 0x7fffffff));
}
static __device__ __forceinline__ float wm_smaller_value(long long key) {
  const int high = ~static_cast<int>(key >> 32);
  return __int_as_float(high ^ ((high >> 31) & 0x7fffffff));
}
static __device__ __forceinline__ long long wm_key_number(long long key) {
  return static_cast<long long>(~static_cast<unsigned>(key)) - 1;
}
