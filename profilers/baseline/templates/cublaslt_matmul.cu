// C[m,n] = A B in row-major order, by the fastest algorithm that cuBLASLt's heuristics offer.
// LT_ELEMENT, LT_OUTPUT, LT_COMPUTE, LT_SCALE: cuBLASLt's names of the types; SCALE_TYPE in C++.
// A_TRANSPOSED: A is stored as [k,m]; B_TRANSPOSED: B is stored as [n,k].
#include <cublasLt.h>

#include <map>
#include <tuple>

namespace {

constexpr int kMostAlgorithms = 16;
constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

struct Product {
  cublasLtMatmulDesc_t what = nullptr;
  cublasLtMatrixLayout_t left = nullptr;
  cublasLtMatrixLayout_t right = nullptr;
  cublasLtMatrixLayout_t result = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  bool usable = false;
};

cublasLtHandle_t handle() {
  static cublasLtHandle_t created = [] {
    cublasLtHandle_t one = nullptr;
    return cublasLtCreate(&one) == CUBLAS_STATUS_SUCCESS ? one : nullptr;
  }();
  return created;
}

KeptMemory workspace;

bool make_layout(cublasLtMatrixLayout_t* layout, cudaDataType_t type, std::int64_t rows,
                 std::int64_t columns, int batch) {
  if (cublasLtMatrixLayoutCreate(layout, type, rows, columns, rows) != CUBLAS_STATUS_SUCCESS) {
    return false;
  }
  const std::int64_t stride = rows * columns;
  return cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                          sizeof batch) == CUBLAS_STATUS_SUCCESS &&
         cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                          &stride, sizeof stride) == CUBLAS_STATUS_SUCCESS;
}

std::uint32_t alignment(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t lowest = address & (~address + 1);
  return lowest == 0 || lowest > 256 ? 256 : static_cast<std::uint32_t>(lowest);
}

int multiply(const Product& product, const cublasLtMatmulAlgo_t& algorithm, const void* a,
             const void* b, void* c, cudaStream_t stream) {
  const SCALE_TYPE one = 1;
  const SCALE_TYPE zero = 0;
  // Row-major C is column-major C transposed, which is B transposed times A transposed.
  return cublasLtMatmul(handle(), product.what, &one, b, product.left, a, product.right, &zero, c,
                        product.result, c, product.result, &algorithm, workspace.memory,
                        workspace.bytes, stream) == CUBLAS_STATUS_SUCCESS
             ? 0
             : 1;
}

bool describe(Product& product, int m, int n, int k, int batch) {
  if (cublasLtMatmulDescCreate(&product.what, LT_COMPUTE, LT_SCALE) != CUBLAS_STATUS_SUCCESS) {
    return false;
  }
  const cublasOperation_t left = B_TRANSPOSED ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t right = A_TRANSPOSED ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDescSetAttribute(product.what, CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof left);
  cublasLtMatmulDescSetAttribute(product.what, CUBLASLT_MATMUL_DESC_TRANSB, &right, sizeof right);
  return make_layout(&product.left, LT_ELEMENT, B_TRANSPOSED ? k : n, B_TRANSPOSED ? n : k,
                     batch) &&
         make_layout(&product.right, LT_ELEMENT, A_TRANSPOSED ? m : k, A_TRANSPOSED ? k : m,
                     batch) &&
         make_layout(&product.result, LT_OUTPUT, n, m, batch);
}

void choose(Product& product, const void* a, const void* b, void* c, cudaStream_t stream) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS) return;
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t name, const auto& value) {
    cublasLtMatmulPreferenceSetAttribute(preference, name, &value, sizeof value);
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(b));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(a));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(c));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(c));
  cublasLtMatmulHeuristicResult_t offered[kMostAlgorithms];
  int count = 0;
  cublasLtMatmulAlgoGetHeuristic(handle(), product.what, product.left, product.right,
                                 product.result, product.result, preference, kMostAlgorithms,
                                 offered, &count);
  cublasLtMatmulPreferenceDestroy(preference);
  float best = -1;
  for (int i = 0; i < count; ++i) {
    const float ms =
        least_ms([&] { return multiply(product, offered[i].algo, a, b, c, stream); }, stream);
    if (ms < 0 || (best >= 0 && ms >= best)) continue;
    best = ms;
    product.algorithm = offered[i].algo;
    product.usable = true;
    std::snprintf(choice_words, sizeof choice_words, "algorithm %d of %d", i + 1, count);
  }
}

}  // namespace

extern "C" int library_call(const void* a, const void* b, void* c, int m, int n, int k, int batch,
                            cudaStream_t stream) {
  using Key = std::tuple<int, int, int, int, std::uint32_t, std::uint32_t, std::uint32_t>;
  static std::map<Key, Product> products;
  if (handle() == nullptr || workspace.at_least(kWorkspaceBytes) == nullptr) return 1;
  const Key key{m, n, k, batch, alignment(a), alignment(b), alignment(c)};
  auto known = products.find(key);
  if (known == products.end()) {
    known = products.emplace(key, Product{}).first;
    if (describe(known->second, m, n, k, batch)) choose(known->second, a, b, c, stream);
  }
  if (!known->second.usable) return 2;
  return multiply(known->second, known->second.algorithm, a, b, c, stream);
}
