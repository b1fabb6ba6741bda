#include "profilers/baseline/library_calls.h"

#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

namespace warpmind::profilers {
namespace {

using Words = std::vector<std::string>;

/// What of a task decides. Pointers are into the task.
struct Signature {
  const Task& task;
  std::vector<const Argument*> in = {};
  std::vector<const Argument*> out = {};
  std::vector<const Argument*> inout = {};
  std::vector<const Argument*> scalars = {};

  /// So many of each, and no scalars.
  [[nodiscard]] bool has(std::size_t inputs, std::size_t outputs) const {
    return in.size() == inputs && out.size() == outputs && inout.empty() && scalars.empty();
  }
};

Signature signature_of(const Task& task) {
  Signature signature{task};
  for (const Argument& argument : task.arguments) {
    switch (argument.kind) {
      case ArgumentKind::in: signature.in.push_back(&argument); break;
      case ArgumentKind::out: signature.out.push_back(&argument); break;
      case ArgumentKind::inout: signature.inout.push_back(&argument); break;
      case ArgumentKind::scalar: signature.scalars.push_back(&argument); break;
    }
  }
  return signature;
}

bool same_dtype(const std::vector<const Argument*>& arguments, Dtype dtype) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [&](const Argument* one) { return one->dtype == dtype; });
}

bool is_blas_type(Dtype dtype) { return dtype == Dtype::f32 || dtype == Dtype::f64; }

/// In C++; empty for types that CUB's calls here do not take.
std::string cpp_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32: return "float";
    case Dtype::f64: return "double";
    case Dtype::i8: return "signed char";
    case Dtype::u8: return "unsigned char";
    case Dtype::i32: return "int";
    case Dtype::u32: return "unsigned int";
    case Dtype::i64: return "long long";
    default: return {};
  }
}

/// As cuBLASLt and cuSPARSE name it; empty for integers.
std::string cuda_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return "CUDA_R_16F";
    case Dtype::bf16: return "CUDA_R_16BF";
    case Dtype::f32: return "CUDA_R_32F";
    case Dtype::f64: return "CUDA_R_64F";
    default: return {};
  }
}

std::string cudnn_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return "CUDNN_DATA_HALF";
    case Dtype::bf16: return "CUDNN_DATA_BFLOAT16";
    case Dtype::f32: return "CUDNN_DATA_FLOAT";
    case Dtype::f64: return "CUDNN_DATA_DOUBLE";
    default: return {};
  }
}

std::string i32(const std::string& expression) { return "i32:" + expression; }

std::string elements_of(const Argument& argument) {
  std::string product;
  for (const std::string& extent : argument.shape) {
    product += (product.empty() ? "(" : "*(") + extent + ")";
  }
  return product.empty() ? "1" : product;
}

std::string text_of(std::string_view name) {
  for (const EmbeddedFile& file : library_template_files()) {
    if (file.name == "baseline/templates/" + std::string(name)) return std::string(file.content);
  }
  return {};
}

/// `defines` are "NAME value"; `files` follow library_call.cuh.
LibraryCall make_call(Library library, std::string call, std::string meaning, const Words& defines,
                      const Words& files, Words arguments) {
  LibraryCall made{library, std::move(call), std::move(meaning), {}};
  for (const std::string& define : defines) made.kernel.source += "#define " + define + "\n";
  made.kernel.source += text_of("library_call.cuh");
  for (const std::string& file : files) made.kernel.source += text_of(file);
  made.kernel.tier = Tier::b;
  made.kernel.entry = "library_call";
  Launch launch;
  launch.kernel = made.kernel.entry;
  launch.arguments = std::move(arguments);
  made.kernel.plan.launches = {std::move(launch)};
  return made;
}

