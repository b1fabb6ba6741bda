#include "config/toolkit_search.h"

#include "config/python_packages.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace warpmind::config {
namespace fs = std::filesystem;
namespace {

constexpr const char* kInstall =
    ": install the CUDA toolkit 12.4 to 13.x (docs/toolkits.md), or set toolchain.nvcc to its nvcc";

std::string variable(const ToolkitSearch& search, std::string_view name) {
  const auto found = search.environment.find(name);
  return found == search.environment.end() ? "" : found->second;
}

bool is_program(const fs::path& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
}

/// Collects toolkits, each once: PATH often names what /usr/local/cuda is a link to.
class Finds {
 public:
  void add(const fs::path& nvcc, const char* place) {
    if (!nvcc.is_absolute() || !is_program(nvcc)) return;
    // A compiler cache answers to the name of every compiler.
    std::error_code ec;
    if (fs::canonical(nvcc, ec).filename() != "nvcc") return;
    Toolkit toolkit = describe_toolkit(nvcc, place);
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Toolkit& other) {
      return other.nvcc == toolkit.nvcc;
    });
    if (!known) found_.push_back(std::move(toolkit));
  }

  void add_packages(const std::vector<fs::path>& packages, const char* place) {
    for (const auto& folder : packages) {
      add(folder / "nvidia/cu13/bin/nvcc", place);
      const fs::path split = folder / "nvidia/cuda_nvcc";
      add(split / "bin/nvcc", place);
      // pip's packages of CUDA 12 may bring ptxas alone, for frameworks that compile themselves.
      if (!is_program(split / "bin/ptxas") || is_program(split / "bin/nvcc")) continue;
      Toolkit half;
      half.place = place;
      half.root = split;
      half.problem = split.string() +
                     " has ptxas and no nvcc: pip install 'nvidia-cuda-nvcc>=13' nvidia-cuda-cccl";
      found_.push_back(std::move(half));
    }
  }

  [[nodiscard]] std::vector<Toolkit> take() { return std::move(found_); }

 private:
  std::vector<Toolkit> found_;
};

void add_search_path(const ToolkitSearch& search, Finds& finds) {
  const std::string folders = variable(search, "PATH");
  std::string_view rest = folders;
  while (!rest.empty()) {
    const auto colon = std::min(rest.find(':'), rest.size());
    finds.add(fs::path(rest.substr(0, colon)) / "nvcc", "PATH");
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

/// "cuda-12.10" comes after "cuda-12.9".
std::pair<int, int> version_in(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const auto dash = name.find('-');
  const auto dot = name.find('.');
  if (dash == std::string::npos) return {0, 0};
  return {std::atoi(name.c_str() + dash + 1),
          dot == std::string::npos ? 0 : std::atoi(name.c_str() + dot + 1)};
}

void add_system_folders(const fs::path& system, Finds& finds) {
  finds.add(system / "usr/local/cuda/bin/nvcc", "/usr/local/cuda");
  auto versions = folders_in(system / "usr/local");
  std::erase_if(versions, [](const fs::path& folder) {
    return !folder.filename().string().starts_with("cuda-");
  });
  std::stable_sort(versions.begin(), versions.end(), [](const fs::path& a, const fs::path& b) {
    return version_in(a) > version_in(b);
  });
  for (const auto& folder : versions) finds.add(folder / "bin/nvcc", "/usr/local");
  finds.add(system / "opt/cuda/bin/nvcc", "/opt/cuda");
  for (const char* folder : {"usr/bin", "usr/lib/nvidia-cuda-toolkit/bin", "usr/lib/cuda/bin"}) {
    finds.add(system / folder / "nvcc", "the system's packages");
  }
}

/// The packages that this program was installed with, and those that `make demo` brought for the
/// program in build/PRESET/bin.
std::vector<fs::path> packages_of_program(const fs::path& program) {
  std::vector<fs::path> found;
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    const auto name = folder.filename();
    if (name == "site-packages" || name == "dist-packages") found.push_back(folder);
  }
  const fs::path build = program.parent_path().parent_path().parent_path();
  const auto own = packages_below(build / "toolkit");
  found.insert(found.end(), own.begin(), own.end());
  return found;
}

}  // namespace

ToolkitSearch toolkit_search(const ToolchainSettings& settings) {
  std::error_code ec;
  return {settings.nvcc, capture_environment(), fs::read_symlink("/proc/self/exe", ec), "/"};
}

std::vector<Toolkit> find_toolkits(const ToolkitSearch& search) {
  if (!search.nvcc.empty()) {
    if (!is_program(search.nvcc)) return {};
    return {describe_toolkit(search.nvcc, "toolchain.nvcc")};
  }
  Finds finds;
  add_search_path(search, finds);
  finds.add(fs::path(variable(search, "CUDA_HOME")) / "bin/nvcc", "$CUDA_HOME");
  finds.add(fs::path(variable(search, "CUDA_PATH")) / "bin/nvcc", "$CUDA_PATH");
  add_system_folders(search.system, finds);
  const auto packages_in = [&](const char* name, const char* below) {
    const fs::path prefix = variable(search, name);
    return prefix.is_absolute() ? packages_below(prefix / below) : std::vector<fs::path>();
  };
  finds.add_packages(packages_in("VIRTUAL_ENV", ""), "$VIRTUAL_ENV");
  finds.add_packages(packages_of_python(variable(search, "PATH")), "the packages of python3");
  finds.add_packages(packages_in("HOME", ".local"), "~/.local");
  finds.add_packages(packages_of_program(search.own_program), "the packages of warpmind");
  finds.add(fs::path(variable(search, "CONDA_PREFIX")) / "bin/nvcc", "$CONDA_PREFIX");
  return finds.take();
}

Result<Toolkit> choose_toolkit(const std::vector<Toolkit>& toolkits, const ToolkitSearch& search) {
  const auto first = std::find_if(toolkits.begin(), toolkits.end(), std::mem_fn(&Toolkit::usable));
  if (first != toolkits.end()) return *first;
  if (!toolkits.empty()) return fail(Errc::unavailable, toolkits.front().problem);
  if (!search.nvcc.empty()) {
    return fail(Errc::unavailable, "nvcc is not at " + search.nvcc.string() + kInstall);
  }
  return fail(Errc::unavailable,
              std::string("nvcc is not on PATH, in $CUDA_HOME, /usr/local/cuda*, the folders of "
                          "Debian's packages, of Python's and of conda's") +
                  kInstall);
}

}  // namespace warpmind::config
