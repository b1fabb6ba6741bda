// A handle of cuDNN on the stream, and what its descriptors are made of.
#include <cudnn.h>

namespace {

cudnnHandle_t handle(cudaStream_t stream) {
  static cudnnHandle_t created = [] {
    cudnnHandle_t one = nullptr;
    return cudnnCreate(&one) == CUDNN_STATUS_SUCCESS ? one : nullptr;
  }();
  if (created == nullptr || cudnnSetStream(created, stream) != CUDNN_STATUS_SUCCESS) return nullptr;
  return created;
}

/// A tensor of ELEMENT in NCHW; null where cuDNN refuses the shape.
cudnnTensorDescriptor_t tensor(int n, int c, int h, int w) {
  cudnnTensorDescriptor_t made = nullptr;
  if (cudnnCreateTensorDescriptor(&made) != CUDNN_STATUS_SUCCESS) return nullptr;
  if (cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NCHW, ELEMENT, n, c, h, w) ==
      CUDNN_STATUS_SUCCESS) {
    return made;
  }
  cudnnDestroyTensorDescriptor(made);
  return nullptr;
}

const SCALE_TYPE kOne = 1;
const SCALE_TYPE kZero = 0;

}  // namespace
