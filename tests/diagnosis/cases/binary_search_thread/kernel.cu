extern "C" __global__ void search(const int* __restrict__ step, const int* __restrict__ query,
                                  int* __restrict__ y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int q = query[i], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (8 * middle + step[middle] < q) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  y[i] = low;
}