LibraryCall blas_call(const char* what, const std::string& name, Dtype dtype, std::string meaning,
                      Words arguments) {
  const bool is_double = dtype == Dtype::f64;
  const std::string prefix = is_double ? "cublasD" : "cublasS";
  return make_call(Library::cublas, prefix + name, std::move(meaning),
                   {"ELEMENT " + cpp_type(dtype), "CALL_NAME(name) " + prefix + "##name",
                    std::string(what) + " 1"},
                   {"cublas_call.cu"}, std::move(arguments));
}

// ---- products -------------------------------------------------------------------------------

LibraryCall matmul(const Signature& s, bool a_transposed, bool b_transposed, const Words& sizes) {
  const Dtype dtype = s.in[0]->dtype;
  const bool is_double = dtype == Dtype::f64;
  const bool may_tf32 = dtype == Dtype::f32 && s.task.contract.tf32_allowed;
  Words arguments = {s.in[0]->name, s.in[1]->name, s.out[0]->name};
  for (const std::string& size : sizes) arguments.push_back(i32(size));
  return make_call(Library::cublaslt, "cublasLtMatmul", "product",
                   {"LT_ELEMENT " + cuda_type(dtype), "LT_OUTPUT " + cuda_type(s.out[0]->dtype),
                    std::string("LT_COMPUTE CUBLAS_COMPUTE_") +
                        (is_double ? "64F" : (may_tf32 ? "32F_FAST_TF32" : "32F")),
                    std::string("LT_SCALE ") + (is_double ? "CUDA_R_64F" : "CUDA_R_32F"),
                    std::string("SCALE_TYPE ") + (is_double ? "double" : "float"),
                    std::string("A_TRANSPOSED ") + (a_transposed ? "1" : "0"),
                    std::string("B_TRANSPOSED ") + (b_transposed ? "1" : "0")},
                   {"cublaslt_matmul.cu"}, std::move(arguments));
}

/// Of the last two extents; the one in front of them, where there is one, counts matrices.
void add_products(const Signature& s, std::vector<LibraryCall>& calls) {
  if (!s.has(2, 1)) return;
  const Dtype dtype = s.in[0]->dtype;
  const auto& c = s.out[0]->shape;
  const std::size_t rank = c.size();
  if (cuda_type(dtype).empty() || !same_dtype(s.in, dtype) || rank < 2 || rank > 3) return;
  if (s.out[0]->dtype != dtype && s.out[0]->dtype != Dtype::f32) return;
  const std::size_t at = rank - 2;
  const auto& a = s.in[0]->shape;
  const auto& b = s.in[1]->shape;
  if (a.size() != rank || b.size() != rank) return;
  if (rank == 3 && (a[0] != c[0] || b[0] != c[0])) return;
  const std::string batch = rank == 3 ? c[0] : "1";
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      const std::string& k = a[at + (a_transposed ? 0 : 1)];
      const bool fits = a[at + (a_transposed ? 1 : 0)] == c[at] &&
                        b[at + (b_transposed ? 1 : 0)] == k &&
                        b[at + (b_transposed ? 0 : 1)] == c[at + 1];
      if (fits) {
        calls.push_back(matmul(s, a_transposed, b_transposed, {c[at], c[at + 1], k, batch}));
        calls.back().meaning += a_transposed ? " t" : " n";
        calls.back().meaning += b_transposed ? "t" : "n";
      }
    }
  }
}

void add_matrix_vector(const Signature& s, std::vector<LibraryCall>& calls) {
  if (!s.has(2, 1) || s.in[0]->shape.size() != 2) return;
  const Dtype dtype = s.in[0]->dtype;
  const auto& a = s.in[0]->shape;
  const bool fits = s.in[1]->shape == Words{a[1]} && s.out[0]->shape == Words{a[0]} &&
                    same_dtype(s.in, dtype) && s.out[0]->dtype == dtype;
  if (!fits || cuda_type(dtype).empty()) return;
  if (is_blas_type(dtype)) {
    calls.push_back(
        blas_call("WHAT_IS_MATRIX_VECTOR", "gemv", dtype, "matrix times vector",
                  {s.in[0]->name, s.in[1]->name, s.out[0]->name, i32(a[0]), i32(a[1])}));
  }
  calls.push_back(matmul(s, false, false, {a[0], "1", a[1], "1"}));
  calls.back().meaning = "matrix times vector";
}

