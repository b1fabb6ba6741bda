extern "C" __global__ void transpose_bias(const float* input, const float* bias, float* output,
                                          int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    output[column * rows + row] = input[row * columns + column] + bias[column];
  }
}
