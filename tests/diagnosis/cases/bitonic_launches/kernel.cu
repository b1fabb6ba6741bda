extern "C" __global__ void copy(const int* __restrict__ x, int* __restrict__ y) {
  y[blockIdx.x * 1024 + threadIdx.x] = x[blockIdx.x * 1024 + threadIdx.x];
}

extern "C" __global__ void exchange(int* y, int run, int distance) {
  int t = threadIdx.x;
  int i = 2 * t - (t & (distance - 1));
  int* row = y + blockIdx.x * 1024;
  int a = row[i], b = row[i + distance];
  if ((a > b) == ((i & run) == 0)) {
    row[i] = b;
    row[i + distance] = a;
  }
}
