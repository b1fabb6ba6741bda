#pragma once
/// \file
/// Where libtorch's headers and libraries lie: an unpacked libtorch, or the package of a Python.

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

struct TorchLayout {
  std::filesystem::path root;  ///< has include/ and lib/
  std::vector<std::filesystem::path>
      libraries;                   ///< folders with CUDA's libraries, of pip's packages
  std::vector<std::string> needs;  ///< folders that a program on libtorch reads
  std::string standard;            ///< of C++, that its headers want: "c++17"
  std::string abi;                 ///< "-D_GLIBCXX_USE_CXX11_ABI=0" where it says one; else empty
};

/// `given`: libtorch itself, a Python's site-packages, or the root of a virtual environment; empty
/// = the package of the python3 that is found first on `search_path` (as PATH). Nothing is run.
/// Errors: invalid_argument with what is missing where.
[[nodiscard]] Result<TorchLayout> find_torch(const std::filesystem::path& given,
                                             std::string_view search_path);

/// Flags of g++ that compile a program on it, each begun with a space. A header compiled with them
/// beforehand fits.
[[nodiscard]] std::string torch_compile_flags(const TorchLayout& torch);

/// Flags of nvcc that link it, each begun with a space.
[[nodiscard]] std::string torch_link_flags(const TorchLayout& torch);

}  // namespace warpmind::config
