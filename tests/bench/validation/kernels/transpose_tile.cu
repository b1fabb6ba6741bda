// A TILE by TILE tile through shared memory, TILE by HEIGHT threads, PAD floats behind each row.
extern "C" __global__ void transpose(const float* input, float* output, int rows, int columns) {
  __shared__ float tile[TILE][TILE + PAD];
  int column = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (int i = 0; i < TILE; i += HEIGHT) {
    tile[threadIdx.y + i][threadIdx.x] = input[static_cast<size_t>(row + i) * columns + column];
  }
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
  for (int i = 0; i < TILE; i += HEIGHT) {
    output[static_cast<size_t>(row + i) * rows + column] = tile[threadIdx.x][threadIdx.y + i];
  }
}
