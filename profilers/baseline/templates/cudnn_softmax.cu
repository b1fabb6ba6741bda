// Softmax of each row: over the channels of one pixel a row, or over the pixels of one channel a
// row, whichever takes less.
#include <map>
#include <utility>

namespace {

struct Softmax {
  cudnnTensorDescriptor_t shape = nullptr;
  cudnnSoftmaxMode_t mode = CUDNN_SOFTMAX_MODE_INSTANCE;
};

int apply(cudnnHandle_t cudnn, const Softmax& one, const void* x, void* y) {
  return cudnnSoftmaxForward(cudnn, CUDNN_SOFTMAX_ACCURATE, one.mode, &kOne, one.shape, x, &kZero,
                             one.shape, y) == CUDNN_STATUS_SUCCESS
             ? 0
             : 1;
}

}  // namespace

extern "C" int library_call(const void* x, void* y, int rows, int columns, cudaStream_t stream) {
  static std::map<std::pair<int, int>, Softmax> known;
  cudnnHandle_t const cudnn = handle(stream);
  if (cudnn == nullptr) return 1;
  const std::pair<int, int> key{rows, columns};
  if (known.find(key) == known.end()) {
    const Softmax ways[] = {{tensor(rows, columns, 1, 1), CUDNN_SOFTMAX_MODE_INSTANCE},
                            {tensor(rows, columns, 1, 1), CUDNN_SOFTMAX_MODE_CHANNEL},
                            {tensor(rows, 1, 1, columns), CUDNN_SOFTMAX_MODE_INSTANCE}};
    float best = -1;
    for (const Softmax& way : ways) {
      if (way.shape == nullptr) continue;
      const float ms = least_ms([&] { return apply(cudnn, way, x, y); }, stream);
      if (ms < 0 || (best >= 0 && ms >= best)) continue;
      best = ms;
      known[key] = way;
      std::snprintf(choice_words, sizeof choice_words, "mode %s",
                    way.mode == CUDNN_SOFTMAX_MODE_CHANNEL ? "channel" : "instance");
    }
  }
  const auto chosen = known.find(key);
  return chosen == known.end() ? 2 : apply(cudnn, chosen->second, x, y);
}
