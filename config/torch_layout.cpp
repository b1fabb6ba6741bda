#include "config/torch_layout.h"

#include "base/file.h"
#include "base/text.h"
#include "config/python_packages.h"

#include <optional>
#include <system_error>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "include/torch/csrc/api/include/torch/torch.h";
constexpr const char* kCudaLibrary = "lib/libtorch_cuda.so";
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 20U;

bool has_header(const fs::path& root) {
  std::error_code ec;
  return fs::is_regular_file(root / kHeader, ec);
}

std::optional<fs::path> torch_in(const std::vector<fs::path>& packages) {
  for (const auto& folder : packages) {
    if (has_header(folder / "torch")) return folder / "torch";
  }
  return std::nullopt;
}

Result<fs::path> root_of(const fs::path& given, std::string_view search_path) {
  if (given.empty()) {
    if (auto package = torch_in(packages_of_python(search_path))) return *package;
    return fail(Errc::invalid_argument,
                "its driver needs libtorch, and the python3 on PATH has no package torch with "
                "headers; name libtorch's folder, or a Python's site-packages, with --libtorch");
  }
  if (has_header(given)) return given;
  if (has_header(given / "torch")) return given / "torch";
  if (auto package = torch_in(packages_below(given))) return *package;
  return fail(Errc::invalid_argument,
              given.string() +
                  " is no libtorch: neither it, nor torch/ in it, nor a Python's "
                  "packages below it have " +
                  kHeader);
}

/// The digit behind `name=` in the file that CMake reads; a package of pip has it, too.
std::string abi_of(const fs::path& root) {
  constexpr std::string_view kName = "_GLIBCXX_USE_CXX11_ABI=";
  const auto text =
      read_file(root / "share/cmake/Torch/TorchConfig.cmake", kMostHeaderBytes).value_or("");
  const auto at = text.find(kName);
  const bool named = at != std::string::npos && at + kName.size() < text.size();
  if (!named) return {};
  const char digit = text[at + kName.size()];
  return digit == '0' || digit == '1' ? "-D" + std::string(kName) + digit : std::string();
}

/// Its own headers refuse an older standard than they want.
std::string standard_of(const fs::path& root) {
  const auto text =
      read_file(root / "include/torch/csrc/api/include/torch/all.h", kMostHeaderBytes).value_or("");
  return text.find("C++20 or later") != std::string::npos ? "c++20" : "c++17";
}

}  // namespace

Result<TorchLayout> find_torch(const fs::path& given, std::string_view search_path) {
  WARPMIND_TRY(const auto found, root_of(given, search_path));
  std::error_code ec;
  TorchLayout torch;
  torch.root = fs::canonical(found, ec);
  if (ec) return fail(Errc::invalid_argument, found.string() + ": " + ec.message());
  if (!fs::is_regular_file(torch.root / kCudaLibrary, ec)) {
    return fail(Errc::invalid_argument, torch.root.string() + " has no " + kCudaLibrary +
                                            ": it is libtorch without CUDA; get the one for CUDA");
  }
  torch.needs = {torch.root.string()};
  const fs::path packages = torch.root.parent_path() / "nvidia";
  for (const auto& package : folders_in(packages)) {
    if (fs::is_directory(package / "lib", ec)) torch.libraries.push_back(package / "lib");
  }
  if (!torch.libraries.empty()) torch.needs.push_back(packages.string());
  torch.standard = standard_of(torch.root);
  torch.abi = abi_of(torch.root);
  return torch;
}

std::string torch_compile_flags(const TorchLayout& torch) {
  const std::string root = torch.root.string();
  return " -O0 -w -std=" + torch.standard + (torch.abi.empty() ? "" : " " + torch.abi) +
         " -isystem " + root + "/include -isystem " + root +
         "/include/torch/csrc/api/include -isystem $CUDA_HOME/include";
}

std::string torch_link_flags(const TorchLayout& torch) {
  const std::string lib = torch.root.string() + "/lib";
  std::string flags = " -L" + lib +
                      " -Xlinker --no-as-needed -ltorch -ltorch_cpu -ltorch_cuda -lc10 -lc10_cuda"
                      " -Xlinker --allow-shlib-undefined -Xlinker -rpath -Xlinker " +
                      lib;
  if (torch.libraries.empty()) return flags;
  const std::string cuda = join_text(torch.libraries, ":", &fs::path::native);
  return flags + ":" + cuda + " -Xlinker -rpath-link -Xlinker " + cuda;
}

}  // namespace warpmind::config