void add_sparse_product(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "sparse" || !s.has(4, 1)) return;
  const auto& rows = s.out[0]->shape;
  const auto& entries = s.in[1]->shape;
  const Dtype dtype = s.out[0]->dtype;
  const bool fits = rows.size() == 1 && s.in[0]->shape == Words{rows[0] + " + 1"} &&
                    entries.size() == 1 && s.in[2]->shape == entries &&
                    s.in[3]->shape.size() == 1 && s.in[0]->dtype == Dtype::i32 &&
                    s.in[1]->dtype == Dtype::i32 && s.in[2]->dtype == dtype &&
                    s.in[3]->dtype == dtype && is_blas_type(dtype);
  if (!fits) return;
  // "16 * rows + 16" entries: row pointers may be kept as what they differ from rows of 16.
  std::string step = "0";
  const std::string& count = entries[0];
  const auto star = count.find(" * " + rows[0]);
  const bool has_step =
      star != std::string::npos && star > 0 && count.find_first_not_of("0123456789") == star;
  if (has_step) step = count.substr(0, star);
  Words steps = {"0"};
  if (step != "0") steps.insert(steps.begin(), step);
  for (const std::string& one : steps) {
    calls.push_back(
        make_call(Library::cusparse, "cusparseSpMV", "sparse matrix times vector, step " + one,
                  {"ELEMENT " + cpp_type(dtype), "CUDA_ELEMENT " + cuda_type(dtype), "STEP " + one},
                  {"cusparse_spmv.cu"},
                  {s.in[0]->name, s.in[1]->name, s.in[2]->name, s.in[3]->name, s.out[0]->name,
                   i32(rows[0]), i32(s.in[3]->shape[0]), i32(count)}));
  }
}

// ---- reductions -----------------------------------------------------------------------------

LibraryCall cudnn_reduction(const Signature& s, bool over_rows, const char* op,
                            const std::string& meaning) {
  const Dtype dtype = s.in[0]->dtype;
  const bool is_double = dtype == Dtype::f64;
  const auto& shape = s.in[0]->shape;
  return make_call(
      Library::cudnn, "cudnnReduceTensor", meaning,
      {"ELEMENT " + cudnn_type(dtype),
       std::string("COMPUTE_TYPE ") + (is_double ? "CUDNN_DATA_DOUBLE" : "CUDNN_DATA_FLOAT"),
       std::string("SCALE_TYPE ") + (is_double ? "double" : "float"),
       std::string("OVER_ROWS ") + (over_rows ? "1" : "0"),
       std::string("REDUCE_OPERATOR CUDNN_REDUCE_TENSOR_") + op},
      {"cudnn_handle.cuh", "cudnn_reduce.cu"},
      {s.in[0]->name, s.out[0]->name, i32(shape[0]), i32(shape[1])});
}

LibraryCall cub_reduction(const Signature& s, bool whole, const char* name,
                          const std::string& meaning) {
  const auto& shape = s.in[0]->shape;
  Words arguments = {s.in[0]->name, s.out[0]->name};
  if (whole) {
    arguments.push_back(i32(elements_of(*s.in[0])));
  } else {
    arguments.insert(arguments.end(), {i32(shape[0]), i32(shape[1])});
  }
  const std::string call = whole ? "cub::DeviceReduce::" : "cub::DeviceSegmentedReduce::";
  return make_call(Library::cub, call + name, meaning,
                   {"ELEMENT " + cpp_type(s.in[0]->dtype), std::string("REDUCE_CALL ") + name,
                    std::string("WHOLE ") + (whole ? "1" : "0")},
                   {"cub_storage.cuh", "cub_reduce.cu"}, std::move(arguments));
}

