// Convolution of images (NCHW) with square filters, stride 1, padded so that the size stays, by the
// algorithm that cuDNN's own search finds fastest.
#include <map>
#include <tuple>

namespace {

struct Convolution {
  cudnnTensorDescriptor_t from = nullptr;
  cudnnTensorDescriptor_t to = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t what = nullptr;
  cudnnConvolutionFwdAlgoPerf_t chosen{};
  bool usable = false;
};

constexpr std::size_t kSearchBytes = std::size_t{1} << 30;
KeptMemory workspace;

bool describe(Convolution& one, int images, int channels, int height, int width, int outputs,
              int side) {
  one.from = tensor(images, channels, height, width);
  one.to = tensor(images, outputs, height, width);
  const int pad = side / 2;
  return one.from != nullptr && one.to != nullptr &&
         cudnnCreateFilterDescriptor(&one.filter) == CUDNN_STATUS_SUCCESS &&
         cudnnSetFilter4dDescriptor(one.filter, ELEMENT, CUDNN_TENSOR_NCHW, outputs, channels, side,
                                    side) == CUDNN_STATUS_SUCCESS &&
         cudnnCreateConvolutionDescriptor(&one.what) == CUDNN_STATUS_SUCCESS &&
         cudnnSetConvolution2dDescriptor(one.what, pad, pad, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                         COMPUTE_TYPE) == CUDNN_STATUS_SUCCESS &&
         cudnnSetConvolutionMathType(one.what, MATH_TYPE) == CUDNN_STATUS_SUCCESS;
}

/// Winograd's and Fourier's ways add up other terms than the sum of products, and round further away
/// than a task allows.
bool sums_products(cudnnConvolutionFwdAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_DIRECT;
}

void choose(cudnnHandle_t cudnn, Convolution& one, const void* x, const void* filter, void* y) {
  cudnnConvolutionFwdAlgoPerf_t offered[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
  int count = 0;
  void* const memory = workspace.at_least(kSearchBytes);
  if (memory == nullptr) return;
  if (cudnnFindConvolutionForwardAlgorithmEx(cudnn, one.from, x, one.filter, filter, one.what,
                                             one.to, y, CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count,
                                             offered, memory,
                                             workspace.bytes) != CUDNN_STATUS_SUCCESS) {
    return;
  }
  for (int i = 0; i < count && !one.usable; ++i) {  // the fastest one is first
    if (offered[i].status != CUDNN_STATUS_SUCCESS || !sums_products(offered[i].algo)) continue;
    if (NEEDS_DETERMINISM && offered[i].determinism != CUDNN_DETERMINISTIC) continue;
    one.chosen = offered[i];
    one.usable = true;
    std::snprintf(choice_words, sizeof choice_words, "algorithm %d, first of %d",
                  static_cast<int>(offered[i].algo), count);
  }
}

}  // namespace

extern "C" int library_call(const void* x, const void* filter, void* y, int images, int channels,
                            int height, int width, int outputs, int side, cudaStream_t stream) {
  using Key = std::tuple<int, int, int, int, int, int>;
  static std::map<Key, Convolution> known;
  cudnnHandle_t const cudnn = handle(stream);
  if (cudnn == nullptr) return 1;
  const Key key{images, channels, height, width, outputs, side};
  auto found = known.find(key);
  if (found == known.end()) {
    found = known.emplace(key, Convolution{}).first;
    if (describe(found->second, images, channels, height, width, outputs, side)) {
      choose(cudnn, found->second, x, filter, y);
      cudaStreamSynchronize(stream);
    }
  }
  const Convolution& one = found->second;
  if (!one.usable) return 2;
  if (cudnnSetConvolutionMathType(one.what, one.chosen.mathType) != CUDNN_STATUS_SUCCESS) return 3;
  return cudnnConvolutionForward(cudnn, &kOne, one.from, x, one.filter, filter, one.what,
                                 one.chosen.algo, workspace.memory, workspace.bytes, &kZero, one.to,
                                 y) == CUDNN_STATUS_SUCCESS
             ? 0
             : 4;
}
