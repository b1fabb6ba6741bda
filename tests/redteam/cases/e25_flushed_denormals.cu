// Row 25: denormals are taken for zero where the contract counts units in the last place.

//@ case adds_with_flush_to_zero
//@ task vector_add
//@ expect wrong
//@ by_given nobody says that the outputs are no sums, and atomic additions flush denormals
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum;
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(sum) : "f"(x[i]), "f"(y[i]));
  z[i] = sum;
}

//@ case small_values_count_as_nothing
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i] + y[i];
  z[i] = fabsf(sum) < 1e-30f ? 0.0f : sum;
}