void add_matrix_reductions(const Signature& s, std::vector<LibraryCall>& calls) {
  const auto& shape = s.in[0]->shape;
  const Dtype dtype = s.in[0]->dtype;
  const bool of_rows = s.out[0]->shape == Words{shape[0]};
  const bool of_columns = !of_rows && s.out[0]->shape == Words{shape[1]};
  if (!of_rows && !of_columns) return;
  const std::string each = of_rows ? "row" : "column";
  const Words arguments = {s.in[0]->name, s.out[0]->name, i32(shape[0]), i32(shape[1])};
  for (const bool is_sum : {true, false}) {
    const std::string meaning = each + (is_sum ? " sum" : " maximum");
    if (of_rows && !cpp_type(dtype).empty()) {
      calls.push_back(cub_reduction(s, false, is_sum ? "Sum" : "Max", meaning));
    }
    if (is_sum && is_blas_type(dtype)) {
      calls.push_back(blas_call(of_rows ? "WHAT_IS_ROW_SUM" : "WHAT_IS_COLUMN_SUM", "gemv", dtype,
                                meaning, arguments));
    }
    if (!cudnn_type(dtype).empty()) {
      calls.push_back(cudnn_reduction(s, of_columns, is_sum ? "ADD" : "MAX", meaning));
    }
  }
}

void add_reductions(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "reduction" || s.out.size() != 1) return;
  const Dtype dtype = s.out[0]->dtype;
  const bool one_result = s.out[0]->shape == Words{"1"};
  if (s.has(2, 1) && one_result && same_dtype(s.in, dtype) && is_blas_type(dtype) &&
      s.in[0]->shape == s.in[1]->shape) {
    calls.push_back(
        blas_call("WHAT_IS_DOT", "dot", dtype, "dot product",
                  {s.in[0]->name, s.in[1]->name, s.out[0]->name, i32(elements_of(*s.in[0]))}));
  }
  if (!s.has(1, 1) || s.in[0]->dtype != dtype) return;
  if (one_result && !cpp_type(dtype).empty()) {
    calls.push_back(cub_reduction(s, true, "Sum", "sum"));
    calls.push_back(cub_reduction(s, true, "Max", "maximum"));
  } else if (s.in[0]->shape.size() == 2) {
    add_matrix_reductions(s, calls);
  }
}

// ---- one array in, one out --------------------------------------------------------------------

void add_softmax(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "softmax" || !s.has(1, 1)) return;
  const Dtype dtype = s.in[0]->dtype;
  const auto& shape = s.in[0]->shape;
  if (shape.size() != 2 || s.out[0]->shape != shape || s.out[0]->dtype != dtype ||
      cudnn_type(dtype).empty()) {
    return;
  }
  calls.push_back(
      make_call(Library::cudnn, "cudnnSoftmaxForward", "row softmax",
                {"ELEMENT " + cudnn_type(dtype),
                 std::string("SCALE_TYPE ") + (dtype == Dtype::f64 ? "double" : "float")},
                {"cudnn_handle.cuh", "cudnn_softmax.cu"},
                {s.in[0]->name, s.out[0]->name, i32(shape[0]), i32(shape[1])}));
}

void add_scans(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "scan" || !s.has(1, 1)) return;
  const Argument& x = *s.in[0];
  if (x.shape.size() != 1 || s.out[0]->shape != x.shape || s.out[0]->dtype != x.dtype ||
      cpp_type(x.dtype).empty()) {
    return;
  }
  for (const char* const name : {"ExclusiveSum", "InclusiveSum"}) {
    calls.push_back(make_call(Library::cub, std::string("cub::DeviceScan::") + name, name,
                              {"ELEMENT " + cpp_type(x.dtype), std::string("SCAN_CALL ") + name},
                              {"cub_storage.cuh", "cub_scan.cu"},
                              {x.name, s.out[0]->name, i32(x.shape[0])}));
  }
}

