#pragma once
/// \file
/// Which library calls may compute what a task asks for. Found from its arguments and shapes;
/// whether one does is for the oracles to say.

#include "base/enum_names.h"
#include "base/model/kernel.h"
#include "base/model/task.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

enum class Library { runtime, cub, cublas, cublaslt, cudnn, cusparse };

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::Library, {profilers::Library::runtime, "CUDA runtime"},
                    {profilers::Library::cub, "CUB"}, {profilers::Library::cublas, "cuBLAS"},
                    {profilers::Library::cublaslt, "cuBLASLt"},
                    {profilers::Library::cudnn, "cuDNN"},
                    {profilers::Library::cusparse, "cuSPARSE"});
}  // namespace warpmind

namespace warpmind::profilers {

struct LibraryCall {
  Library library = Library::runtime;
  std::string call;     ///< "cublasLtMatmul"
  std::string meaning;  ///< "row sum": calls of one meaning compute the same
  Kernel kernel;        ///< tier b, its source from templates/
};

/// Those worth a try, the most likely meaning first; empty where nothing known fits.
[[nodiscard]] std::vector<LibraryCall> library_calls_for(const Task& task);

struct EmbeddedFile {
  std::string_view name;
  std::string_view content;
};

/// Generated from templates/.
[[nodiscard]] std::span<const EmbeddedFile> library_template_files();

}  // namespace warpmind::profilers
