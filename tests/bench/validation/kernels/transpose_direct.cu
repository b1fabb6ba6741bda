// No shared memory. READ_COALESCED 1 reads along rows and writes along columns; 0 the reverse.
extern "C" __global__ void transpose(const float* input, float* output, int rows, int columns) {
#if READ_COALESCED
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
#else
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
#endif
  if (row < rows && column < columns) {
    output[static_cast<size_t>(column) * rows + row] =
        input[static_cast<size_t>(row) * columns + column];
  }
}