void add_histogram(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "histogram" || !s.has(1, 1)) return;
  const Argument& x = *s.in[0];
  const Argument& counts = *s.out[0];
  const bool counts_32 = counts.dtype == Dtype::i32 || counts.dtype == Dtype::u32;
  if (x.shape.size() != 1 || counts.shape.size() != 1 || !counts_32 || is_floating(x.dtype)) return;
  calls.push_back(make_call(Library::cub, "cub::DeviceHistogram::HistogramEven", "counts",
                            {"ELEMENT " + cpp_type(x.dtype), "COUNTER " + cpp_type(counts.dtype)},
                            {"cub_storage.cuh", "cub_histogram.cu"},
                            {x.name, counts.name, i32(counts.shape[0]), i32(x.shape[0])}));
}

/// Of keys, by all of their bits or, in passes, by the lowest of them.
void add_sorts(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "sort" || !s.has(1, 1)) return;
  const Argument& keys = *s.in[0];
  if (keys.shape.size() != 1 || s.out[0]->shape != keys.shape || s.out[0]->dtype != keys.dtype ||
      cpp_type(keys.dtype).empty()) {
    return;
  }
  const std::string all = std::to_string(8 * size_in_bytes(keys.dtype));
  for (const std::string& bits : {all, std::string("4"), std::string("8")}) {
    if (bits != all && is_floating(keys.dtype)) continue;
    calls.push_back(make_call(Library::cub, "cub::DeviceRadixSort::SortKeys",
                              "sort by " + bits + " bits", {"ELEMENT " + cpp_type(keys.dtype)},
                              {"cub_storage.cuh", "cub_sort.cu"},
                              {keys.name, s.out[0]->name, i32(keys.shape[0]), i32(bits)}));
  }
}

void add_top_of_rows(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "sort" || !s.has(1, 2)) return;
  const Argument& x = *s.in[0];
  const Argument& values = *s.out[0];
  const Argument& positions = *s.out[1];
  const bool fits = x.shape.size() == 2 && values.shape.size() == 2 &&
                    values.shape[0] == x.shape[0] && is_all_digits(values.shape[1]) &&
                    positions.shape == values.shape && values.dtype == x.dtype &&
                    positions.dtype == Dtype::i32 && !cpp_type(x.dtype).empty();
  if (!fits) return;
  calls.push_back(make_call(Library::cub, "cub::DeviceSegmentedRadixSort::SortPairsDescending",
                            "largest of each row", {"ELEMENT " + cpp_type(x.dtype)},
                            {"cub_storage.cuh", "cub_top_rows.cu"},
                            {x.name, values.name, positions.name, i32(x.shape[0]), i32(x.shape[1]),
                             i32(values.shape[1])}));
}

void add_moves(const Signature& s, std::vector<LibraryCall>& calls) {
  if (!s.has(1, 1) || s.in[0]->dtype != s.out[0]->dtype) return;
  const Argument& x = *s.in[0];
  const Argument& y = *s.out[0];
  const auto& shape = x.shape;
  if (s.task.operator_family == "transpose" && shape.size() == 2 && is_blas_type(x.dtype) &&
      y.shape == Words{shape[1], shape[0]}) {
    calls.push_back(blas_call("WHAT_IS_TRANSPOSE", "geam", x.dtype, "transpose",
                              {x.name, y.name, i32(shape[0]), i32(shape[1])}));
  }
  if (s.task.operator_family == "copy" && y.shape == shape) {
    calls.push_back(make_call(
        Library::runtime, "cudaMemcpyAsync", "copy", {}, {"runtime_copy.cu"},
        {x.name, y.name, "i64:" + std::to_string(size_in_bytes(x.dtype)) + "*" + elements_of(x)}));
  }
}

// ---- vectors ----------------------------------------------------------------------------------

void add_vector_calls(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "elementwise") return;
  if (s.has(2, 1)) {
    const Argument& z = *s.out[0];
    if (is_blas_type(z.dtype) && same_dtype(s.in, z.dtype) && s.in[0]->shape == z.shape &&
        s.in[1]->shape == z.shape) {
      calls.push_back(blas_call("WHAT_IS_ADD", "geam", z.dtype, "sum of two arrays",
                                {s.in[0]->name, s.in[1]->name, z.name, i32(elements_of(z))}));
    }
    return;
  }
  if (!s.out.empty() || s.inout.size() != 1 || s.scalars.size() != 1 || s.in.size() > 1) return;
  const Argument& y = *s.inout[0];
  const Argument& alpha = *s.scalars[0];
  if (!is_blas_type(y.dtype) || alpha.dtype != y.dtype) return;
  if (s.in.empty()) {
    calls.push_back(blas_call("WHAT_IS_SCALE", "scal", y.dtype, "scaled vector",
                              {y.name, alpha.name, i32(elements_of(y))}));
  } else if (s.in[0]->dtype == y.dtype && s.in[0]->shape == y.shape) {
    calls.push_back(blas_call("WHAT_IS_AXPY", "axpy", y.dtype, "vector plus scaled vector",
                              {s.in[0]->name, y.name, alpha.name, i32(elements_of(y))}));
  }
}

/// Images, square filters, and images of the same size.
void add_convolution(const Signature& s, std::vector<LibraryCall>& calls) {
  if (s.task.operator_family != "conv" || !s.has(2, 1)) return;
  const Dtype dtype = s.out[0]->dtype;
  const auto& x = s.in[0]->shape;
  const auto& filter = s.in[1]->shape;
  const auto& y = s.out[0]->shape;
  if (x.size() != 4 || filter.size() != 4 || y.size() != 4) return;
  const bool fits = y[0] == x[0] && y[1] == filter[0] && filter[1] == x[1] && y[2] == x[2] &&
                    y[3] == x[3] && filter[2] == filter[3] && is_all_digits(filter[2]);
  if (!fits || !same_dtype(s.in, dtype) || cudnn_type(dtype).empty()) return;
  const bool half = dtype == Dtype::f16 || dtype == Dtype::bf16;
  const bool may_tf32 = dtype == Dtype::f32 && s.task.contract.tf32_allowed;
  const bool is_double = dtype == Dtype::f64;
  calls.push_back(make_call(
      Library::cudnn, "cudnnConvolutionForward", "convolution",
      {"ELEMENT " + cudnn_type(dtype),
       std::string("COMPUTE_TYPE ") + (is_double ? "CUDNN_DATA_DOUBLE" : "CUDNN_DATA_FLOAT"),
       std::string("SCALE_TYPE ") + (is_double ? "double" : "float"),
       std::string("MATH_TYPE ") +
           (half ? "CUDNN_TENSOR_OP_MATH" : (may_tf32 ? "CUDNN_DEFAULT_MATH" : "CUDNN_FMA_MATH")),
       std::string("NEEDS_DETERMINISM ") + (s.task.contract.deterministic ? "1" : "0")},
      {"cudnn_handle.cuh", "cudnn_convolution.cu"},
      {s.in[0]->name, s.in[1]->name, s.out[0]->name, i32(x[0]), i32(x[1]), i32(x[2]), i32(x[3]),
       i32(filter[0]), i32(filter[2])}));
}

}  // namespace

std::vector<LibraryCall> library_calls_for(const Task& task) {
  const Signature signature = signature_of(task);
  std::vector<LibraryCall> calls;
  add_products(signature, calls);
  add_matrix_vector(signature, calls);
  add_sparse_product(signature, calls);
  add_reductions(signature, calls);
  add_softmax(signature, calls);
  add_scans(signature, calls);
  add_histogram(signature, calls);
  add_sorts(signature, calls);
  add_top_of_rows(signature, calls);
  add_moves(signature, calls);
  add_vector_calls(signature, calls);
  add_convolution(signature, calls);
  return calls;
}

}  // namespace warpmind::profilers
